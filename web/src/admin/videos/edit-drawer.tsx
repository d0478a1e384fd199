import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../api/client";
import { useSite } from "../../api/queries";
import { explain } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { Checkbox, Field, FormMessage, Switch, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import {
  changesOf,
  valuesOf,
  merge,
  nineInTheMorning,
  publicationYear,
  reachOf,
  statusOf,
  updateLabel,
  wallTime,
  type FormValues,
} from "./form-values";
import { FileDetailsFields } from "./file-details";
import { invalidUrl, looksLikeLink } from "./link-field";
import { countsQuery, editVideo, readVideo, useVideosChanged } from "./queries";
import { noMoment, ScheduleFields } from "./schedule-fields";
import { TriedNotice, type Tried } from "./try-video";
import { useReadyFile } from "./uploads/ready-file";
import { SourceField } from "./uploads/source-field";
import { FormButtons } from "../shared/form-buttons";
import { StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { MailTime } from "../shared/quiet-time";
import { people } from "../shared/words";
import { DescriptionField, TitleField } from "./video-fields";
import { UnpublishQuestion } from "./unpublish-question";
import { withNotifications, withSchedule } from "./words";

type Props = { video: AdminVideo; timeZone: string; onClose: () => void };

/** What is typed, and how it is saved. */
function useEditForm({ video: opened, timeZone, onClose }: Props) {
  const videosChanged = useVideosChanged();
  const [asking, setAsking] = useState(false);
  const edited = useFormValues({
    opened,
    valuesOf: (one) => valuesOf(one, timeZone),
    merge,
    read: async (one) => {
      const fresh = await readVideo(one);
      void videosChanged();
      return fresh;
    },
  });
  const { row: video, values } = edited;
  useReadyFile(video, edited.refresh);
  const status = statusOf(values);
  const takesAway = video.status === "published" && status !== "published";

  async function save() {
    const saved = await editVideo(video.id, { version: video.version, ...changesOf(values, video, timeZone) });
    const updated = withSchedule("Video updated successfully", saved.video, timeZone);
    toast({ title: "Success", description: withNotifications(updated, saved, timeZone) });
    await videosChanged();
    onClose();
  }

  const state = useStaffForm({
    values: edited,
    leave: { name: video.title, about: "changes", onClose },
    check: () => ({
      ...(values.title.trim() ? {} : { title: "Title is required" }),
      ...(values.upload_id || looksLikeLink(values.video_url) ? {} : { video_url: invalidUrl }),
      ...(!values.publish && values.time && !values.date ? { scheduled_date: noMoment } : {}),
    }),
    submit: async () => {
      // Asks first if families would lose a video that they can watch now.
      if (takesAway) setAsking(true);
      else await save();
    },
    failed: (error) => toast({ title: "Update Failed", description: explain(error), destructive: true }),
  });
  const unpublishing = asking && (
    <UnpublishQuestion
      name={video.title}
      status={status}
      noSecondMail={video.announced}
      save={save}
      refused={state.refused}
      onClose={() => setAsking(false)}
    />
  );
  return { ...state, ...edited, status, unpublishing };
}

/** Edits a video. A status that nobody touched stays as it is (decision V3). */
export function EditDrawer(props: Props) {
  const site = useSite();
  const counts = useQuery(countsQuery).data;
  const [tried, setTried] = useState<Tried | null>(null);
  const { row: video, savedPart, values, set, status, dirty, stale, reload, ...state } = useEditForm(props);
  const { busy, errors, message, form, close, question, unpublishing } = state;
  const year = publicationYear(status, values.date, site);
  const reach = reachOf(video, values.upload_date, year, counts?.recipients ?? 0);

  return (
    <Drawer title="Edit video" onClose={close}>
      <form {...form} className="grid gap-5">
        <StaleFormNotice what="video" stale={stale} onReload={reload} />
        <TitleField title={values.title} error={errors.title} onChange={(title) => set({ title })} />
        <DescriptionField
          description={values.description}
          error={errors.description}
          rows={4}
          onChange={(description) => set({ description })}
        />
        <SourceField
          upload={values.upload_id}
          onUpload={(upload_id) => set({ upload_id })}
          url={values.video_url}
          onUrl={(video_url) => set({ video_url })}
          errors={errors}
          saved={video}
          onTried={setTried}
        />
        <Field label="Upload Date" error={errors.upload_date} hint="The day it was filmed.">
          <TextInput
            name="upload_date"
            type="date"
            max={site?.today}
            value={values.upload_date}
            onChange={(event) => set({ upload_date: event.target.value })}
            required
          />
        </Field>
        <Checkbox
          name="is_featured"
          label="Is Featured"
          hint="It is first on the home page for a week."
          checked={values.is_featured}
          onChange={(event) => set({ is_featured: event.target.checked })}
        />

        <FileDetailsFields
          video={video}
          values={values}
          set={set}
          onPicture={(poster) => savedPart({ poster })}
          errors={errors}
          dirty={dirty}
          onTrimmed={close}
        />

        <AvailabilityFields
          video={video}
          values={values}
          set={set}
          error={errors.scheduled_date ?? errors.status}
          reach={reach}
        />

        {!values.upload_id && <TriedNotice tried={tried} url={values.video_url} />}
        <FormMessage>{message}</FormMessage>
        <FormButtons sticky onCancel={close} busy={busy} doing="Updating...">
          {updateLabel(video.publishes_when_ready ? "published" : video.status, status, reach)}
        </FormButtons>
      </form>
      {question}
      {unpublishing}
    </Drawer>
  );
}

type AvailabilityProps = {
  video: AdminVideo;
  values: FormValues;
  set: (change: Partial<FormValues>) => void;
  error: string | undefined;
  reach: number;
};

/** Whether the video is published, scheduled or a draft, and what that means for families. */
function AvailabilityFields({ video, values, set, error, reach }: AvailabilityProps) {
  const status = statusOf(values);
  return (
    <fieldset className="grid gap-4 border-t border-line pt-5">
      <legend className="sr-only">When families see it</legend>
      <Switch
        label="Publish Immediately"
        hint="While this is off, the video waits for the date below or stays a draft."
        checked={values.publish}
        onChange={(event) =>
          set({ publish: event.target.checked, ...(event.target.checked ? { date: "", time: "" } : {}) })
        }
      />
      <ScheduleFields
        optional
        date={values.date}
        time={values.time}
        onDate={(date) => set({ date, time: date ? values.time || nineInTheMorning : "" })}
        onTime={(time) => set({ time })}
        disabled={values.publish}
        error={error}
      />
      {video.status !== "draft" && status !== "draft" && (
        <Button
          look="quiet"
          onClick={() => set({ publish: false, date: "", time: "" })}
          className="-ms-2.5 justify-self-start"
        >
          Set back to draft
        </Button>
      )}
      <p role="status" className="rounded-md bg-sunk px-3.5 py-2.5 text-sm text-muted">
        {consequence(video, status, reach)}
      </p>
      {reach > 0 && status !== "draft" && !(status === "published" && video.status === "published") && (
        <MailTime at={status === "scheduled" ? wallTime(values) : undefined} />
      )}
    </fieldset>
  );
}

function consequence(video: AdminVideo, status: ReturnType<typeof statusOf>, reach: number) {
  const told = reach > 0 ? ` ${people(reach)} will be notified by email.` : " No emails are sent.";
  if (status === "draft")
    return video.status === "draft"
      ? "It stays a draft: only staff see it."
      : "It goes back to draft: only staff see it.";
  if (status === "scheduled")
    return `${video.status === "scheduled" ? "It stays scheduled" : "It appears on its own at that time"}.${told}`;
  if (video.publishes_when_ready) return `It is published on its own as soon as its file is ready.${told}`;
  return video.status === "published"
    ? "It stays published. No emails are sent."
    : `It is published right away.${told}`;
}
