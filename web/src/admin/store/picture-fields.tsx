import { useId, useRef, useState, type DragEvent, type RefObject } from "react";
import { buttonLook, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { FieldError } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { ProgressBar } from "../../ui/progress-bar";
import { dismissErrors, reportFailure, toast } from "../../ui/toast";
import { useDragOrder } from "../shared/drag-order";
import { accept, maxPictures, acceptFiles, type Picture, type usePictures } from "./pictures";

type Props = { form: ReturnType<typeof usePictures>; art: string; busy: boolean };

/** Adds, reorders and removes the pictures of a product. The first one is the main picture. */
export function PictureFields({ form: { pictures, add, remove, move }, art, busy }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string[]>([]);
  const [said, setSaid] = useState("");
  const [dropping, setDropping] = useState(false);
  const full = pictures.length >= maxPictures;

  async function pick(files: readonly File[]) {
    const { taken, refused: reasons } = acceptFiles(files, pictures.length);
    dismissErrors("pictures");
    reportFailure("pictures", () => reasons.forEach((reason) => toast({ ...reason, destructive: true })));
    setRefused(reasons.map(({ description }) => description));
    await add(taken);
    if (taken.length > 0) setSaid(`${taken.map(({ name }) => name).join(", ")} added.`);
  }

  function step(from: number, to: number) {
    if (busy || to < 0 || to >= pictures.length) return;
    move(from, to);
    setSaid(`${pictures[from]!.name}: now number ${to + 1} of ${pictures.length}.`);
  }

  const fromOutside = (event: DragEvent) => event.dataTransfer.types.includes("Files");

  return (
    <fieldset
      className="grid min-w-0 gap-3"
      onDragOver={(event) => {
        if (!fromOutside(event)) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        if (!fromOutside(event)) return;
        event.preventDefault();
        setDropping(false);
        if (!busy) void pick([...event.dataTransfer.files]);
      }}
    >
      <legend className="mb-1.5 text-sm font-medium">Pictures</legend>
      <p role="status" className="sr-only">
        {said}
      </p>
      {pictures.length > 0 && (
        <PictureList
          pictures={pictures}
          art={art}
          busy={busy}
          onMove={step}
          onRemove={(picture) => {
            remove(picture.key);
            setSaid(`${picture.name} removed.`);
            // The focused button disappears with its picture.
            setTimeout(() => input.current?.focus());
          }}
        />
      )}
      <PicturePicker
        input={input}
        disabled={full || busy}
        full={full}
        dropping={dropping}
        refused={refused}
        onPick={(files) => void pick(files)}
      />
    </fieldset>
  );
}

type ListProps = {
  pictures: Picture[];
  art: string;
  busy: boolean;
  onMove: (from: number, to: number) => void;
  onRemove: (picture: Picture) => void;
};

function PictureList({ pictures, art, busy, onMove, onRemove }: ListProps) {
  const dragging = useDragOrder(onMove);
  return (
    <ol aria-label="Pictures" className="grid grid-cols-2 gap-3">
      {pictures.map((picture, i) => (
        <li
          key={picture.key}
          {...(busy ? {} : dragging.props(i))}
          className={cx(
            "sheet min-w-0 overflow-clip",
            dragging.isTarget(i) && "outline-3 outline-focus",
            !busy && "cursor-grab",
          )}
        >
          <PictureView picture={picture} art={art} first={i === 0} />
          <div className="flex justify-between">
            <IconButton
              icon="previous"
              label={`Move ${picture.name} forward`}
              title="Move forward"
              aria-disabled={busy || i === 0}
              onClick={() => onMove(i, i - 1)}
              className={cx((busy || i === 0) && "opacity-30")}
            />
            <IconButton
              icon="next"
              label={`Move ${picture.name} back`}
              title="Move back"
              aria-disabled={busy || i === pictures.length - 1}
              onClick={() => onMove(i, i + 1)}
              className={cx((busy || i === pictures.length - 1) && "opacity-30")}
            />
            <IconButton
              icon="trash"
              danger
              label={`Remove ${picture.name}`}
              title="Remove"
              aria-disabled={busy}
              onClick={() => {
                if (!busy) onRemove(picture);
              }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}

type PickerProps = {
  input: RefObject<HTMLInputElement | null>;
  disabled: boolean;
  full: boolean;
  dropping: boolean;
  refused: string[];
  onPick: (files: File[]) => void;
};

/** The file input, what can be chosen, and why the last choice was refused. */
function PicturePicker({ input, disabled, full, dropping, refused, onPick }: PickerProps) {
  const id = useId();
  return (
    <div
      className={cx(
        "grid justify-items-start gap-1.5 rounded-md border-[1.5px] border-dashed p-3",
        dropping ? "border-pine bg-pine-wash" : "border-edge",
      )}
    >
      <label
        className={buttonLook(
          "line",
          cx(
            "relative focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-focus",
            disabled ? "opacity-60" : "cursor-pointer",
          ),
        )}
      >
        <Icon name="plus" />
        Choose pictures
        <input
          ref={input}
          type="file"
          accept={accept}
          multiple
          disabled={disabled}
          aria-describedby={cx(`${id}-hint`, refused.length > 0 && `${id}-refused`)}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            // Clears the input, so that the same file can be picked again after it was removed.
            event.target.value = "";
            onPick(files);
          }}
          className="absolute inset-0 size-full cursor-[inherit] opacity-0"
        />
      </label>
      <p id={`${id}-hint`} className="text-xs text-muted">
        {full
          ? `That is all ${maxPictures}. Remove one to choose another.`
          : `Up to ${maxPictures} JPEG, PNG or WebP pictures of at most 10 MB each, also dropped here.`}{" "}
        We remove the place and time a photo was taken.
      </p>
      {refused.length > 0 && (
        <div id={`${id}-refused`} className="grid gap-1">
          {refused.map((reason) => (
            <FieldError key={reason}>{reason}</FieldError>
          ))}
        </div>
      )}
    </div>
  );
}

function PictureView({
  picture: { src, name, percent, failure, file },
  art,
  first,
}: {
  picture: Picture;
  art: string;
  first: boolean;
}) {
  return (
    <>
      <div className="relative">
        <img
          src={src ?? art}
          alt={file ? "" : name}
          draggable={false}
          className="aspect-4/3 w-full bg-sunk object-cover"
        />
        {first && (
          <span className="absolute start-2 top-2 rounded-full bg-player/86 px-2.5 py-0.5 text-xs font-medium text-on-player">
            First
          </span>
        )}
        {percent !== undefined && (
          <div className="absolute inset-x-2 bottom-2 rounded-md bg-surface p-2">
            <ProgressBar label={`Uploading ${name}`} percent={percent} />
          </div>
        )}
      </div>
      {file && (
        <p className="truncate px-2.5 pt-1.5 text-xs text-muted" title={name}>
          <bdi>{name}</bdi>
        </p>
      )}
      {failure && (
        <div className="px-2.5 pt-1.5">
          <FieldError>{failure}</FieldError>
        </div>
      )}
    </>
  );
}
