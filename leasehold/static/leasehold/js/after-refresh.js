/* What follows each refresh, in this order. The message is compared before an announcement replaces it. */

import { reloadIfCheckoutChanged } from "./check-in.js";
import { restoreFocus } from "./focus.js";
import { removeOutdatedMessage } from "./outdated-message.js";
import { showPrediction } from "./prediction.js";
import { showScriptOnlyParts } from "./script-only.js";
import { showSelectAll } from "./selection.js";
import { announceWhenFree } from "./when-free.js";

document.addEventListener("htmx:afterSettle", () => {
  showScriptOnlyParts();
  removeOutdatedMessage();
  announceWhenFree();
  restoreFocus();
  showPrediction();
  reloadIfCheckoutChanged();
  showSelectAll();
});
