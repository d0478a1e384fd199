import { useState, type FormEvent } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../api/client";
import { useAction } from "../api/use-action";
import { explain } from "../lib/forms";
import { Link } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button } from "../ui/button";
import { FormMessage, Switch } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { chooseMail, unsubscribe, unsubscribeQuery } from "./queries";
import "../ui/more-icons";

const categories = {
  daily_videos: "daily video emails",
  camp_updates: "camp update emails",
  general: "newsletters from camp",
  digest: "daily emails",
};

/** Works without signing in: the link in the mail identifies the address. */
export default function Unsubscribe() {
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  const preview = useQuery(unsubscribeQuery(token));
  const stop = useAction({ mutationFn: (scope: "category" | "everything") => unsubscribe({ token, scope }) });

  const client = useQueryClient();
  const saved = (choice: Choice) =>
    client.setQueryData(unsubscribeQuery(token).queryKey, (now) => now && { ...now, choice });
  const category = preview.data && categories[preview.data.category];
  const nothing = preview.data && !Object.values(preview.data.choice).includes(true);
  // One email a day contains all kinds of mail, so only "Stop all" stops it.
  const comes = preview.data && preview.data.category !== "digest" && preview.data.choice[preview.data.category];
  return (
    <SmallSheet title={stop.isSuccess ? "Done" : "Stop emails from camp"}>
      <PageMeta title="Unsubscribe" description="Stop emails from camp." />
      {token === "" ? (
        <FormMessage>This link is incomplete. Please open it again from the email.</FormMessage>
      ) : preview.isPending ? (
        <Loading label="Loading" className="grid gap-3">
          <Skeleton className="h-5" />
          <Skeleton className="h-11" />
          <Skeleton className="h-11" />
        </Loading>
      ) : !preview.data ? (
        isApiError(preview.error, "gone") ? (
          <FormMessage>{explain(preview.error)}</FormMessage>
        ) : (
          <ErrorState
            title="We couldn’t check this link"
            error={preview.error}
            retrying={preview.isFetching}
            onRetry={preview.refetch}
          />
        )
      ) : stop.isSuccess ? (
        <p role="status">
          {stop.variables === "everything" ? "No more emails" : `No more ${category}`} will go to{" "}
          <b className="font-medium">{preview.data.email_hint}</b>. You will still get receipts and emails about your
          account.
        </p>
      ) : (
        <>
          <p className="text-muted">
            For <b className="font-medium text-ink">{preview.data.email_hint}</b>:
          </p>
          <FormMessage>{stop.error && explain(stop.error)}</FormMessage>
          {comes ? (
            <Button busy={stop.isPending} onClick={() => stop.mutate("category")}>
              Stop {category}
            </Button>
          ) : preview.data.category === "digest" && !nothing ? (
            <p>The daily email contains everything that is turned on below.</p>
          ) : (
            <p role="status">No {nothing ? "emails from camp" : category} go to this address.</p>
          )}
          {!nothing && (
            <Button look="line" busy={stop.isPending} onClick={() => stop.mutate("everything")}>
              Stop all emails from camp
            </Button>
          )}
          {preview.data.family && <Preferences token={token} saved={preview.data.choice} onSaved={saved} />}
        </>
      )}
      <Link to={paths.home} className="link inline-flex min-h-tap items-center justify-self-start text-sm">
        Return to Home
      </Link>
    </SmallSheet>
  );
}

type Choice = { daily_videos: boolean; camp_updates: boolean; general: boolean };

const kinds = [
  ["daily_videos", "Daily videos"],
  ["camp_updates", "Camp updates"],
  ["general", "Newsletters from camp"],
] as const;

/** The same preferences as on the profile page, for this one address. */
function Preferences({ token, saved, onSaved }: { token: string; saved: Choice; onSaved: (choice: Choice) => void }) {
  const [wanted, setWanted] = useState(saved);
  const save = useAction({
    mutationFn: () => chooseMail({ token, choice: wanted }),
    onSuccess: () => {
      onSaved(wanted);
      toast({
        title: "Preferences Saved! ✅",
        description: "Your notification preferences have been updated successfully.",
      });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }

  return (
    <form onSubmit={submit} aria-labelledby="choose" className="mt-2 grid gap-3 border-t border-line pt-5">
      <h2 id="choose" className="text-xl">
        Or choose which emails you want
      </h2>
      <div>
        {kinds.map(([kind, label]) => (
          <Switch
            key={kind}
            label={label}
            checked={wanted[kind]}
            onChange={({ target }) => setWanted({ ...wanted, [kind]: target.checked })}
            className="border-b border-line py-2"
          />
        ))}
      </div>
      <FormMessage>{save.error && explain(save.error)}</FormMessage>
      <Button type="submit" look="line" busy={save.isPending}>
        {save.isPending ? "Saving..." : "Save Preferences"}
      </Button>
    </form>
  );
}
