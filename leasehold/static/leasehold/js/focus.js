/* Keeps the focus near the state card. If the focused element disappears with a refresh, the focus moves to the card's
   heading, not to the top of the page. */

let wasInCard = false;

document.addEventListener("htmx:beforeSwap", () => {
  wasInCard = Boolean(document.activeElement?.closest("#state, #more, #download"));
});

export function restoreFocus() {
  if (wasInCard && document.activeElement === document.body) document.getElementById("state-heading")?.focus();
  wasInCard = false;
}
