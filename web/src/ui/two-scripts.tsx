import { cx } from "./class-names";
import { directionOf } from "./direction";

const hebrew = /[\u0590-\u05ff\ufb1d-\ufb4f]/;

/** Splits "Color War · קאלער וואר" into its two parts. A title in one script stays whole. */
export function splitScripts(title: string): [string, string | null] {
  const at = title.lastIndexOf(" · ");
  if (at < 1) return [title, null];
  const [first, second] = [title.slice(0, at), title.slice(at + 3).trim()];
  return second && hebrew.test(second) && !hebrew.test(first) ? [first, second] : [title, null];
}

/** A title with its Yiddish part at the far end of the line. */
export function TwoScripts({ children, className }: { children: string; className?: string }) {
  const [first, yiddish] = splitScripts(children);
  return (
    <span className={cx("flex flex-wrap items-baseline justify-between gap-x-[1em]", className)}>
      <span
        dir={directionOf(first)}
        className={cx("title-first wrap-anywhere", !yiddish && "grow")}
        lang={hebrew.test(first) ? "yi" : undefined}
      >
        {first}
      </span>
      {yiddish && (
        <>
          {" "}
          {/* The outer element's margin follows the page, not the script. */}
          <span className="ms-auto wrap-anywhere">
            <bdi lang="yi" dir="rtl" className="text-[0.92em] text-muted">
              {yiddish}
            </bdi>
          </span>
        </>
      )}
    </span>
  );
}
