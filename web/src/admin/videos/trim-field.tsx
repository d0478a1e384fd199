import { useId, useState } from "react";
import type { AdminVideo } from "../../api/client";
import { duration } from "../../lib/format";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Field, FieldError, TextInput } from "../../ui/field";
import { InlineTitle } from "../../ui/inline-title";
import { toast } from "../../ui/toast";
import { trimVideo, useVideosChanged } from "./queries";

/** Converts `0:42` or `1:02:03` to seconds. Null for anything else. */
function secondsOf(time: string): number | null {
  const parts = time.trim().split(":");
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => /^\d{1,4}$/.test(part))) return null;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

type Props = {
  video: AdminVideo;
  /** Whether the form around this field has unsaved changes. */
  dirty: boolean;
  onDone: () => void;
};

/** Cuts off the beginning and the end. */
export function TrimField({ video, dirty, onDone }: Props) {
  const length = video.duration_seconds ?? 0;
  const [start, setStart] = useState("0:00");
  const [end, setEnd] = useState(duration(length));
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(false);
  const videosChanged = useVideosChanged();
  const id = useId();
  const [from, to] = [secondsOf(start), secondsOf(end)];

  function ask() {
    const unsaved = "Please save your other changes first. Chapters and captions then move along with the cut.";
    const wrong = refusalOf(from, to, length) || (dirty ? unsaved : "");
    setProblem(wrong);
    if (!wrong) setAsking(true);
  }

  async function trim() {
    await trimVideo(video.id, { start_seconds: from!, end_seconds: to! });
    toast({
      title: "Success",
      description: "The video is being trimmed. Until that is done, families see it as it was.",
    });
    await videosChanged();
    onDone();
  }

  return (
    <div role="group" aria-labelledby={id} className="grid gap-2 border-t border-line pt-4">
      <p id={id} className="text-sm font-medium">
        Trim
      </p>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Start at">
          <TextInput dir="ltr" inputMode="numeric" value={start} onChange={(event) => setStart(event.target.value)} />
        </Field>
        <Field label="End at">
          <TextInput dir="ltr" inputMode="numeric" value={end} onChange={(event) => setEnd(event.target.value)} />
        </Field>
      </div>
      <Button look="line" onClick={ask} className="justify-self-start">
        Trim the video
      </Button>
      <p className="text-xs text-muted">
        It is not encoded again, so the start can be a few seconds earlier. Chapters and captions move along.
      </p>
      {problem && (
        <div role="alert">
          <FieldError>{problem}</FieldError>
        </div>
      )}
      {asking && (
        <ConfirmDialog
          title="Trim this video?"
          name={<InlineTitle>{video.title}</InlineTitle>}
          action="Trim the video"
          onClose={() => setAsking(false)}
          onConfirm={trim}
        >
          Everything before {duration(from!)} and after {duration(to!)} is deleted. To get it back, upload the original
          file again.
        </ConfirmDialog>
      )}
    </div>
  );
}

function refusalOf(from: number | null, to: number | null, length: number) {
  if (from === null || to === null) return "Please enter times such as 0:42.";
  if (from >= to) return "The end must be after the start.";
  if (from === 0 && to >= length) return "Please enter a later start or an earlier end.";
  return "";
}
