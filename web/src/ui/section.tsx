import type { ReactNode } from "react";
import { cx } from "./class-names";

type Props = { id: string; title: string; beside?: ReactNode; className?: string; children: ReactNode };

/**
 * A section of a long page. Links within the page lead to its `id`. A button beside the title has a negative margin, so
 * that the title is as high as in the other sections, also while there is no button.
 */
export const Section = ({ id, title, beside, className, children }: Props) => (
  <section
    id={id}
    tabIndex={-1}
    aria-labelledby={`${id}-title`}
    className={cx("sheet min-w-0 scroll-mt-24 outline-none p-[min(clamp(1.1rem,0.7rem+1.8vw,2rem),5vw)]", className)}
  >
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <h2 id={`${id}-title`} className="min-w-0 text-xl wrap-anywhere">
        {title}
      </h2>
      {beside}
    </div>
    {children}
  </section>
);
