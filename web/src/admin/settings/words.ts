import { count, number } from "../../lib/format";
import { hourLabel } from "../../lib/hour-label";
import { parseMoney, typedMoney } from "../../lib/money";
import type { Setting, Values } from "./queries";

/** The value of each control, by key: text, or true and false. */
export type Typed = Record<string, string | boolean>;

export const groups = [
  {
    name: "general",
    title: "General",
    about: "What families see about the camp, and where their messages go.",
    action: "Save general settings",
    saved: "Settings Saved",
  },
  {
    name: "look",
    title: "Look",
    about: "The camp's own colors and pictures, instead of the built-in ones.",
    action: "Save colors",
    saved: "Settings Saved",
  },
  {
    name: "payments",
    title: "Payment reminders",
    about: "Emails to families whose payment plan has a due date, until everything is paid.",
    action: "Save payment reminders",
    saved: "Payment Reminders Updated",
  },
  {
    name: "notifications",
    title: "Notifications",
    about: "Which emails go out, and what browsers may show.",
    action: "Save notifications",
    saved: "Notifications Updated",
  },
  {
    name: "quiet_time",
    title: "Quiet time",
    about: "Shabbos, Yom Tov and other times in which emails and notifications wait.",
    action: "Save quiet time",
    saved: "Quiet Time Updated",
  },
  {
    name: "security",
    title: "Security",
    about: "Who may watch, who may join, and how people sign in.",
    action: "Save security settings",
    saved: "Security Settings Updated",
  },
] as const;

export type Group = (typeof groups)[number];

const labels: Record<string, string> = {
  siteName: "Camp name",
  siteDescription: "Description",
  contactEmail: "Contact email",
  contactPhone: "Contact phone",
  staffEmail: "Staff email",
  videoTeamEmail: "Video team email",
  timezone: "Time zone",
  postingTimeText: "Posting time",
  postingDeadline: "Alert if no video by",
  commentModeration: "Comments",
  mainColor: "Main color",
  accentColor: "Accent color",
  logo: "Logo",
  heroPictures: "Home pictures",
  uploadQuota: "Upload quota (GB)",
  shopUrl: "Shop address",
  access: "Access to videos",
  paymentInstructions: "How to pay",
  reminderHour: "Time of day",
  remindBeforeDue: "A week before the due date",
  remindOnDueDate: "On the due date",
  remindOverdue: "Every week while overdue",
  emailEnabled: "Email",
  dailyReports: "Daily videos",
  systemAlerts: "System alerts",
  pushEnabled: "Browser notifications",
  liveUpdates: "Live updates",
  digestHour: "Time of the daily email",
  smsEnabled: "Text messages",
  userRegistrations: "Sign-up",
  requireEmailVerification: "Confirm email addresses",
  sessionTimeout: "Session timeout (minutes)",
  maxLoginAttempts: "Sign-in attempts",
  passwordMinLength: "Minimum password length",
  enableTwoFactor: "Two-factor for all staff",
  shabbosMode: "In quiet time",
  quietHours: "Hours",
  quietPlace: "Place",
  candleLightingMinutes: "Candle lighting (minutes before sunset)",
  nightfall: "Nightfall",
  quietStart: "Begins",
  quietEnd: "Ends",
  yomTov: "Yom Tov",
  quietDates: "More dates",
  quietHoldsVideos: "Hold scheduled videos",
  quietNotice: "Notice on the site",
};

/** An unknown key gets a readable label: "digestHour" is "Digest hour". */
export function settingLabel(key: string) {
  if (Object.hasOwn(labels, key)) return labels[key]!;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether this is an hour of the day, which is stored as a number from 0 to 23. */
const isHour = (key: string) => key.endsWith("Hour");

/** Whether the value is in cents, but typed and shown as money. */
const isMoney = (key: string) => key === "defaultPlanAmount";

const choices: Record<string, string> = {
  everyone: "Everyone",
  signed_in: "People who are signed in",
  families: "Families of the camp",
  at_once: "Appear at once",
  first_held: "Everyone’s first comment waits for approval",
  quiet: "Emails and notifications wait",
  closed: "The site is closed as well",
  candle_lighting: "From candle lighting to nightfall",
  fixed: "Fixed times of the week",
  diaspora: "As in the diaspora",
  israel: "As in Israel",
};

/** The label of "none" differs between settings. */
const none: Record<string, string> = { shabbosMode: "Nothing changes", yomTov: "Not kept" };

export const choiceLabel = (choice: string, key = "") =>
  choice === "none" && Object.hasOwn(none, key)
    ? none[key]!
    : Object.hasOwn(choices, choice)
      ? choices[choice]!
      : /^[A-Z]+$/.test(choice)
        ? choice
        : settingLabel(choice);

const isId = (value: unknown) =>
  typeof value === "string" && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);

/** A value in readable form. */
export function valueLabel(value: unknown, key = ""): string {
  if (typeof value === "number" && isMoney(key)) return typedMoney(value);
  if (value === true) return "On";
  if (value === false) return "Off";
  if (value === null || value === undefined) return "Not set";
  if (value === "") return "Empty";
  if (Array.isArray(value) && value.every(isId)) return value.length === 0 ? "None" : count(value.length, "picture");
  if (isId(value)) return "A picture";
  if (typeof value === "number" && isHour(key)) return hourLabel(value);
  if (typeof value === "number") return number(value);
  if (value === "none" && Object.hasOwn(none, key)) return none[key]!;
  if (typeof value === "string") return Object.hasOwn(choices, value) ? choices[value]! : value;
  if (key === "quietDates" && Array.isArray(value)) return value.length === 0 ? "None" : count(value.length, "date");
  return JSON.stringify(value);
}

/** Replaces the keys in the server’s messages with labels. */
export const sentence = (key: string, message: string) => message.replaceAll(key, settingLabel(key));

export const shown = ({ key, kind, value }: Setting, typed: Typed) =>
  typed[key] ??
  (kind === "switch"
    ? value === true
    : isMoney(key) && typeof value === "number"
      ? typedMoney(value)
      : kind === "extra_times"
        ? JSON.stringify(value)
        : String(value ?? ""));

/** When the stored value is invalid, choosing the value in effect also counts as a change. */
export const isChanged = (setting: Setting, typed: Typed) =>
  setting.key in typed && (Boolean(setting.problem) || shown(setting, typed) !== shown(setting, {}));

/** The changed values of a group, and the errors of invalid ones. */
export function changesOf(settings: Setting[], typed: Typed) {
  const values: Values = {};
  const errors: Record<string, string> = {};
  for (const setting of settings) {
    if (setting.unavailable || !isChanged(setting, typed)) continue;
    const value = shown(setting, typed);
    if (isMoney(setting.key)) {
      const cents = parseMoney(String(value));
      if (cents === null) errors[setting.key] = "Please enter an amount, for example 1,250.00.";
      else values[setting.key] = cents;
    } else if (setting.kind === "number") {
      if (/^-?\d+$/.test(String(value).trim())) values[setting.key] = Number(value);
      else errors[setting.key] = `Please enter a whole number${rangeOf(setting)}.`;
    } else if (setting.kind === "hour") {
      values[setting.key] = Number(value);
    } else if (setting.kind === "extra_times") {
      values[setting.key] = JSON.parse(String(value));
    } else {
      values[setting.key] = value;
    }
  }
  return { values, errors };
}

const ofCandleLighting = ["quietPlace", "candleLightingMinutes", "nightfall"];
const ofFixedHours = ["quietStart", "quietEnd"];

/** Whether these settings, as currently typed, include quiet time. */
export const hasQuietTime = (settings: Setting[], typed: Typed) =>
  settings.some((setting) => setting.key === "shabbosMode" && shown(setting, typed) !== "none");

/** Whether a setting makes sense with the other settings of its group, as currently typed. */
export function isRelevant({ key, group, problem }: Setting, settings: Setting[], typed: Typed) {
  if (group !== "quiet_time" || key === "shabbosMode" || problem) return true;
  const hours = settings.find((setting) => setting.key === "quietHours");
  const fixed = hours && shown(hours, typed) === "fixed";
  return hasQuietTime(settings, typed) && !(fixed ? ofCandleLighting : ofFixedHours).includes(key);
}

const rangeOf = ({ min, max }: Setting) =>
  min !== null && min !== undefined && max !== null && max !== undefined
    ? ` from ${number(min)} to ${number(max)}`
    : "";

/** Hints for settings whose help describes what to type on the command line. */
const hints: Record<string, string> = {
  shabbosMode: "What changes on Shabbos, on Yom Tov and on the camp's own dates",
  quietPlace: "Where sunset is measured: a place from the list, or latitude and longitude like 41.11,\u00a0-74.07",
  candleLightingMinutes: "When quiet time begins: from 0 to 90",
  nightfall: "When quiet time ends",
  quietStart: "Every week at this time",
  quietEnd: "Every week at this time",
  paymentInstructions: "In reminders and on the families’ profile page, for example where to send a check",
  postingDeadline: "If no video is published by then, owners get an email and the dashboard says so",
  reminderHour: "In the camp’s time zone. In quiet time reminders wait",
  digestHour: "For families that chose one email a day, in the camp’s time zone. After quiet time it comes late",
  quietDates: "Whole days from the evening before, or certain hours",
};

export function hintOf(setting: Setting) {
  if (Object.hasOwn(hints, setting.key)) return hints[setting.key]!;
  if (isMoney(setting.key)) return setting.help.replace(", in cents", "");
  return setting.kind === "number" && rangeOf(setting) ? `${setting.help}:${rangeOf(setting)}` : setting.help;
}

/** A settings file is an object of keys and values. */
export function readSettings(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : null;
  } catch {
    return null;
  }
}
