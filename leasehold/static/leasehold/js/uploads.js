/* The upload queue: one row for each file, one upload at a time. Files become new files or, from a form with
   data-check-ins, the next versions of files that the reader has checked out. */

import { formatProgress, formatSize } from "./format.js";
import { closeOverlay } from "./overlay.js";
import { refresh } from "./refresh.js";
import { send } from "./send.js";

const queue = [];
let isUploading = false;

const isCheckIn = (job) => "checkIns" in job.form.dataset;
const part = (job, name) => job.row.querySelector(`[data-${name}]`);

// Adds `items`, [{file, path}], to the queue; each is sent as `form` says.
export function uploadAll(form, items) {
  const card = document.querySelector("[data-uploads]");
  card.hidden = false;
  card.querySelector("h2").textContent = "checkIns" in form.dataset ? card.dataset.checkingIn : card.dataset.adding;
  for (const { file, path } of items) enqueue({ form, file, path, row: addRow(card, file, path), control: {} });
  closeOverlay();
  card.scrollIntoView({ block: "nearest" });
  uploadNext();
}

function addRow(card, file, path) {
  const row = card.querySelector("template").content.firstElementChild.cloneNode(true);
  row.querySelector("[data-name]").textContent = path;
  row.querySelector("[data-size]").textContent = formatSize(file.size);
  card.querySelector("ul").append(row);
  return row;
}

function enqueue(job) {
  const again = () => { queue.push(job); uploadNext(); };
  part(job, "retry").addEventListener("click", again);
  part(job, "anyway").addEventListener("click", () => { job.mayBeEmpty = true; again(); });
  part(job, "stop").addEventListener("click", () => job.control.abort?.());
  queue.push(job);
}

async function uploadNext() {
  if (isUploading || !queue.length) return;
  isUploading = true;
  const job = queue.shift();
  job.row.className = "";
  part(job, "retry").hidden = part(job, "open").hidden = part(job, "anyway").hidden = true;
  if (job.file.size === 0 && !job.mayBeEmpty && !isCheckIn(job)) askAboutEmpty(job);
  else await upload(job);
  part(job, "stop").hidden = part(job, "bar").hidden = true;
  isUploading = false;
  if (queue.length) uploadNext();
  else refresh(document.getElementById("files") || document.getElementById("desk"));
}

function askAboutEmpty(job) {
  job.row.className = "is-stale";
  part(job, "note").textContent = "It is empty (0 bytes), and was not added.";
  part(job, "anyway").hidden = false;
}

async function upload(job) {
  part(job, "stop").hidden = part(job, "bar").hidden = false;
  try {
    const answer = await send(job.form.action, formFor(job), (done, total, speed) => {
      part(job, "bar").value = (100 * done) / total;
      part(job, "note").textContent = formatProgress(done, total, speed);
    }, job.control);
    showSuccess(job, answer);
  } catch (refusal) {
    showRefusal(job, refusal);
  }
}

function formFor(job) {
  const data = new FormData(job.form);
  data.delete("file");
  data.set("path", job.path);
  if (job.mayBeEmpty) data.set("empty", "on");
  data.append("file", job.file, job.file.name);
  return data;
}

function showSuccess(job, answer) {
  job.row.className = answer.role || "is-free";
  part(job, "note").textContent = isCheckIn(job) ? answer.title : "Added";
  part(job, "open").href = answer.url;
  part(job, "open").hidden = false;
}

function showRefusal(job, refusal) {
  job.row.className = refusal.mayRetry ? "is-danger" : "is-person";
  part(job, "note").textContent = `${refusal.title.replace(/\.$/, "")}: ${refusal.detail}`;
  part(job, "retry").hidden = !refusal.mayRetry;
  if (!refusal.next) return;
  part(job, "open").textContent = refusal.next.label;
  part(job, "open").href = refusal.next.url;
  part(job, "open").hidden = false;
}
