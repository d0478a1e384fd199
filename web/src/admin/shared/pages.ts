import { useQuery } from "@tanstack/react-query";
import { count, number } from "../../lib/format";
import { staffPaths } from "../../lib/staff-paths";
import type { IconName } from "../../ui/icon";
import { everyFifteenSeconds, useRefetchInterval } from "./refetch-interval";
import { dashboardQuery, type Tiles } from "./dashboard-query";

export type AdminPage = {
  label: string;
  to: string;
  icon: IconName;
  /** The text on the dashboard tile. The dashboard itself has none. */
  about?: string;
  /** The number beside the link. On the tile it is a phrase. */
  note?: (tiles: Tiles) => string;
  /** What the number counts, left out where there is no room. */
  noteEnd?: string;
  tile?: (tiles: Tiles) => string;
  /** Whether to highlight the number, because somebody is waiting. */
  urgent?: (tiles: Tiles) => boolean;
  /** Listed below the line, with the rarely used pages. */
  administration?: true;
  ownersOnly?: true;
};

/** The pages of the staff area, for the navigation and the dashboard. New pages go here. */
const pages: AdminPage[] = [
  { label: "Dashboard", to: staffPaths.dashboard, icon: "home" },
  {
    label: "Reports",
    to: staffPaths.reports,
    icon: "film",
    about: "Upload and manage daily progress reports",
    note: ({ reports, drafts }) => (drafts > 0 ? count(drafts, "draft") : `${number(reports)} this year`),
    tile: ({ reports, drafts }) =>
      `${number(reports)} this year${drafts > 0 ? `, ${count(drafts, "draft")} of any year` : ""}`,
  },
  {
    label: "Gallery",
    to: staffPaths.gallery,
    icon: "box",
    about: "Manage previous years' camp videos",
    note: ({ gallery }) => count(gallery, "video"),
    tile: ({ gallery }) => `${count(gallery, "video")} of earlier years`,
  },
  {
    label: "Comments",
    to: staffPaths.comments,
    icon: "talk",
    about: "What families write under the videos, and what readers report",
    note: ({ comments_to_review }) => (comments_to_review > 0 ? number(comments_to_review) : ""),
    noteEnd: "to review",
    tile: ({ comments_to_review }) => `${number(comments_to_review)} to review`,
    urgent: ({ comments_to_review }) => comments_to_review > 0,
  },
  {
    label: "Users",
    to: staffPaths.users,
    icon: "people",
    about: "Families, payments and their emails",
    note: ({ users }) => number(users),
    tile: ({ users }) => count(users, "user"),
  },
  {
    label: "Payments",
    to: staffPaths.payments,
    icon: "cash",
    about: "What families paid, and every refund and correction, by its day",
  },
  {
    label: "Live updates",
    to: staffPaths.liveUpdates,
    icon: "horn",
    about: "Short announcements, on the site right away and by email",
    note: ({ live_updates }) => `${number(live_updates)} active`,
    tile: ({ live_updates }) => `${number(live_updates)} active`,
  },
  {
    label: "Messages",
    to: staffPaths.messages,
    icon: "message",
    about: "What people write to the camp, and the camp's newsletters",
    note: ({ messages_unread }) => (messages_unread > 0 ? `${number(messages_unread)} unread` : ""),
    tile: ({ messages_unread }) => `${number(messages_unread)} unread`,
    urgent: ({ messages_unread }) => messages_unread > 0,
  },
  {
    label: "Email",
    to: staffPaths.mail,
    icon: "mail",
    about: "Emails that did not arrive, and how every email looks",
  },
  {
    label: "FAQ",
    to: staffPaths.faq,
    icon: "help",
    about: "What families ask, and what the camp answers",
    note: ({ faq }) => `${number(faq)} published`,
    tile: ({ faq }) => `${count(faq, "entry", "entries")} published`,
  },
  {
    label: "Store",
    to: staffPaths.store,
    icon: "bag",
    about: "What families see in the camp store",
    note: ({ store }) => count(store, "item"),
    tile: ({ store }) => count(store, "item"),
  },
  {
    label: "Analytics",
    to: staffPaths.analytics,
    icon: "chart",
    about: "What families watch and say",
    tile: ({ views }) => `${count(views, "view")} in 7 days`,
  },
  {
    label: "Admin accounts",
    to: staffPaths.accounts,
    icon: "key",
    about: "Who may sign in to the staff area",
    administration: true,
    ownersOnly: true,
    note: ({ accounts }) => number(accounts),
    noteEnd: "active",
    tile: ({ accounts }) => `${number(accounts)} active`,
  },
  {
    label: "Settings",
    to: staffPaths.settings,
    icon: "cog",
    about: "How the site works, for everyone",
    administration: true,
    ownersOnly: true,
  },
  {
    label: "Audit",
    to: staffPaths.audit,
    icon: "clock",
    about: "Who did what, when, to which record",
    administration: true,
    ownersOnly: true,
  },
];

export const pagesFor = (role: "owner" | "staff") => pages.filter(({ ownersOnly }) => !ownersOnly || role === "owner");

export function useTiles(): Tiles | undefined {
  return useQuery({ ...dashboardQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) }).data?.tiles;
}
