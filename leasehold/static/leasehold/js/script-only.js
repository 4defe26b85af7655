/* Parts that work only with scripts are hidden in the HTML. This shows them, also after a refresh. */

import { all } from "./dom.js";

export function showScriptOnlyParts() {
  for (const element of all("[data-with-script]")) element.hidden = false;
}

showScriptOnlyParts();
for (const input of all("[data-add] input[type=file]")) input.multiple = true;
