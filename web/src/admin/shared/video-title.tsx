import { directionOf } from "../../ui/direction";
import { splitScripts } from "../../ui/two-scripts";

/** A title in a dense list, with both scripts side by side. */
export function VideoTitle({ children }: { children: string }) {
  const [first, yiddish] = splitScripts(children);
  return (
    <>
      <bdi dir={directionOf(first)} className={yiddish ? "me-1.5" : undefined}>
        {first}
      </bdi>
      {yiddish && (
        <>
          {" "}
          {/* The phrase stays together where it can. */}
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
