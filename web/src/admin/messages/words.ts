import { people } from "../shared/words";
import type { Audience, Department, MessageStatus, Reply } from "./queries";
import type { AutosaveState } from "./autosave";

export const statusName: Record<MessageStatus, string> = { unread: "Unread", read: "Read", replied: "Replied" };
export const departmentName: Record<Department, string> = { staff: "Camp staff", video_team: "Video team" };
export const senderName = { parent: "Parent", guest: "Guest" } as const;
export const audienceName: Record<Audience, string> = {
  families: "Families",
  mailing_list: "Mailing list",
  both: "Families and mailing list",
};
export const deliveryName: Record<Reply["delivery"], string> = { queued: "Queued", sent: "Sent", failed: "Failed" };

export const draftWords: Record<AutosaveState, string> = {
  kept: "Draft saved",
  typing: "Draft not saved yet",
  saving: "Saving draft...",
  failed: "The draft could not be saved. It is still here.",
};

/** The label of the button that sends a newsletter. */
export const letterLabel = (recipients: number | undefined) =>
  recipients ? `Send newsletter to ${people(recipients)}` : "Send newsletter";

/** The paragraphs of the email. An empty line starts a new one. */
export const paragraphs = (body: string) =>
  body
    .trim()
    .split(/\n\s*\n/)
    .filter(Boolean);
