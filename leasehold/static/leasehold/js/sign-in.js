/* The scripts of the sign-in page, which has no session and loads no htmx. */

import "./time-zone.js";
import "./submit-once.js";
import "./drop-zone.js";
