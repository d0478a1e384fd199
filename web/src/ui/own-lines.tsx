import type { ReactNode } from "react";
import { cx } from "./class-names";
import { directionOf, type Direction } from "./direction";

type Block = { dir: Direction; lines: string[] };

/** Addresses do not count toward the direction of their line. */
const withoutAddresses = (line: string) =>
  line
    .split(/\s+/)
    .filter((word) => !word.includes("@") && !word.includes("://"))
    .join(" ");

/** Groups consecutive lines with the same direction. A line without letters has the direction of the line before. */
function blocksOf(text: string): Block[] {
  const lines = text.split("\n").map((line) => ({ line, own: directionOf(withoutAddresses(line)) }));
  const first: Direction = lines.find(({ own }) => own !== "auto")?.own ?? "auto";
  const blocks: Block[] = [];
  for (const { line, own } of lines) {
    const last = blocks.at(-1);
    const dir: Direction = own === "auto" ? (last?.dir ?? first) : own;
    if (last?.dir === dir) last.lines.push(line);
    else blocks.push({ dir, lines: [line] });
  }
  return blocks;
}

/** The line break at the end of a block is not shown, so an empty last line needs a second one. */
const joined = ({ lines }: Block) => lines.join("\n") + (lines.length > 1 && lines.at(-1) === "" ? "\n" : "");

type Props = { text: string; className?: string; children?: (text: string) => ReactNode };

/** A typed text in which each line has the direction of most of its letters, as in emails. */
export const OwnLines = ({ text, className, children }: Props) =>
  blocksOf(text).map((block, i) => (
    <span key={i} dir={block.dir} className={cx("me-auto block whitespace-pre-line", className)}>
      {children ? children(joined(block)) : joined(block)}
    </span>
  ));
