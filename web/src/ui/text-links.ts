/** A piece of text. If it has a `url`, it is a web address. */
type TextPart = { text: string; url?: string };

const scheme = /https?:\/\/[^\s<>"“”„«»]+/gi;
const openings: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

/**
 * Finds the web addresses in a text. Only for texts that staff wrote, because strangers must not place links in the
 * camp's pages. `core/src/text_links.rs` has the same rules for email.
 */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain = 0;
  scheme.lastIndex = 0;
  for (let found = scheme.exec(text); found; found = scheme.exec(text)) {
    const start = found.index;
    const typed = withoutPunctuation(found[0]);
    const url = address(text.slice(0, start), typed);
    if (url === null) {
      scheme.lastIndex = start + 1;
      continue;
    }
    if (plain < start) parts.push({ text: text.slice(plain, start) });
    parts.push({ text: typed, url });
    plain = scheme.lastIndex = start + typed.length;
  }
  if (plain < text.length) parts.push({ text: text.slice(plain) });
  return parts;
}

/** Removes the punctuation of the surrounding sentence from a web address. */
function withoutPunctuation(typed: string) {
  let kept = typed;
  for (;;) {
    const last = kept.at(-1) ?? "";
    const opening = openings[last];
    const belongs = opening ? kept.split(opening).length >= kept.split(last).length : !".,;:!?…'’*_׳״".includes(last);
    if (belongs || kept === "") return kept;
    kept = kept.slice(0, -1);
  }
}

/** A username before the host could imitate another site, so such an address stays plain text. */
function address(before: string, typed: string) {
  if (/[\p{L}\p{N}]$/u.test(before)) return null;
  try {
    const { hostname, username, password, href } = new URL(typed);
    return hostname.includes(".") && !username && !password ? href : null;
  } catch {
    return null;
  }
}
