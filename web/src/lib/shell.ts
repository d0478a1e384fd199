import { createContext, useContext } from "react";

/**
 * Whether this is the first render of a page that the HTML already shows: its shell, without data and without the
 * session. The build makes the shells (`app/shells.tsx`), the server fills in the camp, and the browser takes them
 * over.
 */
export const ShellContext = createContext(false);
export const useIsShell = () => useContext(ShellContext);
