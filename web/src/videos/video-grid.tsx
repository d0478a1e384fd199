import { boot } from "../api/boot";
import { Loading } from "../ui/states";
import { FirstThumbnail } from "./thumbnail";
import { pictureLook, VideoCardSkeleton } from "./video-card";

export const videoGrid = "grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-x-6 gap-y-9";

/** A list's first card in the shell of its page, which is only its picture. */
export function VideoGridShell() {
  const { picture } = boot();
  if (!picture) return null;
  return (
    <div className={videoGrid}>
      <div className={pictureLook}>
        <FirstThumbnail url={picture} />
      </div>
    </div>
  );
}

export const VideoGridSkeleton = ({ cards = 6 }: { cards?: number }) => (
  <Loading label="Loading videos" className={videoGrid}>
    {Array.from({ length: cards }, (_, i) => (
      <VideoCardSkeleton key={i} />
    ))}
  </Loading>
);
