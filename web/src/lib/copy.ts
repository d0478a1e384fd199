/**
 * Copies a text that may still be loading. Returns false if the browser does not allow it. Call it directly in the
 * click handler, because phones allow copying only there.
 */
export async function copyText(text: Promise<string>): Promise<boolean> {
  try {
    if (typeof ClipboardItem === "function" && typeof navigator.clipboard?.write === "function") {
      const plain = text.then((words) => new Blob([words], { type: "text/plain" }));
      // Not every browser handles a text that fails to arrive.
      plain.catch(() => undefined);
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain })]);
    } else {
      await navigator.clipboard.writeText(await text);
    }
    return true;
  } catch {
    // If there is no text at all, this throws the cause.
    await text;
    return false;
  }
}
