import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import type { AdminVideo } from "../../api/client";
import { count, number } from "../../lib/format";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { deliverySummary, sentAgain } from "../shared/words";
import { deliveriesQuery, retryDeliveries } from "./queries";

/** Polls faster while emails are being sent. */
function useDeliveries(id: string, enabled = true) {
  const slowly = useRefetchInterval(everyFifteenSeconds);
  return useQuery({
    ...deliveriesQuery(id),
    enabled,
    refetchInterval: ({ state }) => (slowly && state.data?.queued ? 3_000 : slowly),
  });
}

/** The delivery status of a new video's emails in a few words. */
export function MailSummary({ video }: { video: AdminVideo }) {
  const { data } = useDeliveries(video.id);
  if (!data) return "Emailed";
  return deliverySummary(data);
}

/** The numbers of queued, sent and failed emails, with a Retry for failed ones. */
export function MailReport({ video }: { video: AdminVideo }) {
  const client = useQueryClient();
  const deliveries = useDeliveries(video.id, video.announced);
  const retry = useAction({
    mutationFn: () => retryDeliveries(video.id),
    onSuccess: async ({ queued }) => {
      await client.invalidateQueries({ queryKey: deliveriesQuery(video.id).queryKey });
      toast({
        title: "Success",
        description: sentAgain(queued),
      });
    },
    onError: (error) => toastFailure(error),
  });

  if (!video.announced) {
    return (
      <p className="text-muted">
        {video.archive
          ? "No emails are sent for videos of past summers."
          : video.status === "published"
            ? "No emails have been sent about this video. To send them, set it back to draft and publish it again."
            : "No emails have been sent about this video yet. They go out once, when it is first published."}
      </p>
    );
  }
  if (deliveries.isError && !deliveries.data) {
    return (
      <ErrorState
        title="The emails could not be loaded"
        error={deliveries.error}
        retrying={deliveries.isFetching}
        onRetry={deliveries.refetch}
      />
    );
  }
  if (!deliveries.data) {
    return (
      <Loading label="Loading emails" className="grid grid-cols-3 gap-3">
        {Array.from({ length: 3 }, (_, i) => (
          <Skeleton key={i} className="h-16" />
        ))}
      </Loading>
    );
  }
  const { queued, collected, sent, failed, suppressed } = deliveries.data;
  return (
    <div className="grid gap-3">
      <dl className="sheet grid grid-cols-3 text-center">
        <Figure label="Queued" value={queued} tone={queued > 0 ? "text-lake" : undefined} />
        <Figure label="Sent" value={sent} />
        <Figure label="Failed" value={failed} tone={failed > 0 ? "text-clay" : undefined} />
      </dl>
      {failed > 0 && (
        <Button
          look="line"
          icon="refresh"
          busy={retry.isPending}
          onClick={() => retry.mutate()}
          className="justify-self-start"
        >
          {retry.isPending ? "Retrying..." : `Retry ${number(failed)} failed`}
        </Button>
      )}
      {collected > 0 && (
        <p className="flex items-start gap-2 text-sm text-muted">
          <Icon name="info" className="mt-[0.15em]" />
          {`${count(collected, "family address gets", "family addresses get")} it with the daily email, as chosen on the profile page.`}
        </p>
      )}
      {suppressed > 0 && (
        <p className="flex items-start gap-2 text-sm text-muted">
          <Icon name="info" className="mt-[0.15em]" />
          {suppressed === 1
            ? "1 address was skipped: it refused our emails before, or no longer gets these."
            : `${number(suppressed)} addresses were skipped: they refused our emails before, or no longer get these.`}
        </p>
      )}
    </div>
  );
}

const Figure = ({ label, value, tone = "text-ink" }: { label: string; value: number; tone?: string | undefined }) => (
  <div className="flex flex-col-reverse border-line px-2 py-3 not-first:border-s">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className={`font-head text-xl tabular-nums ${tone}`}>{number(value)}</dd>
  </div>
);
