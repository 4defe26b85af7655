/* Short names for what every module needs of the document. */

export const page = document.documentElement;

export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
