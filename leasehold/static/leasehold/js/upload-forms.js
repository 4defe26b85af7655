/* The two forms that upload several files: adding files to a folder, and checking in files that are checked out. */

import { uploadAll } from "./uploads.js";

const filesOf = (form) => [...form.elements.file.files].map((file) => (
  { file, path: file.webkitRelativePath || file.name }
));

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-add]");
  if (!form) return;
  event.preventDefault();
  uploadAll(form, filesOf(form));
  form.reset();
});

// The comment stays in the form for the next files.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-check-ins]");
  if (!form || !document.querySelector("[data-uploads]")) return;
  event.preventDefault();
  uploadAll(form, filesOf(form));
  form.elements.file.value = "";
});
