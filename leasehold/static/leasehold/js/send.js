/* Sends a form with its file, and reports the progress of the upload. */

const BROKEN = {
  title: "The connection broke.",
  detail: "Nothing was changed. If you have saved the file since you chose it, choose it again.",
  mayRetry: true,
};
const STOPPED = { title: "Stopped.", detail: "Nothing was changed.", mayRetry: true };
const STRANGE = { title: "The server did not answer as it should.", detail: "Try again.", mayRetry: true };

/* Calls `onProgress(done, total, bytesPerSecond)` during the upload. Resolves with the server's JSON, which has a
   `url`; rejects with {title, detail, next?, mayRetry}. Sets `control.abort`, a function that stops the upload. */
export function send(address, form, onProgress, control = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const began = performance.now();
    control.abort = () => request.abort();
    request.open("POST", address);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      const seconds = Math.max(0.001, (performance.now() - began) / 1000);
      onProgress(event.loaded, event.total, event.loaded / seconds);
    });
    request.addEventListener("load", () => {
      const answer = request.response;
      if (request.status < 300 && answer?.url) resolve(answer);
      else if (answer?.title) reject({ ...answer, mayRetry: request.status >= 500 });
      else if (request.status === 200 && request.responseURL.includes("/sign-in/")) location.reload();
      else reject(STRANGE);
    });
    request.addEventListener("error", () => reject(BROKEN));
    request.addEventListener("abort", () => reject(STOPPED));
    request.send(form);
  });
}
