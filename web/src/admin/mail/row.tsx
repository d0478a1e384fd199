import { Loading, Skeleton } from "../../ui/states";

/** Why an email did not arrive, in the mail server's words. */
export const Reason = ({ text }: { text: string | null | undefined }) => (
  <p className="mt-0.5 text-sm wrap-anywhere text-clay first-letter:uppercase">
    {text ? <bdi>{text}</bdi> : "The mail server gave no reason."}
  </p>
);

export const MailSkeleton = ({ label }: { label: string }) => (
  <Loading label={label} className="sheet overflow-clip">
    {Array.from({ length: 5 }, (_, i) => (
      <div key={i} className="grid gap-2.5 border-line p-4 not-first:border-t">
        <Skeleton className="h-5 w-2/5" />
        <Skeleton className="w-3/5" />
      </div>
    ))}
  </Loading>
);
