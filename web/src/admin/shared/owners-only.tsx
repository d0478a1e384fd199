import type { ReactNode } from "react";
import { EmptyState } from "../../ui/states";
import { PageHead } from "./page-head";
import { useStaff } from "./session";

type Props = { title: string; description: string; advice?: string; children: ReactNode };

/** Shows a page to owners only. The server checks every call on its own. */
export function OwnersOnly({
  title,
  description,
  advice = "Ask an owner if you need something from here.",
  children,
}: Props) {
  if (useStaff()?.role !== "staff") return children;
  return (
    <>
      <PageHead title={title} description={description} text={null} />
      <EmptyState title="Only owners can see this page" text={advice} />
    </>
  );
}
