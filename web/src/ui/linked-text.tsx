import { textParts } from "./text-links";

/** A text by staff, with its web addresses as links. Never use it for texts by strangers. */
export const LinkedText = ({ text }: { text: string }) =>
  textParts(text).map((part, i) =>
    part.url === undefined ? (
      part.text
    ) : (
      <a key={i} href={part.url} dir="ltr" target="_blank" rel="noopener noreferrer" className="link wrap-anywhere">
        {part.text}
      </a>
    ),
  );
