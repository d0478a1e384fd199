/**
 * Copies a text that is still on its way; false when the browser does not allow it. Call it within the press itself:
 * phones allow copying only then.
 */
export async function copyText(text: Promise<string>): Promise<boolean> {
  try {
    if (typeof ClipboardItem === "function" && typeof navigator.clipboard?.write === "function") {
      const plain = text.then((words) => new Blob([words], { type: "text/plain" }));
      // Not every browser waits for a text that never comes.
      plain.catch(() => undefined);
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
    return true;
  } catch {
    // Fails here with the cause when there is no text at all.
    await text;
    return false;
  }
}
