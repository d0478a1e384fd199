import { cx } from "./class-names";

const shapes = {
  alert: "M12 4 21 19.5H3zM12 10v4.5M12 17v.1",
  bag: "M5 8h14l1 12H4zM9 8V7a3 3 0 0 1 6 0v1",
  bell: "M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500h4",
  box: "M3.5 5h17v4h-17zM5 9v10.5h14V9M10 13h4",
  calendar: "M4 6h16v14H4zM4 10.5h16M8.5 3.5v4M15.5 3.5v4",
  cash: "M3 6.500h18v11H3zM14.500 12a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM6 12v.1M18 12v.1",
  chart: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  check: "m5 12.5 4.5 4.5L19 7.5",
  clock: "M20.2 12a8.2 8.2 0 1 1-16.4 0 8.2 8.2 0 0 1 16.4 0zM12 7.5V12l3 2",
  close: "M6 6l12 12M18 6 6 18",
  cog: "M4 8h8.800M17.200 8H20M4 16h2.800M11.200 16H20M17.200 8a2.200 2.200 0 1 1-4.400 0 2.200 2.200 0 0 1 4.400 0zM11.200 16a2.200 2.200 0 1 1-4.400 0 2.200 2.200 0 0 1 4.400 0z",
  down: "m5 9.5 7 7 7-7",
  download: "M12 5v13m0 0-5.500-5.500M12 18l5.500-5.500",
  edit: "M4.5 19.5 5.5 15 16 4.5 19.5 8 9 18.5zM14 6.500 17.500 10",
  eye: "M2.500 12S6 5.800 12 5.800 21.500 12 21.500 12 18 18.200 12 18.200 2.500 12 2.500 12zM14.700 12a2.700 2.700 0 1 1-5.400 0 2.700 2.700 0 0 1 5.400 0z",
  film: "M3.500 5.500h17v13h-17zM8 5.500v13M16 5.500v13M3.500 12h17",
  flag: "M5.500 21V4.500M5.500 5c4-2 7.500 2 13 0v8.500c-5.500 2-9-2-13 0",
  heart:
    "M12 20S4 15 4 9.200C4 6.300 6.200 4.600 8.300 4.600c1.700 0 3 .9 3.700 2.300.7-1.400 2-2.300 3.700-2.300 2.100 0 4.300 1.700 4.300 4.600C20 15 12 20 12 20z",
  help: "M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0zM9.800 9.600A2.300 2.300 0 1 1 12 12.200v1.300M12 16.500v.1",
  home: "M4 11.500 12 5l8 6.500V20H4zM10 20v-5.500h4V20",
  horn: "M4 10v4.500l3 .5 1.500 4.500h2.500L10 15.300 19 18V6.500z",
  info: "M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0zM12 11v5.500M12 7.500v.1",
  key: "M12 15.500a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM11 12.500l8-8M16 7.500l2.500 2.500",
  link: "M10 14a4 4 0 0 0 6 .4l2.600-2.600a4 4 0 0 0-5.700-5.700L11.500 7.500M14 10a4 4 0 0 0-6-.4L5.400 12.200a4 4 0 0 0 5.700 5.700l1.400-1.400",
  lock: "M5.500 10.500h13v9.500h-13zM8.500 10.500V8a3.500 3.500 0 0 1 7 0v2.500M12 14.500v2",
  mail: "M3.500 6h17v12h-17zM4 6.500l8 6.500 8-6.500",
  menu: "M4 7h16M4 12h16M4 17h11",
  message:
    "M4 11.500a8 7.500 0 1 1 3.800 6.300L4 19.500l1-3.800a7.300 7.300 0 0 1-1-4.200zM9 9.500c.3 3 2.500 5.200 5.500 5.500",
  moon: "M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z",
  next: "m9.500 5 7 7-7 7",
  out: "M13.500 4.500h6v6M19 5l-8.500 8.500M17 14v5.500H4.500V7H10",
  phone: "M7.500 3h9v18h-9zM11 18h2",
  pause: "M8 5v14M16 5v14",
  people:
    "M12.500 8.500a3.500 3.500 0 1 1-7 0 3.500 3.500 0 0 1 7 0zM3 19.500c0-3.500 2.700-5.500 6-5.500s6 2 6 5.500M15.500 5.300a3.500 3.500 0 0 1 0 6.400M17.500 14.300c2.200.7 3.500 2.500 3.500 5.200",
  play: "M7 4.500v15l12.500-7.500z",
  plus: "M12 5v14M5 12h14",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  previous: "m14.500 5-7 7 7 7",
  refresh: "M19.500 12a7.500 7.500 0 1 1-2.300-5.400L19.500 9M19.500 4v5h-5",
  search: "M17.100 10.800a6.300 6.300 0 1 1-12.600 0 6.300 6.300 0 0 1 12.600 0zM15.500 15.500l4.500 4.500",
  share: "M12 15V4m0 0L8 8m4-4 4 4M5 13v6h14v-6",
  signOut: "M14 4.500H5v15h9M10.500 12H20m0 0-3.500-3.500M20 12l-3.500 3.500",
  star: "m12 4 2.500 5.200 5.500.7-4 3.900 1 5.700-5-2.800-5 2.800 1-5.700-4-3.900 5.500-.7z",
  sun: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  system: "M3.500 5h17v11h-17zM9 20h6M12 16v4",
  tablet: "M5 3.500h14v17H5zM11 17.500h2",
  talk: "M4 5h16v11h-9l-4.500 4v-4H4z",
  trash: "M5 7h14M9.500 7V4.500h5V7M7 7l.8 12.500h8.400L17 7M10.300 10.500v5.500M13.700 10.500v5.500",
  up: "M12 19V6m0 0-5.500 5.500M12 6l5.500 5.500",
} as const;

export type IconName = keyof typeof shapes;

/** Icons that point in the reading direction are mirrored on a right-to-left page. */
const directed = new Set<IconName>(["next", "previous", "out", "signOut"]);

export function Icon({ name, className, filled = false }: { name: IconName; className?: string; filled?: boolean }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={cx(
        // A second size would lose against this one, which stands behind it in the style sheet.
        !className?.includes("size-") && "size-[1.25em]",
        "shrink-0",
        directed.has(name) && "rtl:-scale-x-100",
        className,
      )}
      fill={filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
