import type { ReactNode } from "react";
import { PageMeta } from "../../lib/page";

type Props = { title: string; text: string; children?: ReactNode };

/** What a page is for, and the one thing that is mostly done on it. */
export const PageHead = ({ title, text, children }: Props) => (
  <>
    <PageMeta title={title} description={text} />
    <div className="mb-6 flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
      <div>
        <h1 className="text-2xl">{title}</h1>
        <p className="mt-1 text-muted">{text}</p>
      </div>
      {children}
    </div>
  </>
);
