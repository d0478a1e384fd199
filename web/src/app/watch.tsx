import type { Video } from "../api/client";
import { CommentsPanel } from "../comments/comments-panel";
import { VideoPage, VideoShell as Shell } from "../videos/video-page";
import "../ui/more-icons";

export { Shell };

/** The page of a video with its comments. */
export default function Watch() {
  return <VideoPage comments={commentsOn} />;
}

const commentsOn = (video: Video) => <CommentsPanel videoId={video.id} total={video.comment_count} />;
