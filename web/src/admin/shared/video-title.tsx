import { directionOf } from "../../ui/direction";
import { splitScripts } from "../../ui/two-scripts";

/** A title in a dense list, with its two scripts side by side. */
export function VideoTitle({ children }: { children: string }) {
  const [first, yiddish] = splitScripts(children);
  return (
    <>
      <bdi dir={directionOf(first)} className={yiddish ? "me-1.5 inline-block max-w-full align-top" : undefined}>
        {first}
      </bdi>
      {yiddish && (
        <>
          {" "}
          {/* Keeps the phrase together where possible. */}
          <span className="inline-block">
            <bdi lang="yi" dir="rtl" className="text-[0.95em] text-muted">
              {yiddish}
            </bdi>
          </span>
        </>
      )}
    </>
  );
}
