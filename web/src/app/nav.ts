import { paths } from "../lib/paths";

/** What the header and the footer lead to. A page that comes to exist is added here, one line each. */
export const mainNav = [
  { label: "Home", to: paths.home },
  { label: "Current Videos", to: paths.currentVideos },
  { label: "Past Videos", to: paths.pastVideos },
];

export const quickLinks = [
  { label: "Daily Reports", to: paths.currentVideos },
  { label: "Report Archives", to: paths.pastVideos },
];

export const supportLinks: { label: string; to: string }[] = [];

export const legalLinks: { label: string; to: string }[] = [];
