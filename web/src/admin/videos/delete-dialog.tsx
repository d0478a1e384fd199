import type { AdminVideo } from "../../api/client";
import { count } from "../../lib/format";
import { ConfirmDialog } from "../../ui/dialog";
import { errorToast, toast } from "../../ui/toast";
import { restoreFocus } from "../../ui/focus";
import { deleteVideo, useVideosChanged } from "./queries";
import { ignoreNotFound } from "../shared/missing-records";
import { VideoTitle } from "../shared/video-title";

export function DeleteDialog({ video, onClose }: { video: AdminVideo; onClose: () => void }) {
  const videosChanged = useVideosChanged();
  const loses = [count(video.comment_count, "comment"), count(video.like_count, "like")].join(" and ");
  return (
    <ConfirmDialog
      title="Are you sure you want to delete this video?"
      name={<VideoTitle>{video.title}</VideoTitle>}
      action="Delete video"
      onClose={onClose}
      failed={() => errorToast("Failed to delete video")}
      onConfirm={async () => {
        await ignoreNotFound(deleteVideo(video.id));
        toast({ title: "Success", description: "Video deleted successfully" });
        void videosChanged().then(restoreFocus);
      }}
    >
      {video.comment_count + video.like_count > 0 ? `Its ${loses} go with it. ` : ""}This cannot be undone.
    </ConfirmDialog>
  );
}
