import type { ReactNode } from "react";
import { cx } from "./class-names";
import { Icon, type IconName } from "./icon";

const tones = {
  plain: "border border-line bg-bone text-muted",
  new: "bg-amber text-on-amber",
  good: "bg-good-wash text-good",
  due: "bg-due-wash text-due",
  info: "bg-lake-wash text-lake",
  bad: "bg-clay-wash text-clay",
  dark: "bg-player/86 text-on-player",
};

export type BadgeTone = keyof typeof tones;

type Props = { tone?: BadgeTone; icon?: IconName; className?: string; children: ReactNode };

/** A badge always has a word, which its color only repeats. Status colors do not follow the camp's palette. */
export function Badge({ tone = "plain", icon, className, children }: Props) {
  return (
    <span
      className={cx(
        "inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 w-max max-w-full shrink-0 text-xs font-medium tabular-nums forced-colors:border",
        tones[tone],
        className,
      )}
    >
      {icon && <Icon name={icon} className="size-[1em] stroke-[2.2]" />}
      {children}
    </span>
  );
}
