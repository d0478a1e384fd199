import { cx } from "./class-names";

const tones = { pine: "bg-pine", lake: "bg-lake", amber: "bg-amber", clay: "bg-clay" };

type Props = { label: string; percent: number; tone?: keyof typeof tones; className?: string };

export function ProgressBar({ label, percent, tone = "pine", className }: Props) {
  const shown = Math.max(0, Math.min(100, percent));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.floor(shown)}
      aria-valuemin={0}
      aria-valuemax={100}
      className={cx("h-2 overflow-hidden rounded-full bg-line forced-colors:border", className)}
    >
      <div
        className={cx("h-full rounded-full forced-colors:bg-[Highlight]", tones[tone])}
        style={{ inlineSize: `${shown}%` }}
      />
    </div>
  );
}
