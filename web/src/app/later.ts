import { lazy } from "react";

// What the first view does not need is one file, which every page loads right after it.
const load = () => import("./not-at-first");

export const Account = lazy(async () => ({ default: (await load()).Account }));
export const Footer = lazy(async () => ({ default: (await load()).Footer }));
export const Menu = lazy(async () => ({ default: (await load()).Menu }));
export const Toaster = lazy(async () => ({ default: (await load()).Toaster }));
