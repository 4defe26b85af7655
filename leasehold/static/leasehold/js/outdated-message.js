/* The message on top describes the state card before the refresh. Once the card says something else, "yours until" is
   over, and so is the second line of a check-in's message, which says who has the file now. */

import { all } from "./dom.js";
import { isFreeAnnounced } from "./when-free.js";

const stateText = () => document.getElementById("state-heading")?.textContent;
const stateAtLoad = stateText();

export function removeOutdatedMessage() {
  if (isFreeAnnounced() || !stateAtLoad || stateText() === stateAtLoad) return;
  for (const outdated of all("#outcome .is-mine, #outcome .is-free .soft")) outdated.remove();
}
