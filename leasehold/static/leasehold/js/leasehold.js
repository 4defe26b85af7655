/* Leasehold's scripts: one module for each behaviour. Every page works without them. With them, times count down, lists
   keep themselves up to date, and uploads show their progress. The order is that of the event listeners. */

import "./time-zone.js";
import "./countdown.js";
import "./refresh.js";
import "./focus.js";
import "./keyboard.js";
import "./submit-once.js";
import "./script-only.js";
import "./when-free.js";
import "./check-in.js";
import "./upload-forms.js";
import "./drop-zone.js";
import "./selection.js";
import "./thumbnails.js";
import "./shortcuts.js";
import "./after-refresh.js";
