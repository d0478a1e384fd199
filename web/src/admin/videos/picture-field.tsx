import { useState } from "react";
import { isApiError, type AdminVideo } from "../../api/client";
import { explain } from "../../lib/forms";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { FieldError } from "../../ui/field";
import { toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { removePicture, setPicture, useVideosChanged } from "./queries";
import { PickButton } from "./uploads/pick-button";

type Props = {
  video: AdminVideo;
  /** Which of the conversion's pictures is chosen in the form. 0 means the one that it suggested. */
  chosen: number | null;
  error: string | undefined;
  onChoose: (poster: number) => void;
  /** Called after the camp's own picture was saved or removed, which happens at once. */
  onSaved: (poster: number | null) => void;
};

/**
 * The picture that families see before the video plays: one from the conversion, or the camp's own, which is saved at
 * once.
 */
export function PictureField({ video, chosen, error, onChoose, onSaved }: Props) {
  const [own, setOwn] = useState(video.has_own_picture ? video.thumbnail_url : null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const videosChanged = useVideosChanged();

  async function save(change: () => Promise<AdminVideo>, description: string) {
    setBusy(true);
    setProblem("");
    try {
      const saved = await change();
      setOwn(saved.has_own_picture ? saved.thumbnail_url : null);
      onSaved(saved.poster);
      toast({ title: "Success", description });
      await videosChanged();
    } catch (refused) {
      if (!requiresSignIn(refused)) setProblem((isApiError(refused) && refused.fields["file"]) || explain(refused));
    } finally {
      setBusy(false);
    }
  }

  const showsOwn = own !== null && chosen === null;
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">Picture</legend>
      {showsOwn && (
        <img
          src={own}
          alt="Chosen by the camp"
          className="aspect-video w-2/3 rounded-sm border-2 border-pine bg-sunk object-contain"
        />
      )}
      {video.posters.length > 0 && <Candidates posters={video.posters} chosen={chosen} onChoose={onChoose} />}
      <p className="text-xs text-muted">{hint(video, chosen, showsOwn)}</p>
      <p className="-ms-2.5 flex flex-wrap gap-x-2">
        <PickButton
          look="quiet"
          icon="up"
          accept="image/jpeg,image/png,image/webp"
          busy={busy}
          onPick={([file]) => void save(() => setPicture(video.id, file!), "Picture saved")}
        >
          {own ? "Choose another picture of your own" : "Use a picture of your own"}
        </PickButton>
        {showsOwn && (
          <Button
            look="quiet"
            icon="trash"
            disabled={busy}
            onClick={() => void save(() => removePicture(video.id), "Picture removed")}
          >
            Remove it
          </Button>
        )}
      </p>
      {[error, problem].map((text) => text && <FieldError key={text}>{text}</FieldError>)}
    </fieldset>
  );
}

function hint({ posters }: AdminVideo, chosen: number | null, showsOwn: boolean) {
  if (showsOwn) return "Families see this picture before the video plays.";
  if (posters.length === 0) return "Once the video is ready, you can choose one of three pictures of it.";
  return chosen === 0 ? "One of them was chosen for you." : "Families see it before the video plays.";
}

type CandidatesProps = { posters: readonly string[]; chosen: number | null; onChoose: (poster: number) => void };

const Candidates = ({ posters, chosen, onChoose }: CandidatesProps) => (
  <div className="grid grid-cols-3 gap-2">
    {posters.map((url, at) => (
      <label
        key={url}
        className={cx(
          "relative block overflow-hidden rounded-sm border-2 bg-sunk",
          "has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus",
          chosen === at + 1 ? "border-pine" : "border-transparent",
        )}
      >
        <input
          type="radio"
          name="poster"
          className="absolute start-1.5 top-1.5 z-1 size-5"
          checked={chosen === at + 1}
          onChange={() => onChoose(at + 1)}
          aria-label={`Picture ${at + 1} of ${posters.length}`}
        />
        <img src={url} alt="" loading="lazy" className="aspect-video w-full object-contain" />
      </label>
    ))}
  </div>
);
