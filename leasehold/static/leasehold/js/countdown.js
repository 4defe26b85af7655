/* Counts down every lease on the page once a second, and moves the clock in the footer.
   A part of the page whose lease has ended is refreshed once. */

import { now } from "./clock.js";
import { all } from "./dom.js";
import { formatDuration } from "./format.js";
import { refresh } from "./refresh.js";

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

// The server's time, in the zone in which the server rendered the page.
function clockText(element) {
  try {
    return new Intl.DateTimeFormat("en-GB", { ...TIME, timeZone: element.dataset.clock }).format(now());
  } catch { // this browser does not know the zone
    return element.textContent;
  }
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function updateTimeLeft(element) {
  const seconds = (Date.parse(element.dataset.until) - now()) / 1000;
  setText(element, seconds > 0 ? `${formatDuration(seconds)} left` : "has ended");
  element.classList.toggle("soon", seconds < Number(element.dataset.soon));
  if (seconds <= 0 && !element.dataset.ended) {
    element.dataset.ended = "true";
    refresh(element.closest("[data-hx-get]"));
  }
}

function updateArc(arc) {
  const [since, ends] = [Date.parse(arc.dataset.since), Date.parse(arc.dataset.ends)];
  const percent = Math.max(0, Math.min(100, Math.round((100 * (ends - now())) / (ends - since))));
  arc.setAttribute("stroke-dasharray", `${percent} 100`);
}

function updateCountdowns() {
  if (document.hidden) return;
  for (const element of all("[data-clock]")) setText(element, clockText(element));
  for (const element of all("[data-until]")) updateTimeLeft(element);
  for (const arc of all("[data-ends]")) updateArc(arc);
}

setInterval(updateCountdowns, 1000);
document.addEventListener("visibilitychange", updateCountdowns);
