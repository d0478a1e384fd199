import { useState } from "react";
import { cx } from "../ui/class-names";

const placeholder = "/art/placeholder.svg";

type Props = { url: string | null | undefined; eager?: boolean; className?: string };

/** The first picture of a page as the HTML contains it, before any script can check whether it loads. */
export const FirstThumbnail = ({ url }: { url: string }) => (
  <img src={url} alt="" fetchPriority="high" referrerPolicy="no-referrer" className="size-full object-cover" />
);

/** The thumbnail of a video, or a placeholder. */
export function Thumbnail({ url, eager = false, className }: Props) {
  const [failed, setFailed] = useState<string[]>([]);
  const shown = candidates(url).find((candidate) => !failed.includes(candidate)) ?? placeholder;
  const giveUp = () => setFailed((all) => [...all, shown]);
  // Where a network blocks YouTube or Google, the browser would briefly show its icon for a broken picture.
  const [loaded, setLoaded] = useState("");
  const waiting = shown.startsWith("http") && loaded !== shown;
  return (
    <>
      {waiting && <img src={placeholder} alt="" className="absolute inset-0 size-full object-cover" />}
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
          // For a size that it does not have, YouTube returns a picture of 120 by 90 pixels.
          if (shown.includes(".ytimg.com/") && picture.naturalWidth <= 120) giveUp();
          else setLoaded(shown);
        }}
        className={cx("size-full object-cover", waiting && "opacity-0", className)}
      />
    </>
  );
}

function candidates(url: string | null | undefined) {
  if (!url) return [];
  return url.includes("/maxresdefault.") ? [url, url.replace("/maxresdefault.", "/hqdefault.")] : [url];
}
