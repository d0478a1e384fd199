import type { AdminVideo } from "../api/client";
import { isApiError } from "../api/client";
import { count } from "../lib/format";
import { ConfirmDialog } from "../ui/dialog";
import { toast } from "../ui/toast";
import { deleteVideo, useVideosChanged } from "./queries";
import { VideoTitle } from "./video-title";

/** The row that had the focus is gone with its video. */
function keepFocus() {
  if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
}

export function DeleteDialog({ video, onClose }: { video: AdminVideo; onClose: () => void }) {
  const videosChanged = useVideosChanged();
  const loses = [count(video.comment_count, "comment"), count(video.like_count, "like")].join(" and ");
  return (
    <ConfirmDialog
      title="Are you sure you want to delete this video?"
      name={<VideoTitle>{video.title}</VideoTitle>}
      action="Delete video"
      onClose={onClose}
      onConfirm={async () => {
        try {
          await deleteVideo(video.id);
        } catch (error) {
          // Somebody was quicker: it is gone, as was wanted.
          if (!isApiError(error, "not_found")) {
            toast({ title: "Error", description: "Failed to delete video", destructive: true });
            throw error;
          }
        }
        toast({ title: "Success", description: "Video deleted successfully" });
        void videosChanged().then(() => setTimeout(keepFocus, 100));
      }}
    >
      {video.comment_count + video.like_count > 0 ? `Its ${loses} go with it. ` : ""}This cannot be undone.
    </ConfirmDialog>
  );
}
