/* What a list of files does with a script: select all, count, what the keys do, and several check-ins at once.
   Loaded after leasehold.js, whose `all`, `page` and `addAll` it uses. */
"use strict";

/* -------------------------------------------------------------------------------------------------------- selecting */

// Tells how many are ticked, and turns off what none of the ticked ones could take.
function picked(form) {
  const ticked = all(".pick input[name]:checked", form);
  const label = form.querySelector("[data-picked]");
  if (label) label.textContent = `${ticked.length} selected`;
  for (const button of all("[data-for]", form)) {
    const states = button.dataset.for.split(" ");
    button.disabled = !ticked.some((box) => states.includes(box.dataset.state));
    button.toggleAttribute("data-off", button.disabled);
  }
  const whole = form.querySelector("[data-select-all]");
  const boxes = all(".pick input[name]", form);
  if (whole) {
    whole.checked = ticked.length > 0 && ticked.length === boxes.length;
    whole.indeterminate = ticked.length > 0 && ticked.length < boxes.length;
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.closest(".pick") && event.target.form;
  if (!form) return;
  if (event.target.matches("[data-select-all]")) {
    for (const box of all(".pick input[name]", form)) box.checked = event.target.checked;
  }
  picked(form);
});
document.addEventListener("reset", (event) => setTimeout(() => picked(event.target)));

// What only the script can do is hidden until it is here, and again after a list was renewed.
function showScripted() {
  for (const box of all("[data-select-all]")) box.hidden = !box.closest("table").querySelector(".pick input[name]");
}
document.addEventListener("htmx:afterSettle", showScripted);
showScripted();

/* ------------------------------------------------------------------------------------------------------- thumbnails */

const BLANK = 2; // pixels in width: it is being made, or waits for its turn

// Asked for again, for about a minute. The icon below it is seen meanwhile.
function askAgain(image) {
  const tries = Number(image.dataset.tries || 0);
  if (image.naturalWidth !== BLANK || tries >= 14) return;
  image.dataset.tries = tries + 1;
  setTimeout(() => { image.src = `${image.src.split("&")[0]}&${tries + 1}`; }, Math.min(5000, 1000 * 2 ** tries));
}
document.addEventListener("load", (event) => {
  if (event.target.matches?.(".mini img")) askAgain(event.target);
}, true);
for (const image of all(".mini img")) if (image.complete) askAgain(image);

/* ------------------------------------------------------------------------------------------------------------- keys */

// The row that has the focus comes first, then the page: `c` checks out, `i` checks in, `?` says what there is.
function act(key) {
  const row = document.activeElement?.closest("tr");
  const within = row?.querySelector(`[data-key="${key}"]`);
  const here = all(`[data-key="${key}"]`).filter((element) => !element.disabled && !element.closest("tbody"));
  const target = within || here.find((element) => element.checkVisibility());
  if (!target) return;
  if (target.matches("input")) target.focus();
  else target.click();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
  if (event.key === "c" || event.key === "i") {
    event.preventDefault();
    act(event.key);
  }
  if (event.key === "?") {
    event.preventDefault();
    showKeys();
  }
});

function showKeys() {
  const keys = document.querySelector("dialog.keys-card") || document.getElementById("keys").content.firstElementChild.cloneNode(true);
  document.body.append(keys);
  keys.showModal();
}

/* ------------------------------------------------------------------------------------------------- several check-ins */

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-check-ins]");
  if (!form || !document.querySelector("[data-uploads]")) return;
  event.preventDefault();
  addAll(form, [...form.elements.file.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
  form.elements.file.value = "";
});
document.addEventListener("dragover", (event) => {
  for (const zone of all("[data-check-in-zone]")) zone.classList.toggle("is-over", zone.contains(event.target));
});
