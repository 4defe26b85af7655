/* The files in a drop. A folder brings every file in it, with its path in the folder. */

async function filesIn(entry, folder = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: folder + entry.name }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) { // the browser returns a folder's entries in batches, and an empty batch at the end
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return found;
    for (const inner of entries) found.push(...await filesIn(inner, `${folder}${entry.name}/`));
  }
}

// Resolves with [{file, path}].
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map((entry) => filesIn(entry)))).flat();
}
