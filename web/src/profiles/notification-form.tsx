import { useState, type FormEvent } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAction } from "../api/use-action";
import type { Profile } from "../api/client";
import { explainOr } from "../lib/forms";
import { Button } from "../ui/button";
import { Switch } from "../ui/field";
import { focusOnMount } from "../ui/focus";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { errorToast, toast } from "../ui/toast";
import { categories, profileQuery, saveProfile, type Preferences } from "./queries";

/** Starts from the saved preferences, not from cached ones. */
export default function NotificationForm({ onClose }: { onClose: () => void }) {
  const saved = useQuery({ ...profileQuery, staleTime: 0, refetchOnWindowFocus: false });
  const [opened] = useState(() => Date.now());
  const fresh = saved.dataUpdatedAt >= opened ? saved.data : undefined;

  if (fresh) return <Form saved={fresh} onClose={onClose} />;
  if (saved.isError && !saved.isFetching) {
    return (
      <>
        <ErrorState title="Your preferences could not be loaded" error={saved.error} onRetry={saved.refetch} />
        <Button look="line" onClick={onClose}>
          Cancel
        </Button>
      </>
    );
  }
  return (
    <Loading label="Loading your preferences" className="grid gap-3 py-2">
      {categories.map(({ key }) => (
        <Skeleton key={key} className="h-9" />
      ))}
    </Loading>
  );
}

function Form({ saved, onClose }: { saved: Profile; onClose: () => void }) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState<Preferences>({
    daily_video_email: saved.daily_video_email,
    camp_updates_email: saved.camp_updates_email,
    email_notifications: saved.email_notifications,
  });

  const save = useAction({
    // Sends only what was changed here.
    mutationFn: () =>
      saveProfile(
        Object.fromEntries(
          categories.filter(({ key }) => wanted[key] !== saved[key]).map(({ key }) => [key, wanted[key]]),
        ),
      ),
    onSuccess: (profile) => {
      client.setQueryData(profileQuery.queryKey, profile);
      toast({
        title: "Preferences Saved! ✅",
        description: "Your notification preferences have been updated successfully.",
      });
      onClose();
    },
    onError: (error) => errorToast(explainOr(error, "Failed to save preferences.")),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }

  return (
    <form onSubmit={submit} className="grid gap-3" aria-label="Notification preferences">
      <div>
        {categories.map(({ key, label, hint }, i) => (
          <Switch
            key={key}
            label={label}
            hint={hint}
            checked={wanted[key]}
            // Takes the focus, because the button that opened this panel is gone.
            ref={i === 0 ? focusOnMount : undefined}
            onChange={({ target }) => setWanted({ ...wanted, [key]: target.checked })}
            className="border-b border-pine/25 py-2"
          />
        ))}
      </div>
      {saved.other_addresses.length > 0 && (
        <p className="text-sm text-muted">For your own email only. Your family’s other address has its own settings.</p>
      )}
      <div className="flex flex-wrap gap-3 pt-1">
        <Button type="submit" busy={save.isPending} className="flex-1">
          {save.isPending ? "Saving..." : "Save"}
        </Button>
        <Button look="line" onClick={onClose} className="flex-1">
          Cancel
        </Button>
      </div>
    </form>
  );
}
