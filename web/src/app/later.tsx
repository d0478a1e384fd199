import { lazy, useState, type ComponentType } from "react";

type Parts = typeof import("./not-at-first");

let here: Parts | undefined;

// What the first view does not need is one file, which every page loads right after it.
const fetch = async () => (here ??= await import("./not-at-first"));

/** A part of that file; once it is loaded, the part renders without a delay. */
function later<Props extends object>(part: (parts: Parts) => ComponentType<Props>) {
  const Later = lazy(async () => ({ default: part(await fetch()) }));
  return function Part(props: Props) {
    const [Here] = useState(() => (here ? part(here) : Later));
    return <Here {...props} />;
  };
}

export const Account = later((parts) => parts.Account);
export const Footer = later((parts) => parts.Footer);
export const Menu = later((parts) => parts.Menu);
export const Toaster = later((parts) => parts.Toaster);
