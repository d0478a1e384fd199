import { useState } from "react";
import type { AdminVideo } from "../../api/client";
import { Checkbox, Field, TextArea } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { CaptionsField } from "./captions-field";
import { PictureField } from "./picture-field";
import type { VideoPatch } from "./queries";
import { TrimField } from "./trim-field";

/** The details of a video with its own file, beyond the texts that every video has. */
export type FileDetails = { chapters: string; is_downloadable: boolean; poster: number | null };

export const fileDetailsOf = (video: AdminVideo | null): FileDetails => ({
  chapters: video?.chapters ?? "",
  is_downloadable: video?.is_downloadable ?? false,
  poster: video?.poster ?? null,
});

/** Only what was changed. */
export const fileDetailChanges = (
  mine: FileDetails,
  before: FileDetails,
): Pick<VideoPatch, "chapters" | "is_downloadable" | "poster"> => ({
  ...(mine.chapters.trim() !== before.chapters ? { chapters: mine.chapters.trim() } : {}),
  ...(mine.is_downloadable !== before.is_downloadable ? { is_downloadable: mine.is_downloadable } : {}),
  ...(mine.poster !== before.poster && mine.poster !== null ? { poster: mine.poster } : {}),
});

const isOwnFile = ({ video_url }: AdminVideo) => video_url.startsWith("/media/videos/");

type Props = {
  video: AdminVideo;
  values: FileDetails;
  set: (change: Partial<FileDetails>) => void;
  /** Called after a picture was saved on its own. */
  onPicture: (poster: number | null) => void;
  errors: { chapters?: string | undefined; poster?: string | undefined };
  dirty: boolean;
  /** Called when the file is being cut. */
  onTrimmed: () => void;
};

/** Poster, chapters, captions, download and trim. The section is collapsed, because most videos need none of them. */
export function FileDetailsFields({ video, values, set, onPicture, errors, dirty, onTrimmed }: Props) {
  const [open, setOpen] = useUnfolded(Boolean(errors.chapters ?? errors.poster));
  if (!isOwnFile(video)) return null;
  return (
    <details
      className="group rounded-md border border-line px-3.5"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex min-h-tap items-center gap-3 font-medium">
        <Icon name="down" className="text-muted transition-[rotate] group-open:rotate-180" />
        Picture, chapters, captions and more
      </summary>
      <div className="grid gap-5 pt-2 pb-4">
        <PictureField
          video={video}
          chosen={values.poster}
          error={errors.poster}
          onChoose={(poster) => set({ poster })}
          onSaved={onPicture}
        />
        <Field
          label="Chapters"
          optional
          error={errors.chapters}
          hint="A line for each: the time and a title. Viewers see them on the timeline and as links."
        >
          <TextArea
            name="chapters"
            dir="auto"
            rows={4}
            placeholder={"0:00 Lineup\n0:42 Bunk 7"}
            value={values.chapters}
            onChange={(event) => set({ chapters: event.target.value })}
          />
        </Field>
        <CaptionsField video={video} />
        <Checkbox
          name="is_downloadable"
          label="Families may download it"
          hint="The video page then has a Download button."
          checked={values.is_downloadable}
          onChange={(event) => set({ is_downloadable: event.target.checked })}
        />
        {video.posters.length > 0 && <TrimField video={video} dirty={dirty} onDone={onTrimmed} />}
      </div>
    </details>
  );
}

/** Opens for each new error, and stays open while the error is corrected. */
function useUnfolded(hasError: boolean) {
  const [open, setOpen] = useState(hasError);
  const [hadError, setHadError] = useState(hasError);
  if (hasError !== hadError) {
    setHadError(hasError);
    if (hasError) setOpen(true);
  }
  return [open, setOpen] as const;
}
