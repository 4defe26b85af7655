/* Files that are dragged onto the page: the overlay opens, and the zone below the pointer takes the drop. */

import { all } from "./dom.js";
import { droppedFiles } from "./dropped-files.js";
import { choose } from "./prediction.js";
import { uploadAll } from "./uploads.js";

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
let depth = 0; // the browser sends dragenter and dragleave for every element on the way

function endDrag() {
  depth = 0;
  delete document.body.dataset.dragging;
  for (const element of all(".is-over")) element.classList.remove("is-over");
}

document.addEventListener("dragenter", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  depth += 1;
  document.body.dataset.dragging = "true";
  document.querySelector("[data-check-in] .drop")?.classList.add("is-over");
});
document.addEventListener("dragleave", (event) => {
  if (!carriesFiles(event)) return;
  depth -= 1;
  if (depth <= 0) endDrag();
});
document.addEventListener("dragover", (event) => {
  if (carriesFiles(event)) event.preventDefault();
  for (const zone of all("[data-check-in-zone]")) zone.classList.toggle("is-over", zone.contains(event.target));
});
document.addEventListener("drop", async (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault(); // otherwise the browser leaves the page and opens the file
  endDrag();
  const input = document.querySelector("[data-check-in] input[type=file]");
  const form = document.querySelector("[data-add]");
  const zones = all("[data-check-in-zone]");
  const zone = zones.find((one) => one.contains(event.target)) || (form ? null : zones[0]);
  if (zone) {
    uploadAll(zone.querySelector("form"), await droppedFiles(event.dataTransfer));
  } else if (input && event.dataTransfer.files.length === 1) {
    input.files = event.dataTransfer.files;
    choose(input.files[0]);
  } else if (form) {
    uploadAll(form, await droppedFiles(event.dataTransfer));
  }
});
