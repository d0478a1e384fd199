import { number, shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import { campDateTime } from "../../lib/moments";
import { settingLabel, valueLabel } from "../settings/words";
import type { Entry, Line, Menus } from "./queries";

/** The label of each action. */
const deeds: Record<string, string> = {
  "analytics.export": "Analytics exported",
  "audit.export": "Audit log exported",
  "backup.restore": "Backup restored",
  "comment.approve": "Comment approved",
  "comment.delete": "Comment deleted",
  "comment.hide": "Comment hidden",
  "comment.keep": "Reported comment kept",
  "comment.reopen": "Reports of a comment opened again",
  "comment.show": "Comment shown again",
  "faq.add": "Question added",
  "faq.change": "Question changed",
  "faq.delete": "Question deleted",
  "faq.order": "Questions reordered",
  "gallery.import": "Videos imported",
  "job.retry": "Failed job retried",
  "letter.retry_mail": "Failed emails of a newsletter resent",
  "letter.send": "Newsletter sent",
  "letter.test": "Newsletter test sent to oneself",
  "live_update.create": "Live update posted",
  "live_update.delete": "Live update deleted",
  "live_update.edit": "Live update changed",
  "live_update.expire": "Live update expired",
  "live_update.test": "Live update test sent to oneself",
  "mail.let_through": "Emails turned back on for a refused address",
  "mail.send_again": "Failed emails resent",
  "mail.test": "Email preview sent to oneself",
  "message.change": "Message marked or assigned",
  "message.delete": "Message deleted",
  "message.reply": "Message replied to",
  "message.retry_mail": "Failed reply resent",
  "payment.export": "Payments exported",
  "payment.record": "Payment recorded",
  "payment_plan.change": "Payment plan changed",
  "product.add": "Product added",
  "product.add_image": "Product picture added",
  "product.change": "Product changed",
  "product.delete": "Product deleted",
  "product.order_images": "Product pictures reordered",
  "product.remove_image": "Product picture removed",
  "profile.add": "Family added",
  "profile.approve": "Family approved",
  "profile.change": "Family changed",
  "profile.clear_limits": "Sign-in of a family unlocked",
  "profile.confirm_email": "Second address of a family confirmed",
  "profile.copy_invitation": "Invitation link copied",
  "profile.delete": "Family deleted",
  "profile.export": "Families exported",
  "profile.import": "Families imported",
  "profile.invite": "Invitation sent",
  "profile.merge": "Two families merged",
  "profile.refuse": "Family refused",
  "profile.remove_login": "Login removed from a family",
  "profile.undo_import": "Import of families undone",
  seed: "Sample camp created",
  "settings.export": "Settings exported",
  "settings.set": "Setting changed",
  "staff.add": "Staff account added",
  "staff.change": "Staff account changed",
  "staff.change_password": "Own staff password changed",
  "staff.clear_limits": "Sign-in of a staff account unlocked",
  "staff.end_sessions": "Staff sessions ended",
  "staff.recovery_codes": "New recovery codes",
  "staff.remove": "Staff account deleted",
  "staff.reset_two_factor": "Two-factor reset",
  "staff.send_reset": "Link for a new password sent",
  "staff.sign_in": "Staff signed in",
  "staff.sign_in_refused": "Staff sign-in refused",
  "staff.two_factor_off": "Two-factor turned off",
  "staff.two_factor_on": "Two-factor turned on",
  "subscriber.remove": "Subscriber removed",
  "subscribers.export": "Mailing list exported",
  "user.change_email": "Own email address changed",
  "user.change_password": "Own password changed",
  "user.delete": "Own account deleted",
  "user.link": "Login linked to a family",
  "user.sign_in": "Signed in",
  "user.sign_in_refused": "Sign-in refused",
  "user.sign_up": "Signed up",
  "user.verify": "Email address confirmed",
  "video.captions": "Captions of a video changed",
  "video.convert": "Video converted",
  "video.create": "Video added",
  "video.delete": "Video deleted",
  "video.edit": "Video changed",
  "video.publish": "Video published",
  "video.retry_mail": "Failed emails of a video resent",
  "video.tell_late": "Families told that the video is late",
  "video.trim": "Video trimmed",
  "video.upload": "Video file uploaded",
  "video.upload_cancel": "Upload of a video file canceled",
  "video.upload_failed": "Upload of a video file failed",
  "video.upload_retry": "Conversion of a video file tried again",
};

const topics: Record<string, string> = {
  audit: "Audit log",
  comment: "Comments",
  faq: "FAQ",
  gallery: "Gallery",
  job: "Background work",
  letter: "Newsletters",
  live_update: "Live updates",
  message: "Messages",
  payment: "Payments",
  payment_plan: "Payment plans",
  product: "Store",
  profile: "Families",
  seed: "Sample camp",
  staff: "Staff accounts",
  subscriber: "Mailing list",
  subscribers: "Mailing list",
  user: "Logins of families",
  video: "Videos",
};

const subjects: Record<string, string> = {
  audit: "The audit log",
  database: "The database",
  faq: "Question",
  job: "Background work",
  profile: "Family",
  staff: "Staff account",
  subscribers: "Mailing list",
  user: "Login of a family",
};

const fields: Record<string, string> = {
  account: "Account",
  actor: "By",
  actor_kind: "By",
  camp_updates_email: "Emails about camp updates",
  child_name: "Child’s name",
  daily_video_email: "Emails about daily videos",
  disabled: "Disabled",
  due_date: "Due",
  email: "Email address",
  email_notifications: "Newsletters",
  emails: "Email addresses",
  expires_at: "Shown until",
  full_name: "Name",
  from: "From",
  images: "Pictures",
  is_active: "Active",
  is_bestseller: "Bestseller",
  is_featured: "Featured",
  is_new: "New",
  is_published: "Published",
  merged: "Merged family",
  merged_plan_paid_amount: "Paid by the merged family",
  merged_plan_total_amount: "Total of the merged family",
  paid_amount: "Paid",
  pinned_until: "Pinned until",
  payment_id: "Payment",
  user_id: "Login",
  reply_id: "Answer",
  rows: "Lines",
  send_mail: "Sent by email",
  stock_quantity: "Stock",
  subject: "Record",
  subject_kind: "Kind of record",
  to: "To",
  total_amount: "Total",
  tried: "Name that was tried",
  two_factor: "Two-factor",
  upload_date: "Filmed on",
  urgent: "Urgent",
  video_id: "Video",
  video_url: "Link",
  void_of: "Takes back",
};

/** Fields whose values come from a fixed set of words. */
const choices = new Set([
  "account",
  "actor_kind",
  "audience",
  "category",
  "comment",
  "department",
  "kind",
  "priority",
  "role",
  "standing",
  "status",
  "subject_kind",
]);
/** Whether a field's values are in cents. */
const isMoney = (field: string) => /(^|_)(amount|price)$/.test(field) || field === "defaultPlanAmount";
const isSetting = (field: string) =>
  /[A-Z]/.test(field) || field === "access" || field === "timezone" || field === "logo";

const own = (words: Record<string, string>, word: string) => (Object.hasOwn(words, word) ? words[word] : undefined);

/** An unknown action gets a readable label: "video.turn_round" is "Video: turn round". */
export function actionLabel(action: string) {
  const [topic = "", ...rest] = action.split(".");
  const what = rest.join(" ").replaceAll("_", " ");
  return own(deeds, action) ?? (what ? `${settingLabel(topic)}: ${what}` : settingLabel(topic));
}

export const topicOf = (action: string) => action.split(".")[0]!;
export const topicLabel = (topic: string) => own(topics, topic) ?? settingLabel(topic);
export const subjectLabel = (kind: string) => own(subjects, kind) ?? settingLabel(kind);
export const fieldLabel = (field: string) => own(fields, field) ?? settingLabel(field);

export const kinds = {
  staff: "Any staff",
  user: "Any family",
  operator: "The command line",
  system: "The site itself",
  nobody: "Someone not signed in",
} as const;
export type Kind = keyof typeof kinds;

const actors: Record<Kind, string> = {
  staff: "a former staff account",
  user: "a family",
  operator: "the command line",
  system: "the site itself",
  nobody: "someone not signed in",
};
export const actorLabel = ({ actor_kind }: Entry) => own(actors, actor_kind) ?? actor_kind;

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isRecordId = (text: string) => isUuid.test(text);

/** Uses the end of the id, because ids from one day often share their first eight characters. */
export const shortId = (id: string) => `…${id.slice(-8)}`;

export type Reading = { timeZone: string; menus: Menus | undefined };

/** A value in readable form. */
export function shown(field: string, value: unknown, { timeZone, menus }: Reading): string {
  if (value === null || value === undefined) return "Not set";
  if (typeof value === "number") return isMoney(field) ? money(value, menus?.currency) : number(value);
  if (Array.isArray(value) && !isSetting(field))
    return value.length > 0 ? value.map((one) => shown(field, one, { timeZone, menus })).join(", ") : "None";
  if (typeof value === "boolean") return isSetting(field) ? valueLabel(value) : value ? "Yes" : "No";
  if (typeof value === "string") {
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return shortDate(value);
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(value)) return campDateTime(value, timeZone);
    if (isRecordId(value) && !isSetting(field))
      return menus?.staff.find(({ id }) => id === value)?.username ?? shortId(value);
    if (field === "action") return value.includes(".") ? actionLabel(value) : topicLabel(value);
    if (field === "subject_kind") return subjectLabel(value);
    if (field === "actor_kind") return own(kinds, value) ?? value;
    if (choices.has(field) || value === "changed") return settingLabel(value);
  }
  return valueLabel(value, field);
}

/** Values of a record that can be looked up in the log. */
export const linkedRecord = ({ field, after }: Line) =>
  ["merged", "video_id", "subject"].includes(field) && typeof after === "string" && isRecordId(after) ? after : null;
