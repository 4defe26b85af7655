/* Thumbnails that the server has not rendered yet. It sends a blank image meanwhile, so the browser asks again, for
   about a minute. The file's icon stays visible below the blank image. */

import { all } from "./dom.js";

const BLANK = 2; // pixels: the width of the blank image
const MOST_TRIES = 14;

function askAgain(image) {
  const tries = Number(image.dataset.tries || 0);
  if (image.naturalWidth !== BLANK || tries >= MOST_TRIES) return;
  image.dataset.tries = tries + 1;
  const delay = Math.min(5000, 1000 * 2 ** tries); // milliseconds
  setTimeout(() => { image.src = `${image.src.split("&")[0]}&${tries + 1}`; }, delay);
}

document.addEventListener("load", (event) => {
  if (event.target.matches?.(".mini img")) askAgain(event.target);
}, true); // a load event does not bubble, so it is captured
for (const image of all(".mini img")) if (image.complete) askAgain(image);
