import { paths } from "../lib/paths";

/** The links in the header and footer. New pages go here. */
export const mainNav = [
  { label: "Home", to: paths.home },
  { label: "Current Videos", to: paths.currentVideos },
  { label: "Past Videos", to: paths.pastVideos },
  { label: "About", to: paths.about },
  { label: "FAQ", to: paths.faq },
  { label: "Contact", to: paths.contact },
  { label: "Store", to: paths.store },
];

export const quickLinks = [
  { label: "Daily Reports", to: paths.currentVideos },
  { label: "Report Archives", to: paths.pastVideos },
  { label: "About Us", to: paths.about },
  { label: "FAQ", to: paths.faq },
];

export const supportLinks = [
  { label: "Contact Us", to: paths.contact },
  { label: "Resources", to: paths.store },
];

export const legalLinks = [
  { label: "Privacy Policy", to: paths.privacy },
  { label: "Terms of Service", to: paths.terms },
];
