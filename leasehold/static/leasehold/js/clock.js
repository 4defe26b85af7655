/* The server's clock. This machine's clock may be wrong, so the page carries the time at which it was rendered. */

import { page } from "./dom.js";

const offset = page.dataset.now ? Date.parse(page.dataset.now) - Date.now() : 0;

// Milliseconds since 1970, by the server's clock.
export const now = () => Date.now() + offset;
