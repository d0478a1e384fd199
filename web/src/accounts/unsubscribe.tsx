import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { explain } from "../lib/forms";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button } from "../ui/button";
import { FormMessage } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { Loading, Skeleton } from "../ui/states";
import { unsubscribe, unsubscribeQuery } from "./queries";

const categories = { daily_videos: "daily video emails", camp_updates: "camp update emails", general: "letters from camp" };

/** Works signed out: the link in the mail says whose it is. */
export default function Unsubscribe() {
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  const preview = useQuery(unsubscribeQuery(token));
  const stop = useMutation({ mutationFn: (scope: "category" | "everything") => unsubscribe({ token, scope }) });

  const category = preview.data && categories[preview.data.category];
  return (
    <SmallSheet title={stop.isSuccess ? "Done" : "Stop emails from camp"}>
      <PageMeta title="Unsubscribe" description="Stop emails from camp." />
      {token === "" ? (
        <FormMessage>This link is not complete. Please open it again from the email.</FormMessage>
      ) : preview.isPending ? (
        <Loading label="Loading" className="grid gap-3"><Skeleton className="h-5" /><Skeleton className="h-11" /><Skeleton className="h-11" /></Loading>
      ) : !preview.data ? (
        <FormMessage>{explain(preview.error)}</FormMessage>
      ) : stop.isSuccess ? (
        <p role="status">
          {stop.variables === "everything" ? "No more emails" : `No more ${category}`} will go to{" "}
          <b className="font-medium">{preview.data.email_hint}</b>. Receipts and messages about your account still come.
        </p>
      ) : (
        <>
          <p className="text-muted">
            For <b className="font-medium text-ink">{preview.data.email_hint}</b>:
          </p>
          <FormMessage>{stop.error && explain(stop.error)}</FormMessage>
          <Button busy={stop.isPending} onClick={() => stop.mutate("category")}>Stop {category}</Button>
          <Button look="line" busy={stop.isPending} onClick={() => stop.mutate("everything")}>Stop all emails from camp</Button>
        </>
      )}
      <Link to={paths.home} className="link inline-flex min-h-tap items-center justify-self-start text-sm">Return to Home</Link>
    </SmallSheet>
  );
}
