import { afterEach, describe, expect, it, vi } from "vitest";
import { campLocal, campZone, cardDate, count, duration, fullDate, setCampZone, longDate } from "./format";
import { initials } from "./initials";
import { money } from "./money";
import { age, ago, campDateTime } from "./moments";

const zone = "America/New_York";
const now = new Date("2026-07-30T01:00:00Z");
const before = (minutes: number) => ago(new Date(now.getTime() - minutes * 60_000).toISOString(), zone, now);

describe("how long ago", () => {
  it("says minutes, hours and days, and from a week on the date at camp", () => {
    expect(before(0.9)).toBe("Just now");
    expect(before(1)).toBe("1 minute ago");
    expect(before(59)).toBe("59 minutes ago");
    expect(before(60)).toBe("1 hour ago");
    expect(before(23 * 60 + 59)).toBe("23 hours ago");
    expect(before(24 * 60)).toBe("1 day ago");
    expect(before(7 * 24 * 60 - 1)).toBe("6 days ago");
    expect(before(7 * 24 * 60)).toBe("July 22, 2026");
  });

  it("keeps counting days where no date is wanted", () => {
    const old = (minutes: number) => age(new Date(now.getTime() - minutes * 60_000).toISOString(), now);
    expect(old(0)).toBe("Just now");
    expect(old(24 * 60 - 1)).toBe("23 hours ago");
    expect(old(7 * 24 * 60)).toBe("7 days ago");
    expect(old(40 * 24 * 60)).toBe("40 days ago");
  });

  it("treats a time from a clock ahead of ours as now", () => {
    expect(before(-3)).toBe("Just now");
  });
});

describe("dates", () => {
  it("never move a plain date to its neighbor", () => {
    expect(fullDate("2026-11-01")).toBe("November 1, 2026");
    expect(longDate("2026-07-29")).toBe("Wednesday, July 29, 2026");
    expect(cardDate("2026-01-01", 2026)).toBe("Thu, Jan 1");
    expect(cardDate("2024-12-31", 2026)).toBe("Dec 31, 2024");
  });

  it("show a moment on the camp's own clock, also across midnight", () => {
    expect(campDateTime("2026-07-30T00:41:00Z", zone)).toBe("July 29, 2026, 8:41 PM");
    expect(campLocal("2026-07-30T04:05:00Z", zone)).toEqual({ date: "2026-07-30", time: "00:05" });
  });
});

describe("the camp's zone", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is named to readers whose clock shows another time, and only to them", () => {
    vi.stubEnv("TZ", "Europe/London");
    expect(campZone("2026-07-30T00:41:00Z", zone)).toBe(" EDT");
    expect(campZone("2026-01-30T00:41:00Z", zone)).toBe(" EST");
    vi.stubEnv("TZ", zone);
    expect(campZone("2026-07-30T00:41:00Z", zone)).toBe("");
    vi.stubEnv("TZ", "America/Toronto");
    expect(campZone("2026-07-30T00:41:00Z", zone)).toBe("");
  });
});

describe("a zone whose clock the server described", () => {
  const offsets = [
    { from: "2026-01-01T05:00:00Z", until: "2026-03-08T07:00:00Z", minutes: -300, name: "EST" },
    { from: "2026-03-08T07:00:00Z", until: "2026-11-01T06:00:00Z", minutes: -240, name: "EDT" },
    { from: "2026-11-01T06:00:00Z", until: "2027-01-01T05:00:00Z", minutes: -300, name: "EST" },
  ];
  const moments = [
    "2026-01-01T05:00:00Z",
    "2026-03-08T06:59:59Z",
    "2026-03-08T07:00:00Z",
    "2026-07-04T16:00:00Z",
    "2026-07-30T04:05:00Z",
    "2026-11-01T05:30:00Z",
    "2026-11-01T06:30:00Z",
    "2027-01-01T04:59:59Z",
  ];
  const shown = (moment: string) => [campDateTime(moment, zone), campZone(moment, zone), campLocal(moment, zone)];
  const unknown = () => setCampZone("", []);

  afterEach(() => {
    unknown();
    vi.unstubAllEnvs();
  });

  it("reads the same as one that the browser knows, without a formatter", () => {
    vi.stubEnv("TZ", "Europe/London");
    unknown();
    const asTheBrowserSays = moments.map(shown);
    setCampZone(zone, offsets);
    const formatter = vi.spyOn(Intl, "DateTimeFormat");
    expect(moments.map(shown)).toEqual(asTheBrowserSays);
    expect(formatter).not.toHaveBeenCalled();
  });

  it("asks the browser about other years and other zones", () => {
    setCampZone(zone, offsets);
    expect(campDateTime("2019-07-04T16:00:00Z", zone)).toBe("July 4, 2019, 12:00 PM");
    expect(campDateTime("2026-07-04T16:00:00Z", "Asia/Jerusalem")).toBe("July 4, 2026, 7:00 PM");
  });

  it("is not named to readers whose clock shows the same time", () => {
    vi.stubEnv("TZ", "America/Toronto");
    setCampZone(zone, offsets);
    expect(moments.map((moment) => campZone(moment, zone))).toEqual(moments.map(() => ""));
  });
});

it("counts with a proper singular", () => {
  expect(count(0, "read")).toBe("0 reads");
  expect(count(1, "read")).toBe("1 read");
  expect(count(1204, "comment")).toBe("1,204 comments");
});

it("writes money from cents", () => {
  expect(money(280_000)).toBe("$2,800");
  expect(money(12_345)).toBe("$123.45");
});

it("writes lengths of videos", () => {
  expect(duration(372)).toBe("6:12");
  expect(duration(3_727)).toBe("1:02:07");
});

it("takes the first letters of up to two words, else U", () => {
  expect(initials("Chaya Lindenfeld")).toBe("CL");
  expect(initials("  moshe   chaim steinmetz")).toBe("MC");
  expect(initials("שרה")).toBe("ש");
  expect(initials(" ")).toBe("U");
});
