/* Keys that work on every page: "/" focuses the search field, Escape closes what is open. */

import { closeMenus } from "./menus.js";
import { closeOverlay } from "./overlay.js";

function focusSearch(event) {
  const search = document.querySelector("input[type=search]");
  if (!search) return;
  event.preventDefault();
  search.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, textarea, select");
  if (event.key === "/" && !field) focusSearch(event);
  if (event.key === "Escape") {
    closeMenus();
    delete document.body.dataset.dragging;
    closeOverlay();
    if (field?.type === "search") field.blur();
  }
});
