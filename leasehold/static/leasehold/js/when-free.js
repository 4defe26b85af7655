/* "Tell me when it is free": a switch on the page of a file that somebody else has. The page of a refusal links to it
   with #when-free. The announcement is in the live region and in the tab's title. It is taken back if somebody else
   checks the file out first. */

import { all } from "./dom.js";

const title = document.title;
let isAwaited = location.hash === "#when-free";
let isAnnounced = false;

// Does the reader wait for the announcement? Then a hidden tab goes on asking the server.
export const isFreeAwaited = () => isAwaited;

// Does the live region say that the file is free?
export const isFreeAnnounced = () => isAnnounced;

export function announceWhenFree() {
  const state = document.getElementById("state");
  const announcement = document.getElementById("free-now");
  if (!state || !announcement) return;
  const isFree = ["free", "lapsed"].includes(state.dataset.state);
  const messages = document.getElementById("outcome");
  if (isFree && isAwaited && !isAnnounced) {
    isAnnounced = true;
    document.title = `Free now: ${title}`;
    messages.replaceChildren(announcement.content.cloneNode(true));
  } else if (!isFree && isAnnounced) {
    isAnnounced = false;
    document.title = title;
    messages.replaceChildren();
  }
  if (isAnnounced && !document.hidden) isAwaited = false; // the reader has seen it
  document.getElementById("tell")?.setAttribute("aria-pressed", isAwaited);
  for (const note of all("[data-announced]", state)) note.hidden = !isAwaited;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#tell")) return;
  isAwaited = !isAwaited;
  announceWhenFree();
});
document.addEventListener("visibilitychange", announceWhenFree);
announceWhenFree();
