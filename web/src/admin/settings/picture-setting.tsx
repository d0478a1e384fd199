import { useId, useRef, useState } from "react";
import { useAction } from "../../api/use-action";
import { explain } from "../../lib/forms";
import { Button, IconButton } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { FieldError } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { restoreFocusTo } from "../../ui/focus";
import { addPicture, changeSettings, useSettingsChanged, type PicturePlace, type Setting } from "./queries";
import { settingLabel } from "./words";

const largest = 10 * 1024 * 1024;

/** Uploads, reorders and removes the pictures. Each change is saved at once. */
function usePictureChanges(setting: Setting, place: PicturePlace) {
  const settingsChanged = useSettingsChanged();
  const upload = useAction({
    mutationFn: (picture: File) => {
      if (picture.size > largest) throw new Error("This picture is larger than 10MB.");
      return addPicture(place, picture);
    },
    onSuccess: (items) => {
      settingsChanged(items);
      toast({
        title: place === "logo" ? "Logo changed" : "Picture added",
        description: "Everyone sees it from now on.",
      });
    },
  });
  const change = async (left: string[]) =>
    settingsChanged(
      await changeSettings({ [setting.key]: place === "logo" ? null : left }, { [setting.key]: setting.value }),
    );
  const reorder = useAction({ mutationFn: change, onError: (error) => toastFailure(error) });
  return { upload, change, reorder };
}

/** One or several pictures of the camp. Changes are saved at once, without the form's button. */
export function PictureSetting({ setting }: { setting: Setting }) {
  const id = useId();
  const [removing, setRemoving] = useState<string | null>(null);
  const group = useRef<HTMLDivElement>(null);
  const place: PicturePlace = setting.kind === "picture" ? "logo" : "hero";
  const { upload, change, reorder } = usePictureChanges(setting, place);
  const ids = [setting.value].flat().filter((value): value is string => typeof value === "string");
  const full = place === "hero" && ids.length >= (setting.max ?? 3);
  const label = settingLabel(setting.key);

  return (
    <div
      ref={group}
      role="group"
      tabIndex={-1}
      aria-labelledby={id}
      className="grid content-start gap-2 outline-none md:col-span-2"
    >
      <p id={id} className="text-sm font-medium">
        {label}
      </p>
      {ids.length > 0 ? (
        <ul className="flex flex-wrap gap-4">
          {ids.map((picture, i) => (
            <li key={picture} className="grid gap-1">
              <Shown place={place} id={picture} number={i + 1} />
              <div className="flex items-center">
                <Button look="quiet" icon="trash" onClick={() => setRemoving(picture)}>
                  {place === "logo" ? (
                    "Use the built-in one"
                  ) : (
                    <>
                      Remove<span className="sr-only"> home picture {i + 1}</span>
                    </>
                  )}
                </Button>
                {i > 0 && (
                  <IconButton
                    icon="previous"
                    label={`Show home picture ${i + 1} earlier`}
                    aria-disabled={reorder.isPending}
                    onClick={() => !reorder.isPending && reorder.mutate(earlier(ids, i))}
                  />
                )}
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">
          {place === "logo"
            ? "The built-in tent is shown next to the camp's name."
            : "The three built-in scenes take turns."}
        </p>
      )}
      <UploadButton
        label={label}
        hintId={`${id}-hint`}
        text={uploadLabel(place, ids.length)}
        full={full}
        upload={upload}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        {setting.help}. JPEG, PNG or WebP, at most 10 MB.
        {full && " You can have three. Remove one to add another."}
      </p>
      {upload.isError && (
        <div role="alert">
          <FieldError>{explain(upload.error)}</FieldError>
        </div>
      )}
      {removing && (
        <RemoveQuestion
          place={place}
          number={ids.indexOf(removing) + 1}
          onRemove={() => change(ids.filter((other) => other !== removing))}
          onClose={() => {
            setRemoving(null);
            restoreFocusTo(group.current);
          }}
        />
      )}
    </div>
  );
}

type ShownProps = { place: PicturePlace; id: string; number: number };

const Shown = ({ place, id, number }: ShownProps) =>
  place === "logo" ? (
    <OnBothGrounds id={id} />
  ) : (
    <img
      src={`/media/site/${id}/small`}
      alt={`Scene ${number} of the home page`}
      className="aspect-video w-56 rounded-md bg-sunk object-cover"
    />
  );

function uploadLabel(place: PicturePlace, pictures: number) {
  if (place === "hero") return "Add a picture";
  return pictures > 0 ? "Upload another logo" : "Upload a logo";
}

type UploadProps = {
  label: string;
  hintId: string;
  text: string;
  full: boolean;
  upload: ReturnType<typeof usePictureChanges>["upload"];
};

function UploadButton({ label, hintId, text, full, upload }: UploadProps) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={file}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        hidden
        aria-label={`File for ${label}`}
        onChange={({ target }) => {
          const picture = target.files?.[0];
          target.value = "";
          if (picture) upload.mutate(picture);
        }}
      />
      <div>
        <Button
          look="line"
          icon="up"
          busy={upload.isPending}
          disabled={full}
          aria-describedby={hintId}
          onClick={() => file.current?.click()}
        >
          {upload.isPending ? "Uploading..." : text}
        </Button>
      </div>
    </>
  );
}

type RemoveProps = { place: PicturePlace; number: number; onRemove: () => Promise<unknown>; onClose: () => void };

const RemoveQuestion = ({ place, number, onRemove, onClose }: RemoveProps) => (
  <ConfirmDialog
    title={place === "logo" ? "Go back to the built-in logo?" : "Remove this picture?"}
    name={place === "logo" ? "Logo" : `Home picture ${number}`}
    action={place === "logo" ? "Remove the logo" : "Remove picture"}
    onClose={onClose}
    onConfirm={async () => {
      await onRemove();
      toast({ title: place === "logo" ? "Logo removed" : "Picture removed" });
    }}
  >
    The file is deleted. To get it back, upload it again.
  </ConfirmDialog>
);

/** Shows the logo on both backgrounds, because a dark one is invisible in the dark theme. */
const OnBothGrounds = ({ id }: { id: string }) => (
  <div className="flex justify-self-start overflow-clip rounded-md border border-line">
    {(["light", "dark"] as const).map((scheme) => (
      <div key={scheme} data-theme={scheme} className={scheme === "light" ? "bg-[#faf5ea] p-4" : "bg-[#0f1b1f] p-4"}>
        <img
          src={`/media/site/${id}`}
          alt={`Logo on ${scheme} ground`}
          className="h-12 w-auto max-w-48 object-contain"
        />
      </div>
    ))}
  </div>
);

const earlier = (ids: string[], i: number) => ids.toSpliced(i - 1, 2, ids[i]!, ids[i - 1]!);
