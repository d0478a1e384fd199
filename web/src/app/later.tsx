import { laterParts } from "../lib/later";

// Every page loads this right after its first view.
const { part } = laterParts(() => import("./not-at-first"));

export const Account = part((parts) => parts.Account);
export const Footer = part((parts) => parts.Footer);
export const Menu = part((parts) => parts.Menu);
export const Toaster = part((parts) => parts.Toaster);
