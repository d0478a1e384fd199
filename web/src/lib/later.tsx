import { lazy, useState, type ComponentType } from "react";

/** Puts parts of a page that its first view does not need into a separate file. */
export function laterParts<Parts>(load: () => Promise<Parts>) {
  let here: Parts | undefined;
  const fetch = async () => (here ??= await load());

  /** One of these parts. Once the file is loaded, it renders without delay. */
  function part<Props extends object>(pick: (parts: Parts) => ComponentType<Props>) {
    const Later = lazy(async () => ({ default: pick(await fetch()) }));
    return function Part(props: Props) {
      const [Here] = useState(() => (here ? pick(here) : Later));
      return <Here {...props} />;
    };
  }

  return { fetch, part };
}
