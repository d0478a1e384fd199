import type { Action, AdminComment, CommentFilter, ReportReason } from "./queries";

export const filterName: Record<CommentFilter, string> = {
  to_review: "To review",
  reported: "Reported",
  held: "Waiting",
  hidden: "Hidden",
  all: "All",
};

/** What each number counts, shown below the filters. */
export const filterAbout: Record<CommentFilter, string> = {
  to_review: "Reported by readers, or waiting for you before families see them. Reported ones come first.",
  reported: "Families see these. Readers reported these, and staff have not decided yet.",
  held: "Families do not see these until you approve them.",
  hidden: "Staff hid these from families.",
  all: "The comments on all videos, the newest first.",
};

export const nothingFound: Record<CommentFilter, string> = {
  to_review: "Nothing to review",
  reported: "No reported comments",
  held: "No comments are waiting for you",
  hidden: "No hidden comments",
  all: "No comments yet",
};

export const categoryName: Record<ReportReason["category"], string> = {
  unkind: "Unkind",
  private: "Too private",
  unsuitable: "Does not belong",
  advertising: "Advertising",
  other: "Something else",
};

type Done = { title: string; description: string };

export const done: Record<Action, Done> = {
  approve: {
    title: "Comment approved",
    description: "Families can see it, and its author’s future comments appear without approval.",
  },
  keep: { title: "Comment kept", description: "Its reports are closed, and families still see it." },
  hide: { title: "Comment hidden", description: "Families no longer see it." },
  show: { title: "Comment shown", description: "Families can see it again." },
  reopen: { title: "Reports open again", description: "The comment waits for review." },
};

/** The decision that leaves a comment visible to families, if there is one to make. */
export const acceptance = ({ held, hidden, reports }: AdminComment): Action | null =>
  held ? "approve" : reports > 0 && !hidden ? "keep" : null;

export const actionName: Record<Action, string> = {
  approve: "Approve",
  keep: "Keep",
  hide: "Hide",
  show: "Show",
  reopen: "Undo",
};

/** The action that undoes this one. A comment that was waiting for approval cannot be made to wait again. */
export const opposite = (action: Action, { held }: AdminComment): Action | null =>
  action === "keep" ? "reopen" : action === "show" ? "hide" : action === "hide" && !held ? "show" : null;

export const beginning = (text: string) => (text.length > 140 ? `${text.slice(0, 140)}…` : text);
