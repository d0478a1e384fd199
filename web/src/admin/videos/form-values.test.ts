import { describe, expect, it } from "vitest";
import { adminVideo, draftVideo, scheduledVideo } from "../../test/staff";
import { changesOf, valuesOf, merge, reachOf, statusOf, updateLabel } from "./form-values";
import { campYears, dayInYear } from "./gallery-dialog";
import { looksLikeLink } from "./link-field";
import { scheduleTime } from "../shared/words";
import { uploadLabel, withNotifications } from "./words";

const zone = "America/New_York";

describe("the edit panel", () => {
  it("opens with Publish Immediately on for a published video, and with date and time in the camp's zone", () => {
    expect(valuesOf(adminVideo(), zone)).toMatchObject({ publish: true, date: "", time: "" });
    expect(valuesOf(scheduledVideo(), zone)).toMatchObject({ publish: false, date: "2030-07-30", time: "20:30" });
    expect(valuesOf(draftVideo(), zone)).toMatchObject({ publish: false, date: "", time: "" });
  });

  it.each([adminVideo(), draftVideo(), scheduledVideo()])(
    "sends nothing of a $status video that nobody touched",
    (video) => {
      expect(changesOf(valuesOf(video, zone), video, zone)).toEqual({});
    },
  );

  it.each([adminVideo(), draftVideo(), scheduledVideo()])(
    "leaves the status of a $status video alone when only its title changes",
    (video) => {
      expect(changesOf({ ...valuesOf(video, zone), title: " New title " }, video, zone)).toEqual({
        title: "New title",
      });
    },
  );

  it("publishes a draft by the switch, and schedules it by a date, at nine unless told otherwise", () => {
    const video = draftVideo();
    const values = valuesOf(video, zone);
    expect(changesOf({ ...values, publish: true }, video, zone)).toEqual({ status: "published" });
    expect(changesOf({ ...values, date: "2030-08-01" }, video, zone)).toEqual({
      status: "scheduled",
      scheduled_date: "2030-08-01T09:00",
    });
    expect(changesOf({ ...values, date: "2030-08-01", time: "21:15" }, video, zone)).toEqual({
      status: "scheduled",
      scheduled_date: "2030-08-01T21:15",
    });
  });

  it("moves a scheduled video to another time", () => {
    const video = scheduledVideo();
    expect(changesOf({ ...valuesOf(video, zone), time: "21:00" }, video, zone)).toEqual({
      status: "scheduled",
      scheduled_date: "2030-07-30T21:00",
    });
  });

  it("sets a scheduled or published video back to draft", () => {
    for (const video of [scheduledVideo(), adminVideo()]) {
      expect(changesOf({ ...valuesOf(video, zone), publish: false, date: "", time: "" }, video, zone)).toEqual({
        status: "draft",
      });
    }
  });

  it("can remove a description", () => {
    const video = adminVideo();
    expect(changesOf({ ...valuesOf(video, zone), description: "  " }, video, zone)).toEqual({ description: null });
  });

  it("keeps what was typed when somebody else was quicker, and takes over the rest", () => {
    const base = valuesOf(scheduledVideo(), zone);
    const mine = { ...base, title: "My title" };
    const fresh = valuesOf(scheduledVideo({ status: "published", scheduled_date: null, description: "Theirs" }), zone);
    expect(merge(mine, base, fresh)).toMatchObject({
      title: "My title",
      description: "Theirs",
      publish: true,
      date: "",
    });
    expect(merge({ ...mine, time: "22:00" }, base, fresh)).toMatchObject({
      publish: false,
      date: "2030-07-30",
      time: "22:00",
    });
  });

  it("says what its button does", () => {
    expect(updateLabel("draft", "draft", 212)).toBe("Update Video");
    expect(updateLabel("draft", "published", 212)).toBe("Update Video and notify 212 people");
    expect(updateLabel("draft", "published", 1)).toBe("Update Video and notify 1 person");
    expect(updateLabel("draft", "published", 0)).toBe("Update Video and publish");
    expect(updateLabel("published", "scheduled", 0)).toBe("Update Video and schedule");
    expect(updateLabel("published", "draft", 0)).toBe("Update Video and set back to draft");
    expect(statusOf({ ...valuesOf(draftVideo(), zone), date: "2030-08-01" })).toBe("scheduled");
  });
});

describe("who is notified", () => {
  it("is everybody once, and nobody for a video of an earlier year", () => {
    expect(reachOf(null, "2026-07-29", 2026, 212)).toBe(212);
    expect(reachOf(null, "2025-07-29", 2026, 212)).toBe(0);
    expect(reachOf(draftVideo(), "2026-07-29", 2026, 212)).toBe(212);
    const again = { published_at: "2026-07-30T00:41:00Z", announced: true };
    expect(reachOf(draftVideo({ ...again, recipients: null }), "2026-07-29", 2026, 212)).toBe(0);
    // These five had not received the email yet when the video was unpublished.
    expect(reachOf(draftVideo({ ...again, recipients: 5 }), "2026-07-29", 2026, 212)).toBe(5);
    expect(reachOf(draftVideo({ ...again, recipients: 5 }), "2026-07-29", 2027, 212)).toBe(0);
    expect(reachOf(adminVideo({ announced: true, recipients: null }), "2026-07-29", 2026, 212)).toBe(0);
    // It was first published with a date in an earlier year.
    expect(reachOf(draftVideo({ ...again, announced: false }), "2026-07-29", 2026, 212)).toBe(212);
  });

  it("stands on the button of a new video", () => {
    expect(uploadLabel("published", 212)).toBe("Publish and notify 212 people");
    expect(uploadLabel("published", 0)).toBe("Publish");
    expect(uploadLabel("scheduled", 212)).toBe("Schedule");
    expect(uploadLabel("draft", 212)).toBe("Save draft");
  });

  it("is said when mails were queued, and not otherwise", () => {
    const said = (saved: { notified: number; mail_at?: string }) =>
      withNotifications("Video uploaded successfully", saved, "America/New_York");
    expect(said({ notified: 3 })).toBe("Video uploaded successfully and notifications sent!");
    expect(said({ notified: 0 })).toBe("Video uploaded successfully");
    expect(said({ notified: 3, mail_at: "2099-07-19T01:15:00Z" })).toBe(
      "Video uploaded successfully. Emails go out Saturday, Jul 18, 2099, 9:15\u00a0PM.",
    );
  });
});

it("a scheduled time is shown as people at camp would say it", () => {
  const now = new Date("2026-07-30T01:00:00Z");
  const tell = (moment: string) => scheduleTime(moment, zone, now).replace(/\s/g, " ");
  expect(tell("2026-07-30T02:30:00Z")).toBe("Today, 10:30 PM");
  expect(tell("2026-07-31T00:30:00Z")).toBe("Tomorrow, 8:30 PM");
  expect(tell("2026-08-03T00:30:00Z")).toBe("Sunday, Aug 2, 8:30 PM");
  expect(tell("2027-01-03T01:30:00Z")).toBe("Saturday, Jan 2, 2027, 8:30 PM");
});

it("the gallery offers the ten years ending last year, and a video's own", () => {
  expect(campYears(2026)).toEqual([2025, 2024, 2023, 2022, 2021, 2020, 2019, 2018, 2017, 2016]);
  expect(campYears(2026, 2009).at(-1)).toBe(2009);
  expect(dayInYear("2024-02-29", 2023)).toBe("2023-02-28");
  expect(dayInYear("2024-07-14", 2022)).toBe("2022-07-14");
});

it("tells a link from a typo", () => {
  expect(
    ["https://youtu.be/dQw4w9WgXcQ", " https://drive.google.com/open?id=1 ", "/media/videos/v1"].map(looksLikeLink),
  ).toEqual([true, true, true]);
  expect(["", "youtube", "javascript:alert(1)", "https://", "ftp://camp.example/a.mp4"].map(looksLikeLink)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
