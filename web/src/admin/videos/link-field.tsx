import { useEffect, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { Badge } from "../../ui/badge";
import { Field, TextInput } from "../../ui/field";
import { Skeleton } from "../../ui/states";
import { Thumbnail } from "../../videos/thumbnail";
import { linkQuery, type VideoType } from "./queries";
import { TryVideo, type Tried } from "./try-video";
import { providerName } from "./words";

export const invalidUrl = "Please enter a valid URL.";

/** Whether the text looks like a link or the path of the camp's own file. The server validates the rest. */
export function looksLikeLink(typed: string) {
  const url = typed.trim();
  return (
    url.startsWith("/media/") ||
    (/^https?:\/\/\S+\.\S+/i.test(url) && URL.canParse(url)) ||
    /^http:\/\/(localhost|127\.)/i.test(url)
  );
}

type Known = { video_url: string; video_type: VideoType; thumbnail_url?: string | null; has_no_file?: boolean };
type Props = {
  label?: string;
  value: string;
  onChange: (url: string) => void;
  error?: string | undefined;
  saved?: Known;
  onTried: (tried: Tried) => void;
};

/** The video's URL, with its provider, its thumbnail and a preview in the player. */
export function LinkField({ label = "Video URL", value, onChange, error, saved, onTried }: Props) {
  const [left, setLeft] = useState(false);
  const settled = useSettled(value.trim(), 300);
  const unchanged = saved !== undefined && value.trim() === saved.video_url;
  const check = useQuery(linkQuery(!unchanged && looksLikeLink(settled) ? settled : ""));
  const current = settled === value.trim();
  const isGone = unchanged && saved.has_no_file;
  const known = isGone ? undefined : unchanged ? saved : current ? check.data : undefined;
  const refusal =
    current && isApiError(check.error, "validation")
      ? (check.error.fields["video_url"] ?? invalidUrl)
      : looksLikeLink(value)
        ? null
        : invalidUrl;
  const refused = left && value.trim() !== "" && !unchanged ? refusal : null;
  const checking = !unchanged && looksLikeLink(value) && (!current || check.isFetching);

  return (
    <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-[minmax(0,1fr)_12.5rem]">
      <Field
        label={label}
        error={error ?? refused}
        hint={
          isGone
            ? "The file is gone. Choose another video, or enter a link."
            : saved?.video_url.startsWith("/media/") && unchanged
              ? "A file stored on this site."
              : "A Google Drive, YouTube or Dropbox link, or the address of a media file."
        }
      >
        <TextInput
          name="video_url"
          type="text"
          inputMode="url"
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          maxLength={2_000}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => setLeft(true)}
          required
        />
      </Field>
      <div className="relative aspect-video w-full max-w-60 overflow-hidden rounded-md border border-line bg-sunk max-md:max-w-44">
        {checking ? (
          <Skeleton className="size-full" />
        ) : known?.thumbnail_url ? (
          <Thumbnail key={known.thumbnail_url} url={known.thumbnail_url} eager />
        ) : (
          <>
            <img src="/art/placeholder.svg" alt="" className="size-full object-cover opacity-45" />
            <p className="absolute inset-x-0 top-0 bg-surface/90 px-2 py-1 text-center text-xs text-ink">
              No thumbnail available
            </p>
          </>
        )}
        <span role="status" className="absolute start-1.5 bottom-1.5">
          {known && !checking && (
            <Badge tone="dark">
              {unchanged && saved.video_url.startsWith("/media/") ? "Own file" : providerName[known.video_type]}
            </Badge>
          )}
        </span>
      </div>
      {known && !checking && (
        <div className="md:col-span-2">
          <TryVideo
            key={known.video_url}
            video={known}
            onOutcome={(outcome) => onTried({ url: value.trim(), outcome })}
          />
        </div>
      )}
    </div>
  );
}

/** The value, debounced. */
function useSettled(value: string, wait: number) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return settled;
}
