import { useQuery } from "@tanstack/react-query";
import { count, number } from "../lib/format";
import { paths } from "../lib/paths";
import type { IconName } from "../ui/icon";
import { everyQuarterMinute, useEvery } from "./attention";
import { countsQuery } from "./queries";

/** How much there is of everything. */
type Tiles = { reports: number; drafts: number; gallery: number };

export type AdminPage = {
  label: string;
  to: string;
  icon: IconName;
  /** How much there is, beside the link. */
  note?: (tiles: Tiles) => string;
  /** Somebody waits: the note stands out. */
  urgent?: (tiles: Tiles) => boolean;
  /** Below the line, with what is set up once. */
  house?: true;
  ownersOnly?: true;
};

/** What the staff area has. A page that comes to exist is added here. */
const pages: AdminPage[] = [
  { label: "Reports", to: paths.admin.reports, icon: "film", note: ({ reports, drafts }) => (drafts > 0 ? count(drafts, "draft") : number(reports)) },
  { label: "Gallery", to: paths.admin.gallery, icon: "box", note: ({ gallery }) => number(gallery) },
  { label: "Admin accounts", to: paths.admin.accounts, icon: "key", house: true, ownersOnly: true },
];

export const pagesFor = (role: "owner" | "staff") => pages.filter(({ ownersOnly }) => !ownersOnly || role === "owner");

export function useTiles(): Tiles | undefined {
  const counts = useQuery({ ...countsQuery, refetchInterval: useEvery(everyQuarterMinute) }).data;
  return counts && { reports: counts.current, drafts: counts.draft, gallery: counts.archive };
}
