import { count, number } from "../../lib/format";
import type { Activity, Analytics, Day, Figure } from "./queries";

export const periods = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "season", label: "Season" },
] as const;

export type Period = (typeof periods)[number]["value"];

export const periodOf = (text: string | null): Period => periods.find(({ value }) => value === text)?.value ?? "30";

export type Measure = Exclude<keyof Day, "day">;

/** What each measure counts, and how. */
export const measures: readonly { value: Measure; label: string; about: string }[] = [
  { value: "views", label: "Views", about: "One per viewer, video and hour, without staff" },
  { value: "likes", label: "Likes", about: "Given then and not taken back" },
  { value: "comments", label: "Comments", about: "Those that families see" },
  { value: "new_members", label: "New members", about: "New logins of parents and visitors" },
];

export const lengthOf = ({ from, to }: Pick<Analytics, "from" | "to">) =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/** Compares a figure with the previous period of the same length. */
export function comparison({ value, before }: Figure, days: number) {
  const earlier = `the ${count(days, "day")} before`;
  if (value === before) return `As many as in ${earlier}`;
  if (before === 0) return `None in ${earlier}`;
  const percent = Math.round((Math.abs(value - before) / before) * 100);
  const change =
    percent === 0
      ? value > before
        ? "Slightly up"
        : "Slightly down"
      : `${value > before ? "Up" : "Down"} ${number(percent)}%`;
  return `${change} from ${number(before)} in ${earlier}`;
}

export const share = (part: number, whole: number) => (whole > 0 ? (part / whole) * 100 : 0);

/** "84%". Shows 0% only for nobody and 100% only for everybody. */
export function percentLabel(part: number, whole: number) {
  const exact = share(part, whole);
  if (part > 0 && exact < 1) return "under 1%";
  if (part < whole && exact > 99) return "over 99%";
  return `${Math.round(exact)}%`;
}

/** The maximum of the axis: a round number that can be cut in half. */
export function axisMaximum(highest: number) {
  if (highest <= 2) return 2;
  const step = 10 ** Math.floor(Math.log10(highest));
  const top = [1, 2, 4, 6, 8, 10].map((n) => n * step).find((n) => n >= highest)!;
  return top === 1 ? 2 : top;
}

export const activityIcon = { comment: "talk", member: "people", video: "film", like: "heart" } as const;

/** The text before and after the name. */
export function activityWords({ kind }: Activity): [string, string] {
  if (kind === "comment") return ["", " commented"];
  if (kind === "member") return ["", " joined"];
  if (kind === "like") return ["", " was liked"];
  return ["", " was published"];
}
