import { directionOf } from "./direction";
import { splitScripts } from "./two-scripts";

/** A title within a sentence. As everywhere, it has the direction of most of its letters, not of the first one. */
export function InlineTitle({ children }: { children: string }) {
  const [first, yiddish] = splitScripts(children);
  return (
    <>
      <bdi dir={directionOf(first)}>{first}</bdi>
      {yiddish && (
        <>
          {" · "}
          <bdi lang="yi" dir="rtl">
            {yiddish}
          </bdi>
        </>
      )}
    </>
  );
}
