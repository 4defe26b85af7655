/* A second click on a button does nothing while the first is under way. The browser sends the button's own name and
   value, so it is disabled only after that. */

import { all } from "./dom.js";

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.defaultPrevented || event.target.method !== "post" || !button) return;
  setTimeout(() => { button.disabled = true; });
  setTimeout(() => { button.disabled = false; }, 5000);
});

// Back to a page from the browser's cache: its buttons work again, except those that the selection bar has disabled.
window.addEventListener("pageshow", () => {
  for (const button of all("button[disabled][type=submit]")) {
    if (!button.hasAttribute("data-off")) button.disabled = false;
  }
});
