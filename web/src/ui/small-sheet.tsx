import type { ReactNode } from "react";

/** The layout of a small page with one column. */
export const SmallSheet = ({ title, children }: { title: ReactNode; children: ReactNode }) => (
  <div className="wrap grid justify-items-center pt-8 md:pt-14">
    <div className="sheet grid w-full max-w-[27.5rem] gap-5 p-5 shadow-low sm:p-8">
      <h1 className="text-2xl">{title}</h1>
      {children}
    </div>
  </div>
);
