/* The check-in form of one file: choosing the file, and sending it with its progress. */

import { all } from "./dom.js";
import { formatProgress } from "./format.js";
import { choose, isFileChosen } from "./prediction.js";
import { send } from "./send.js";

const FILE = "[data-check-in] input[type=file]";

async function checkIn(form) {
  const bar = form.querySelector("[data-progress]");
  const failure = form.querySelector("[data-failure]");
  const buttons = all("button", form);
  failure.hidden = true;
  bar.hidden = false;
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await send(form.action, new FormData(form), (done, total, speed) => {
      bar.querySelector("progress").value = (100 * done) / total;
      bar.querySelector("[data-text]").textContent = formatProgress(done, total, speed);
    });
    location.assign(answer.url);
  } catch (refusal) {
    bar.hidden = true;
    failure.hidden = false;
    failure.querySelector("b").textContent = refusal.title;
    failure.querySelector(".soft").textContent = refusal.detail;
    failure.querySelector("[data-retry]").hidden = !refusal.mayRetry;
    for (const button of buttons) button.disabled = false;
  }
}

// The browser reports no change when the same file is chosen again, although it may have been saved since. So a click
// on the field empties it first.
document.addEventListener("click", (event) => {
  if (!event.target.matches(FILE)) return;
  event.target.value = "";
  choose(null);
});
document.addEventListener("change", (event) => {
  if (event.target.matches(FILE)) choose(event.target.files[0] || null);
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-check-in]");
  if (!form) return;
  event.preventDefault();
  checkIn(form);
});

// The form belongs to one check-out. If that began or ended elsewhere, in another tab for example, the page is
// reloaded; not while there is something in the form that would be lost.
export function reloadIfCheckoutChanged() {
  const [state, form] = [document.getElementById("state"), document.getElementById("check-in")];
  if (!state || state.dataset.checkout === (form?.dataset.checkout || "")) return;
  if (!isFileChosen() && !form?.querySelector("textarea").value) location.reload();
}
