/* Selected rows of a list: "select all", the number of selected rows, and the buttons that apply to them. */

import { all } from "./dom.js";

const BOXES = ".pick input[name]";

// A button is disabled when its action applies to no selected row.
function updateButtons(form, selected) {
  for (const button of all("[data-for]", form)) {
    const states = button.dataset.for.split(" ");
    button.disabled = !selected.some((box) => states.includes(box.dataset.state));
    button.toggleAttribute("data-off", button.disabled);
  }
}

function updateSelection(form) {
  const boxes = all(BOXES, form);
  const selected = boxes.filter((box) => box.checked);
  const label = form.querySelector("[data-picked]");
  if (label) label.textContent = `${selected.length} selected`;
  updateButtons(form, selected);
  const selectAll = form.querySelector("[data-select-all]");
  if (selectAll) {
    selectAll.checked = selected.length > 0 && selected.length === boxes.length;
    selectAll.indeterminate = selected.length > 0 && selected.length < boxes.length;
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.closest(".pick") && event.target.form;
  if (!form) return;
  if (event.target.matches("[data-select-all]")) {
    for (const box of all(BOXES, form)) box.checked = event.target.checked;
  }
  updateSelection(form);
});
document.addEventListener("reset", (event) => setTimeout(() => updateSelection(event.target)));

// "Select all" works only with scripts, and only where there is something to select.
export function showSelectAll() {
  for (const box of all("[data-select-all]")) box.hidden = !box.closest("table").querySelector(BOXES);
}

showSelectAll();
