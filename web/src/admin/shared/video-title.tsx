import { splitScripts } from "../../ui/two-scripts";

/** A title in a dense list, with both scripts side by side. */
export function VideoTitle({ children }: { children: string }) {
  const [first, yiddish] = splitScripts(children);
  return (
    <>
      <bdi>{first}</bdi>
      {yiddish && (
        <>
          {" "}
          {/* The outer element's margin follows the page, not the script; the phrase stays together where it can. */}
          <span className="ms-1.5 inline-block">
            <bdi lang="yi" dir="rtl" className="text-[0.95em] text-muted">
              {yiddish}
            </bdi>
          </span>
        </>
      )}
    </>
  );
}
