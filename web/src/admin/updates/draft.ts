import { campLocal } from "../../lib/format";
import { changed } from "../shared/form";
import { people } from "../shared/words";
import type { AdminUpdate, NewUpdate, Priority, UpdatePatch } from "./queries";

/** The values of the form. */
export type Draft = {
  title: string;
  message: string;
  author: string;
  priority: Priority;
  pinned: boolean;
  date: string;
  time: string;
};

export const endOfDay = "23:59";

export function draftOf(update: AdminUpdate | null, timeZone: string): Draft {
  const end = update?.expires_at ? campLocal(update.expires_at, timeZone) : { date: "", time: "" };
  return {
    title: update?.title ?? "",
    message: update?.message ?? "",
    author: update?.author ?? "",
    priority: update?.priority ?? "medium",
    pinned: update?.pinned ?? false,
    ...end,
  };
}

/** In the camp's time zone; without a time an update ends with its day. */
export const expiryOf = ({ date, time }: Pick<Draft, "date" | "time">) => (date ? `${date}T${time || endOfDay}` : null);

export function missing({ title, message, author, date, time }: Draft): Record<string, string> {
  return {
    ...(title.trim() ? {} : { title: "Title is required" }),
    ...(message.trim() ? {} : { message: "Message is required" }),
    ...(author.trim() ? {} : { author: "Author is required" }),
    ...(time && !date ? { expires_at: "Please choose a date as well." } : {}),
  };
}

export function newUpdateOf(draft: Draft): NewUpdate {
  const { title, message, author, priority, pinned } = draft;
  return {
    title: title.trim(),
    message: message.trim(),
    author: author.trim(),
    priority,
    pinned,
    expires_at: expiryOf(draft),
  };
}

/** Only what the person changed. */
export function changesOf(draft: Draft, base: Draft): Omit<UpdatePatch, "version"> {
  return changed(newUpdateOf(draft), newUpdateOf(base));
}

/** The label of the button that posts an update. */
export const postLabel = (reach: number | undefined) => (reach ? `Post update to ${people(reach)}` : "Post update");

/** The toast after posting; it mentions mail only when mails were queued. */
export const postedToast = (notified: number) => ({
  title: "Live Update Posted!",
  description:
    notified > 0 ? "Your update has been posted and parents will be notified." : "Your update has been posted.",
});

export const visibilityToast = (active: boolean) =>
  active
    ? { title: "Update Activated", description: "The update is now visible to parents." }
    : { title: "Update Deactivated", description: "The update is now hidden to parents." };
