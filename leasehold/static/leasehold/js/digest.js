/* The SHA-256 of a file, computed in the browser so that an unchanged file is recognised before the upload. */

const LARGEST = 256 * 1024 * 1024; // bytes: the whole file is read into memory

export const canDigest = (file) => Boolean(window.crypto?.subtle) && file.size <= LARGEST;

// Resolves with "sha256:…", or with "" for a file that only the server compares.
export async function digestOf(file) {
  if (!canDigest(file)) return "";
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return `sha256:${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
