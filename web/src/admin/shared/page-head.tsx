import type { ReactNode } from "react";
import { PageMeta } from "../../lib/page";
import { cx } from "../../ui/class-names";

type Props = {
  title: string;
  /** What the page is for, also used as its description. */
  description: string;
  /** Shown below the title instead of the description. Null shows nothing. */
  text?: ReactNode;
  className?: string;
  children?: ReactNode;
};

/** The title of a page, what the page is for, and its main actions. */
export const PageHead = ({
  title,
  description,
  text = description,
  className = "flex-wrap items-end gap-x-8 gap-y-4",
  children,
}: Props) => (
  <>
    <PageMeta title={title} description={description} />
    <div className={cx("mb-6 flex justify-between", className)}>
      <div>
        <h1 className="text-2xl">{title}</h1>
        {text && <p className="mt-1 text-muted">{text}</p>}
      </div>
      {children}
    </div>
  </>
);
