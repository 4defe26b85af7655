/* The overlay with the drop zones. A link to #drop or #check-ins opens it; another hash closes it. */

export function closeOverlay() {
  if (["#drop", "#check-ins"].includes(location.hash)) location.hash = "main";
}
