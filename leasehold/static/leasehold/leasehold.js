/* Leasehold's one script. Every page works without it; with it, time passes on the page, lists keep themselves up to
   date, and uploads show how far they are.
   Read it downward: clock, polling, when it is free, keys, forms, check-in, adding files, the drop. */
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const page = document.documentElement;

/* ------------------------------------------------------------------------------------------------------------ clock */

// The server's clock, not this machine's: the page says what time it is there.
const ahead = page.dataset.now ? Date.parse(page.dataset.now) - Date.now() : 0;
const now = () => Date.now() + ahead;

try {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;
} catch { /* the server's zone will do */ }

function left(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [days, hours] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24];
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${two(minutes)} m`;
  if (minutes >= 10) return `${minutes} m`;
  return minutes ? `${minutes} m ${two(rest)} s` : `${rest} s`;
}

// The footer's clock, in the zone in which the page was written.
function clockText(element) {
  const form = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  try {
    return new Intl.DateTimeFormat("en-GB", { ...form, timeZone: element.dataset.clock }).format(now());
  } catch { // a zone that this browser does not know
    return element.textContent;
  }
}

function tick() {
  if (document.hidden) return;
  for (const element of all("[data-clock]")) {
    const text = clockText(element);
    if (element.textContent !== text) element.textContent = text;
  }
  for (const element of all("[data-until]")) {
    const seconds = (Date.parse(element.dataset.until) - now()) / 1000;
    const text = seconds > 0 ? `${left(seconds)} left` : "has ended";
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("soon", seconds < Number(element.dataset.soon));
    if (seconds <= 0 && !element.dataset.ended) {
      element.dataset.ended = "true";
      refresh(element.closest("[data-hx-get]"));
    }
  }
  for (const arc of all("[data-ends]")) {
    const [since, ends] = [Date.parse(arc.dataset.since), Date.parse(arc.dataset.ends)];
    const percent = Math.max(0, Math.min(100, Math.round((100 * (ends - now())) / (ends - since))));
    arc.setAttribute("stroke-dasharray", `${percent} 100`);
  }
}
setInterval(tick, 1000);

/* ---------------------------------------------------------------------------------------------------------- polling */

function refresh(element) {
  element?.dispatchEvent(new Event("refresh"));
}

// Nothing moves under the reader's hands: not while they choose, type, or have a menu open. A hidden tab asks nothing,
// unless somebody waits for what it will say.
function isBusy(element) {
  const typing = document.activeElement?.closest("input:not([type=checkbox]), textarea, select");
  return (document.hidden && !isAwaited) || page.querySelector(".pick :checked, .menu[open], .decide[open]") || element.contains(typing);
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (requestConfig.verb === "get" && elt.dataset.hxGet && isBusy(elt)) event.preventDefault();
});

// What is shown has a mark: while nothing has changed the server says so in a few bytes, and nothing moves here.
document.addEventListener("htmx:configRequest", (event) => {
  const { elt, headers } = event.detail;
  if (elt.dataset.etag) headers["If-None-Match"] = `W/"${elt.dataset.etag}"`;
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (xhr.status === 304) {
    event.detail.shouldSwap = false;
    const time = requestConfig.elt.querySelector(".live time");
    if (time) time.textContent = xhr.getResponseHeader("As-Of");
    return;
  }
  const asked = new URL(requestConfig.path, location.href);
  const answered = new URL(xhr.responseURL || asked, location.href);
  if (answered.pathname !== asked.pathname) {
    event.detail.shouldSwap = false; // signed out meanwhile: that page, whole, and not a piece of it in here
    location.reload();
  }
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    tick();
    all("[data-hx-get]").forEach(refresh);
  }
});

/* -------------------------------------------------------------------------------------------------- when it is free */

// Asked for with a switch on the page of a file that another has; a refusal's page leads there with #when-free. What is said
// is said in the live region and in the tab's title, and taken back if somebody else was faster.
const itsTitle = document.title;
let isAwaited = location.hash === "#when-free";
let isTold = false;

function tellWhenFree() {
  const state = document.getElementById("state");
  const words = document.getElementById("free-now");
  if (!state || !words) return;
  const isFree = ["free", "lapsed"].includes(state.dataset.state);
  const outcome = document.getElementById("outcome");
  if (isFree && isAwaited && !isTold) {
    isTold = true;
    document.title = `Free now: ${itsTitle}`;
    outcome.replaceChildren(words.content.cloneNode(true));
  } else if (!isFree && isTold) {
    isTold = false;
    document.title = itsTitle;
    outcome.replaceChildren();
  }
  if (isTold && !document.hidden) isAwaited = false;
  document.getElementById("tell")?.setAttribute("aria-pressed", isAwaited);
  for (const part of all("[data-told]", state)) part.hidden = !isAwaited;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#tell")) return;
  isAwaited = !isAwaited;
  tellWhenFree();
});
document.addEventListener("visibilitychange", tellWhenFree);

// What an act came to was said of the card as it stood. Once that says something else, “yours until” has ended, and of what
// was committed only its second line, who has it now, is no longer so.
const stateShown = () => document.getElementById("state-heading")?.textContent;
const stateActed = stateShown();

function forgetOutcome() {
  if (isTold || !stateActed || stateShown() === stateActed) return;
  for (const gone of all("#outcome .is-mine, #outcome .is-free .soft")) gone.remove();
}

// Whoever stood on a part of the card, or on a button beside it, that is gone stands on its heading, and not at the top of the page.
let wasInState = false;
document.addEventListener("htmx:beforeSwap", () => {
  wasInState = Boolean(document.activeElement?.closest("#state, #more, #download"));
});
document.addEventListener("htmx:afterSettle", () => {
  unveil();
  forgetOutcome();
  tellWhenFree();
  if (wasInState && document.activeElement === document.body) document.getElementById("state-heading")?.focus();
  wasInState = false;
});

/* ------------------------------------------------------------------------------------------------------------- keys */

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing) {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
  if (event.key === "Escape") {
    all("details.menu[open]").forEach((menu) => {
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    delete document.body.dataset.dragging;
    if (["#drop", "#check-ins"].includes(location.hash)) location.hash = "main";
    if (typing?.type === "search") typing.blur();
  }
});

document.addEventListener("click", (event) => {
  all("details.menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

/* ------------------------------------------------------------------------------------------------------------ forms */

// A second click while the first is under way does nothing. The button must still be sent, so it is turned off after.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.defaultPrevented || event.target.method !== "post" || !button) return;
  setTimeout(() => { button.disabled = true; });
  setTimeout(() => { button.disabled = false; }, 5000);
});
window.addEventListener("pageshow", () => all("button[disabled][type=submit]").forEach((button) => {
  if (!button.hasAttribute("data-off")) button.disabled = false;
}));

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let unit = -1;
  do {
    bytes /= 1000;
    unit += 1;
  } while (bytes >= 999.5 && unit < units.length - 1);
  return `${bytes.toFixed(unit === 0 || bytes >= 99.95 ? 0 : 1)} ${units[unit]}`;
}

const BROKEN = {
  title: "The connection broke.",
  detail: "Nothing was changed. If you have saved the file since you chose it, choose it again.",
  mayRetry: true,
};

/* Send a form with its file. `watch(done, whole, bytesPerSecond)` is called as it goes. Resolves with what the server
   answers; rejects with {title, detail, next?, mayRetry}. `sending.abort` ends it. */
function send(address, form, watch, sending = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const began = performance.now();
    sending.abort = () => request.abort();
    request.open("POST", address);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      watch(event.loaded, event.total, event.loaded / Math.max(0.001, (performance.now() - began) / 1000));
    });
    request.addEventListener("load", () => {
      const answer = request.response;
      if (request.status < 300 && answer?.url) resolve(answer);
      else if (answer?.title) reject({ ...answer, mayRetry: request.status >= 500 });
      else if (request.status === 200 && request.responseURL.includes("/sign-in/")) location.reload();
      else reject({ title: "The server did not answer as it should.", detail: "Try again.", mayRetry: true });
    });
    request.addEventListener("error", () => reject(BROKEN));
    request.addEventListener("abort", () => reject({ title: "Stopped.", detail: "Nothing was changed.", mayRetry: true }));
    request.send(form);
  });
}

function progressText(done, whole, speed) {
  const rest = (whole - done) / speed;
  const time = done < whole ? ` · about ${left(rest)} left` : " · being checked and stored";
  return `${Math.floor((100 * done) / Math.max(1, whole))} % · ${size(speed)}/s${time}`;
}

/* --------------------------------------------------------------------------------------------------------- check-in */

const HASHED_AT_MOST = 256 * 1024 * 1024;
let chosen = null; // {file, digest}: what the foretold outcome is about

async function digestOf(file) {
  if (!window.crypto?.subtle || file.size > HASHED_AT_MOST) return "";
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return `sha256:${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// As the server compares them: without regard to case.
function ending(name) {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot).normalize("NFC").toLowerCase() : "";
}

// Which of the page's predictions fits the chosen file: the server has written them all.
function foretell() {
  const form = document.querySelector("[data-check-in]");
  if (!form) return;
  const foretold = form.querySelector("#foretold");
  const outcome = !chosen ? "new" : chosen.digest && chosen.digest === foretold.dataset.head ? "same" : "new";
  for (const notice of all("[data-foretells]", foretold)) {
    notice.hidden = notice.dataset.foretells !== outcome;
    if (!notice.hidden) form.querySelector("[data-button]").textContent = notice.dataset.says; // says what the notice says
  }
  const verdict = outcome === "new" ? foretold.dataset.verdict : outcome;
  for (const words of all("[data-comes-to]", form)) words.hidden = words.dataset.comesTo !== verdict;
  form.querySelector("[data-keep]").hidden = foretold.dataset.verdict === "proposed"; // a proposal leaves nothing to go on from
  const name = chosen ? chosen.file.name.normalize("NFC") : "";
  const isOther = chosen !== null && ending(name) !== ending(form.dataset.name);
  for (const element of all("[data-its-name]", form)) element.textContent = name;
  form.querySelector("[data-other-name]").hidden = !chosen || isOther || name === form.dataset.name;
  const other = form.querySelector("[data-other-kind]");
  other.hidden = !isOther;
  other.querySelector("input").required = isOther;
  const empty = form.querySelector("[data-empty]");
  empty.hidden = !(chosen && chosen.file.size === 0);
  empty.querySelector("input").required = !empty.hidden;
  const beside = form.querySelector("[data-beside]");
  beside.hidden = !chosen;
  if (!chosen) return;
  const { file, digest } = chosen;
  beside.querySelector("[data-name]").textContent = `New, ${file.name}`;
  beside.querySelector("[data-size]").textContent = size(file.size);
  const wait = file.size > HASHED_AT_MOST || !window.crypto?.subtle ? "compared by the server at the end" : "comparing…";
  beside.querySelector("[data-digest]").textContent = digest ? `${digest.slice(0, 15)}…${digest.slice(-4)}` : wait;
}

async function choose(file) {
  chosen = file ? { file, digest: "" } : null;
  foretell();
  if (!file) return;
  const digest = await digestOf(file).catch(() => "");
  if (chosen?.file === file) {
    chosen.digest = digest;
    foretell();
  }
}

async function checkIn(form) {
  const bar = form.querySelector("[data-progress]");
  const failure = form.querySelector("[data-failure]");
  const buttons = all("button", form);
  failure.hidden = true;
  bar.hidden = false;
  buttons.forEach((button) => { button.disabled = true; });
  try {
    const answer = await send(form.action, new FormData(form), (done, whole, speed) => {
      bar.querySelector("progress").value = (100 * done) / whole;
      bar.querySelector("[data-text]").textContent = progressText(done, whole, speed);
    });
    location.assign(answer.url);
  } catch (refusal) {
    bar.hidden = true;
    failure.hidden = false;
    failure.querySelector("b").textContent = refusal.title;
    failure.querySelector(".soft").textContent = refusal.detail;
    failure.querySelector("[data-retry]").hidden = !refusal.mayRetry;
    buttons.forEach((button) => { button.disabled = false; });
  }
}

// A file that is chosen again after it was saved is another file: forgotten first, it counts as a change.
document.addEventListener("click", (event) => {
  if (event.target.matches("[data-check-in] input[type=file]")) {
    event.target.value = "";
    choose(null);
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-check-in] input[type=file]")) choose(event.target.files[0] || null);
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-check-in]");
  if (!form) return;
  event.preventDefault();
  checkIn(form);
});
document.addEventListener("htmx:afterSettle", foretell);

// The form belongs to one check-out. When that began or ended elsewhere, in another tab say, the page is asked for anew;
// not while there is something in the form that would be lost.
document.addEventListener("htmx:afterSettle", () => {
  const [state, form] = [document.getElementById("state"), document.getElementById("check-in")];
  if (!state || state.dataset.record === (form?.dataset.record || "")) return;
  if (!chosen && !form?.querySelector("textarea").value) location.reload();
});

/* ----------------------------------------------------------------------------------------------------- adding files */

const waiting = [];
let isAdding = false;

// `form` says what becomes of them: new files, or, with data-check-ins, the next versions of what one has out.
function addAll(form, items) {
  const card = document.querySelector("[data-uploads]");
  card.hidden = false;
  card.querySelector("h2").textContent = "checkIns" in form.dataset ? card.dataset.checkingIn : card.dataset.adding;
  for (const { file, path } of items) {
    const row = card.querySelector("template").content.firstElementChild.cloneNode(true);
    row.querySelector("[data-name]").textContent = path;
    row.querySelector("[data-size]").textContent = size(file.size);
    card.querySelector("ul").append(row);
    const job = { form, file, path, row, sending: {} };
    row.querySelector("[data-retry]").addEventListener("click", () => { waiting.push(job); addNext(); });
    row.querySelector("[data-anyway]").addEventListener("click", () => { job.isMeant = true; waiting.push(job); addNext(); });
    row.querySelector("[data-stop]").addEventListener("click", () => job.sending.abort?.());
    waiting.push(job);
  }
  if (["#drop", "#check-ins"].includes(location.hash)) location.hash = "main";
  card.scrollIntoView({ block: "nearest" });
  addNext();
}

async function addNext() {
  if (isAdding || !waiting.length) return;
  isAdding = true;
  const job = waiting.shift();
  const part = (name) => job.row.querySelector(`[data-${name}]`);
  const goOn = () => {
    part("stop").hidden = part("bar").hidden = true;
    isAdding = false;
    if (waiting.length) addNext();
    else refresh(document.getElementById("files") || document.getElementById("desk"));
  };
  job.row.className = "";
  part("retry").hidden = part("open").hidden = part("anyway").hidden = true;
  if (job.file.size === 0 && !job.isMeant && !("checkIns" in job.form.dataset)) {
    job.row.className = "is-stale";
    part("note").textContent = "It is empty (0 bytes), and was not added.";
    part("anyway").hidden = false;
    goOn();
    return;
  }
  part("stop").hidden = part("bar").hidden = false;
  const body = new FormData(job.form);
  body.delete("file");
  body.set("path", job.path);
  const isCheckIn = "checkIns" in job.form.dataset;
  if (job.isMeant) body.set("empty", "on");
  body.append("file", job.file, job.file.name);
  try {
    const answer = await send(job.form.action, body, (done, whole, speed) => {
      part("bar").value = (100 * done) / whole;
      part("note").textContent = progressText(done, whole, speed);
    }, job.sending);
    job.row.className = answer.role || "is-free";
    part("note").textContent = isCheckIn ? answer.title : "Added";
    part("open").href = answer.url;
    part("open").hidden = false;
  } catch (refusal) {
    job.row.className = refusal.mayRetry ? "is-danger" : "is-person";
    part("note").textContent = `${refusal.title.replace(/\.$/, "")}: ${refusal.detail}`;
    part("retry").hidden = !refusal.mayRetry;
    if (refusal.next) {
      part("open").textContent = refusal.next.label;
      part("open").href = refusal.next.url;
      part("open").hidden = false;
    }
  }
  goOn();
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-add]");
  if (!form) return;
  event.preventDefault();
  addAll(form, [...form.elements.file.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
  form.reset();
});

/* --------------------------------------------------------------------------------------------------------- the drop */

// A folder comes with everything in it, at its own paths.
async function filesIn(entry, folder = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: folder + entry.name }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return found;
    for (const inner of entries) found.push(...await filesIn(inner, `${folder}${entry.name}/`));
  }
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map((entry) => filesIn(entry)))).flat();
}

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
let depth = 0; // dragenter and dragleave come for every element on the way

document.addEventListener("dragenter", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  depth += 1;
  document.body.dataset.dragging = "true";
  document.querySelector("[data-check-in] .drop")?.classList.add("is-over");
});
document.addEventListener("dragleave", (event) => {
  if (carriesFiles(event) && (depth -= 1) <= 0) dropEnds();
});
document.addEventListener("dragover", (event) => {
  if (carriesFiles(event)) event.preventDefault();
});
document.addEventListener("drop", async (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault(); // never let the browser leave the page for the file
  dropEnds();
  const input = document.querySelector("[data-check-in] input[type=file]");
  const form = document.querySelector("[data-add]");
  const zones = all("[data-check-in-zone]");
  const zone = zones.find((one) => one.contains(event.target)) || (form ? null : zones[0]);
  if (zone) {
    addAll(zone.querySelector("form"), await dropped(event.dataTransfer));
  } else if (input && event.dataTransfer.files.length === 1) {
    input.files = event.dataTransfer.files;
    choose(input.files[0]);
  } else if (form) {
    addAll(form, await dropped(event.dataTransfer));
  }
});

function dropEnds() {
  depth = 0;
  delete document.body.dataset.dragging;
  all(".is-over").forEach((element) => element.classList.remove("is-over"));
}

// What only the script can do is hidden until it is here.
function unveil() {
  all("[data-with-script]").forEach((element) => { element.hidden = false; });
}
unveil();
tellWhenFree();
all("[data-add] input[type=file]").forEach((input) => { input.multiple = true; });
foretell();
