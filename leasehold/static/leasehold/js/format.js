/* Durations, sizes and progress as text. The server formats the same values in templatetags/parts.py. */

// Seconds as "2 d 3 h", "3 h 05 m", "12 m", "3 m 05 s" or "5 s".
export function formatDuration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [days, hours] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24];
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60];
  const twoDigits = (number) => String(number).padStart(2, "0");
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${twoDigits(minutes)} m`;
  if (minutes >= 10) return `${minutes} m`;
  return minutes ? `${minutes} m ${twoDigits(rest)} s` : `${rest} s`;
}

// Bytes as "999 B", "12 kB" or "1.2 MB".
export function formatSize(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let number = bytes;
  let unit = -1;
  do {
    number /= 1000;
    unit += 1;
  } while (number >= 999.5 && unit < units.length - 1);
  return `${number.toFixed(unit === 0 || number >= 99.95 ? 0 : 1)} ${units[unit]}`;
}

// How far an upload is: `done` of `total` bytes, at `speed` bytes per second.
export function formatProgress(done, total, speed) {
  const secondsLeft = (total - done) / speed;
  const rest = done < total ? ` · about ${formatDuration(secondsLeft)} left` : " · being checked and stored";
  return `${Math.floor((100 * done) / Math.max(1, total))} % · ${formatSize(speed)}/s${rest}`;
}
