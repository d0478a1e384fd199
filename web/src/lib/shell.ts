import { createContext, useContext } from "react";

/**
 * Whether this is the first render of a page that the HTML shows already: its shell, without data and without who is
 * signed in. The build makes the shells (`app/shells.tsx`), the server fills in the camp, and the browser takes them over.
 */
export const ShellContext = createContext(false);
export const useIsShell = () => useContext(ShellContext);
