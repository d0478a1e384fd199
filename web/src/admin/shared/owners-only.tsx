import type { ReactNode } from "react";
import { PageMeta } from "../../lib/page";
import { EmptyState } from "../../ui/states";
import { useStaff } from "./session";

type Props = { title: string; subtitle: string; children: ReactNode };

/** A page that is an owner's business; the server refuses everybody else by itself. */
export function OwnersOnly({ title, subtitle, children }: Props) {
  const staff = useStaff();
  return (
    <>
      <PageMeta title={title} description={subtitle} />
      {staff?.role === "staff" ? (
        <>
          <h1 className="mb-6 text-2xl">{title}</h1>
          <EmptyState title="Only owners can see this page" text="Ask an owner of the portal if you need something from here." />
        </>
      ) : (
        children
      )}
    </>
  );
}
