import type { ReactNode } from "react";

/** The filters beside or below the search box. On a phone they are one line that scrolls sideways. */
export const FilterRow = ({ children }: { children: ReactNode }) => (
  <div className="filter-row sm:contents">{children}</div>
);
