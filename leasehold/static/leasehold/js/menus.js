/* Menus are <details>. A click elsewhere closes them, and so does Escape (keyboard.js). */

import { all } from "./dom.js";

const openMenus = () => all("details.menu[open]");

// Closes every menu, and moves the focus to its button.
export function closeMenus() {
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
}

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
