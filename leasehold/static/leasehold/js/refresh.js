/* Parts of the page that keep themselves up to date: htmx requests them every few seconds, and replaces them. */

import { all, page } from "./dom.js";
import { isFreeAwaited } from "./when-free.js";

const IN_USE = ".pick :checked, .menu[open], .decide[open]";

export function refresh(element) {
  element?.dispatchEvent(new Event("refresh"));
}

// Nothing is replaced while the reader selects, types or has a menu open. A hidden tab sends no requests, unless the
// reader waits for the file to be free.
function isBusy(element) {
  const typing = document.activeElement?.closest("input:not([type=checkbox]), textarea, select");
  return (document.hidden && !isFreeAwaited()) || page.querySelector(IN_USE) || element.contains(typing);
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (requestConfig.verb === "get" && elt.dataset.hxGet && isBusy(elt)) event.preventDefault();
});

// The part carries an ETag. While it has not changed, the server answers 304 in a few bytes.
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
  const requested = new URL(requestConfig.path, location.href);
  const answered = new URL(xhr.responseURL || requested, location.href);
  if (answered.pathname !== requested.pathname) {
    event.detail.shouldSwap = false; // signed out: show the whole sign-in page, not a piece of it in here
    location.reload();
  }
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) all("[data-hx-get]").forEach(refresh);
});
