/* Keys for files: "c" checks out, "i" checks in, "?" lists the keys. The row that has the focus comes first, then the
   page. */

import { all } from "./dom.js";

const FIELDS = "input:not([type=checkbox]), textarea, select, dialog";

function press(key) {
  const row = document.activeElement?.closest("tr");
  const inRow = row?.querySelector(`[data-key="${key}"]`);
  const onPage = all(`[data-key="${key}"]`).filter((element) => !element.disabled && !element.closest("tbody"));
  const target = inRow || onPage.find((element) => element.checkVisibility());
  if (!target) return;
  if (target.matches("input")) target.focus();
  else target.click();
}

function showKeys() {
  const template = document.getElementById("keys");
  const dialog = document.querySelector("dialog.keys-card") || template.content.firstElementChild.cloneNode(true);
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(FIELDS)) return;
  if (event.key === "c" || event.key === "i") {
    event.preventDefault();
    press(event.key);
  }
  if (event.key === "?") {
    event.preventDefault();
    showKeys();
  }
});
