import { useState } from "react";
import { cx } from "../ui/class-names";

const placeholder = "/art/placeholder.svg";

type Props = { url: string | null | undefined; eager?: boolean; className?: string };

/** The thumbnail of a video, or a placeholder. */
export function Thumbnail({ url, eager = false, className }: Props) {
  const [failed, setFailed] = useState<string[]>([]);
  const shown = candidates(url).find((candidate) => !failed.includes(candidate)) ?? placeholder;
  const giveUp = () => setFailed((all) => [...all, shown]);
  return (
    <img
      src={shown}
      alt=""
      width={640}
      height={360}
      loading={eager ? "eager" : "lazy"}
      fetchPriority={eager ? "high" : "auto"}
      decoding="async"
      referrerPolicy="no-referrer"
      onError={giveUp}
      onLoad={({ currentTarget: picture }) => {
        // YouTube returns a picture of 120 by 90 for a size that it does not have.
        if (shown.includes(".ytimg.com/") && picture.naturalWidth <= 120) giveUp();
      }}
      className={cx("size-full object-cover", className)}
    />
  );
}

function candidates(url: string | null | undefined) {
  if (!url) return [];
  return url.includes("/maxresdefault.") ? [url, url.replace("/maxresdefault.", "/hqdefault.")] : [url];
}
