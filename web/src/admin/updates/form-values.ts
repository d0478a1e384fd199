import { isPinned } from "../../api/is-pinned";
import { campLocal } from "../../lib/format";
import { changed } from "../shared/form";
import { mailsWait } from "../shared/quiet-time";
import { people } from "../shared/words";
import type { AdminUpdate, NewUpdate, Priority, TestUpdate, UpdatePatch } from "./queries";

/** The values of the form. */
export type FormValues = {
  title: string;
  message: string;
  author: string;
  priority: Priority;
  /** The number of days from now, "" for no pin, or "keep" for the current end. */
  pin: string;
  date: string;
  time: string;
};

export const endOfDay = "23:59";

export function valuesOf(update: AdminUpdate | null, timeZone: string): FormValues {
  const end = update?.expires_at ? campLocal(update.expires_at, timeZone) : { date: "", time: "" };
  return {
    title: update?.title ?? "",
    message: update?.message ?? "",
    author: update?.author ?? "",
    priority: update?.priority ?? "medium",
    pin: update && isPinned(update, Date.now()) ? "keep" : "",
    ...end,
  };
}

/** In the camp's time zone. Without a time, an update expires at the end of its day. */
export const expiryOf = ({ date, time }: Pick<FormValues, "date" | "time">) =>
  date ? `${date}T${time || endOfDay}` : null;

export function missing({ title, message, author, date, time }: FormValues): Record<string, string> {
  return {
    ...(title.trim() ? {} : { title: "Title is required" }),
    ...(message.trim() ? {} : { message: "Message is required" }),
    ...(author.trim() ? {} : { author: "Author is required" }),
    ...(time && !date ? { expires_at: "Please choose a date as well." } : {}),
  };
}

/** The update as the test email shows it. */
export const testUpdateOf = ({ title, message, author, priority }: FormValues): TestUpdate => ({
  title: title.trim(),
  message: message.trim(),
  author: author.trim(),
  priority,
});

const fieldsOf = (values: FormValues) => ({
  ...testUpdateOf(values),
  pin_days: values.pin === "keep" ? undefined : values.pin ? Number(values.pin) : null,
  expires_at: expiryOf(values),
});

export function newUpdateOf(values: FormValues, sendMail: boolean, urgent: boolean): NewUpdate {
  const { pin_days = null, ...fields } = fieldsOf(values);
  return { ...fields, pin_days, send_mail: sendMail, ...(urgent ? { urgent } : {}) };
}

/** Only the changed values. */
export function changesOf(values: FormValues, base: FormValues): Omit<UpdatePatch, "version"> {
  const { pin_days, ...changes } = changed(fieldsOf(values), fieldsOf(base));
  return pin_days === undefined ? changes : { ...changes, pin_days };
}

/** The label of the button that posts an update. */
export function postLabel(reach: number | undefined, sendMail = true) {
  if (!sendMail) return "Post update without email";
  return reach ? `Post update to ${people(reach)}` : "Post update";
}

/** Who gets an email about a new update. */
export function mailHint(reach: number | undefined, sendMail: boolean) {
  if (!sendMail) return "No emails are sent, even if it is activated again later.";
  if (reach === undefined) return "Everyone who wants camp updates gets one email.";
  if (reach === 0) return "No one would get an email now.";
  return `${people(reach)} ${reach === 1 ? "gets" : "get"} one email.`;
}

/** The choices for how many days an update is pinned. */
export const pinDays = [1, 2, 3, 4, 5, 6, 7];

type Posted = { notified: number; mail_at?: string | null };

/** The toast after posting. It mentions emails only if some were queued or go out after quiet time. */
export function postedToast({ notified, mail_at }: Posted, timeZone: string) {
  const posted = "Your update has been posted";
  const later = mailsWait(mail_at, timeZone);
  return {
    title: "Live Update Posted!",
    description: later
      ? `${posted}. ${later}`
      : notified > 0
        ? `${posted} and parents will be notified.`
        : `${posted}.`,
  };
}

export const visibilityToast = (active: boolean) =>
  active
    ? { title: "Update Activated", description: "The update is now visible to parents." }
    : { title: "Update Deactivated", description: "The update is now hidden to parents." };
