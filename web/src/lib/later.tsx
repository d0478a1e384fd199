import { lazy, Suspense, useEffect, useState, type ComponentType } from "react";
import { whenIdle } from "./idle";

/** Parts of a page that its first view does without, in a file of their own. */
export function laterParts<Parts>(load: () => Promise<Parts>) {
  let here: Parts | undefined;
  const fetch = async () => (here ??= await load());

  /** One of them; once the file is loaded, it renders without a delay. */
  function part<Props extends object>(pick: (parts: Parts) => ComponentType<Props>) {
    const Later = lazy(async () => ({ default: pick(await fetch()) }));
    return function Part(props: Props) {
      const [Here] = useState(() => (here ? pick(here) : Later));
      return <Here {...props} />;
    };
  }

  /** The same for what opens above the page: nothing waits for it. */
  function dialog<Props extends object>(pick: (parts: Parts) => ComponentType<Props>) {
    const Part = part(pick);
    return (props: Props) => (
      <Suspense>
        <Part {...props} />
      </Suspense>
    );
  }

  /** Loads the file once the page is drawn, so that a press waits for nothing. A part that cannot be loaded says so itself. */
  const useSoon = () => useEffect(() => whenIdle(() => void fetch().catch(() => undefined)), []);

  return { part, dialog, useSoon };
}
