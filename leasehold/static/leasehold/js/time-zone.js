/* Sends the browser's time zone to the server in a cookie, so that pages show local times. */

try {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;
} catch { /* without the cookie the server uses its own zone */ }
