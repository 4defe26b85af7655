/* The prediction in the check-in form: what the check-in of the chosen file will do. The server renders every possible
   notice; this shows the one that fits the file. */

import { canDigest, digestOf } from "./digest.js";
import { all } from "./dom.js";
import { formatSize } from "./format.js";

let chosen = null; // {file, digest}: the file in the form, or null

export const isFileChosen = () => chosen !== null;

// ".psd", or "" without an extension. The server compares extensions without regard to case, too.
function extension(name) {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot).normalize("NFC").toLowerCase() : "";
}

function showOutcome(form, prediction) {
  const outcome = chosen?.digest && chosen.digest === prediction.dataset.head ? "same" : "new";
  for (const notice of all("[data-prediction]", prediction)) {
    notice.hidden = notice.dataset.prediction !== outcome;
    if (!notice.hidden) form.querySelector("[data-button]").textContent = notice.dataset.says;
  }
  const verdict = outcome === "new" ? prediction.dataset.verdict : outcome;
  for (const text of all("[data-comes-to]", form)) text.hidden = text.dataset.comesTo !== verdict;
  // A proposal leaves no new version to go on from.
  form.querySelector("[data-keep]").hidden = prediction.dataset.verdict === "proposed";
}

// A warning about the file has a box, which must be ticked before the form can be sent.
function showWarning(notice, isShown) {
  notice.hidden = !isShown;
  notice.querySelector("input").required = isShown;
}

function showWarnings(form) {
  const name = chosen ? chosen.file.name.normalize("NFC") : "";
  const isOtherKind = chosen !== null && extension(name) !== extension(form.dataset.name);
  for (const element of all("[data-its-name]", form)) element.textContent = name;
  form.querySelector("[data-other-name]").hidden = !chosen || isOtherKind || name === form.dataset.name;
  showWarning(form.querySelector("[data-other-kind]"), isOtherKind);
  showWarning(form.querySelector("[data-empty]"), chosen !== null && chosen.file.size === 0);
}

// The base version and the new file, side by side.
function showFile(beside) {
  beside.hidden = !chosen;
  if (!chosen) return;
  const { file, digest } = chosen;
  const pending = canDigest(file) ? "comparing…" : "compared by the server at the end";
  beside.querySelector("[data-name]").textContent = `New, ${file.name}`;
  beside.querySelector("[data-size]").textContent = formatSize(file.size);
  beside.querySelector("[data-digest]").textContent = digest ? `${digest.slice(0, 15)}…${digest.slice(-4)}` : pending;
}

export function showPrediction() {
  const form = document.querySelector("[data-check-in]");
  if (!form) return;
  showOutcome(form, form.querySelector("#prediction"));
  showWarnings(form);
  showFile(form.querySelector("[data-beside]"));
}

// `file`: the file that was put into the form, or null when it was taken out.
export async function choose(file) {
  chosen = file ? { file, digest: "" } : null;
  showPrediction();
  if (!file) return;
  const digest = await digestOf(file).catch(() => "");
  if (chosen?.file === file) { // not if another file was chosen meanwhile
    chosen.digest = digest;
    showPrediction();
  }
}

showPrediction();
