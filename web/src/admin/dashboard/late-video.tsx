import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { api } from "../../api/client";
import { campTime, count } from "../../lib/format";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { dashboardQuery, type Attention } from "../shared/dashboard-query";
import { asStaff } from "../shared/session";

const families = (n: number) => count(n, "family", "families");

/** Shows that tonight's video is late, and asks once before it tells the families that want to know. */
export function LateVideo({ late }: { late: NonNullable<Attention["late_video"]> }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const told = late.told ?? null;

  async function send() {
    const sent = await asStaff(api.POST("/api/admin/videos/late-note"));
    toast({ title: "Note queued", description: `${families(sent.families)} will get the email.` });
    await client.invalidateQueries({ queryKey: dashboardQuery.queryKey });
  }

  return (
    <section
      aria-label="Tonight’s video"
      className="mb-8 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md bg-due-wash px-4 py-3 text-due"
    >
      <p className="flex min-w-0 flex-1 basis-72 items-start gap-3">
        <Icon name="clock" className="mt-[0.15em] shrink-0" />
        <span>
          <strong className="font-medium">Tonight’s video is late.</strong> No video for tonight was published by{" "}
          {campTime(late.posting_time, timeZone)}.{" "}
          {told !== null
            ? `${families(told)} ${told === 1 ? "was" : "were"} told.`
            : late.families === 0 && "No family asked for an email about it."}
        </span>
      </p>
      {told === null && late.families > 0 && (
        <Button look="line" icon="mail" onClick={() => setAsking(true)} className="max-sm:w-full">
          Tell {families(late.families)}
        </Button>
      )}
      {asking && (
        <ConfirmDialog
          title="Tell families that the video is late?"
          name={`An email to ${families(late.families)}`}
          action="Send email"
          look="main"
          onConfirm={send}
          onClose={() => setAsking(false)}
        >
          It goes to those who asked for it, once this evening. It cannot be taken back.
        </ConfirmDialog>
      )}
    </section>
  );
}
