import { useCallback } from "react";

/** The captions of this moment, each in the direction of its own script. */
export function CaptionTexts({ texts, language }: { texts: readonly DocumentFragment[]; language: string }) {
  if (texts.length === 0) return null;
  return (
    <div className="vp-captions" lang={language}>
      {texts.map((text, at) => (
        <CaptionText key={at} text={text} />
      ))}
    </div>
  );
}

function CaptionText({ text }: { text: DocumentFragment }) {
  // The browser has parsed the caption: bold and italics are elements, and everything else is text.
  const show = useCallback((element: HTMLElement | null) => element?.replaceChildren(text.cloneNode(true)), [text]);
  return (
    <p dir="auto">
      <span ref={show} />
    </p>
  );
}
