import { useState } from "react";
import { cx } from "../ui/class-names";

const placeholder = "/art/placeholder.svg";

type Props = { url: string | null | undefined; eager?: boolean; className?: string };

/** The first picture of a page, as its HTML brings it: before any script can say whether it loads. */
export const FirstThumbnail = ({ url }: { url: string }) => (
  <img src={url} alt="" fetchPriority="high" referrerPolicy="no-referrer" className="size-full object-cover" />
);

/** The thumbnail of a video, or a placeholder. */
export function Thumbnail({ url, eager = false, className }: Props) {
  const [failed, setFailed] = useState<string[]>([]);
  const shown = candidates(url).find((candidate) => !failed.includes(candidate)) ?? placeholder;
  const giveUp = () => setFailed((all) => [...all, shown]);
  // A network that blocks YouTube or Google would show the browser's sign for a broken picture for a moment.
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
          // YouTube returns a picture of 120 by 90 for a size that it does not have.
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
