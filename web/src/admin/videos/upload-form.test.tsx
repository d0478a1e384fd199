import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open, refuse, site, unreachable } from "../../test/portal";
import { desk, address } from "../../test/reports-page";
import { adminVideo, onShabbos, scheduledVideo } from "../../test/staff";

describe("a new report", () => {
  const saved = { video: adminVideo({ id: "v9" }), notified: 212 };

  it("says what is wrong, in the words of the portal, and goes to the first of it", async () => {
    const camp = desk();
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "x");
    await user.selectOptions(screen.getByLabelText("Status"), "scheduled");
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    expect(screen.getByText("Title must be at least 2 characters.")).toBeTruthy();
    expect(screen.getByText("Please enter a valid URL.")).toBeTruthy();
    expect(screen.getByText("Please choose a date and time.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Title"));
    expect(camp.asked("POST", "/api/admin/videos")).toHaveLength(0);
  });

  it("is published, and says that families are told", async () => {
    const camp = desk({ "POST /api/admin/videos": saved });
    const user = open("/admin/reports");
    await user.click(await screen.findByRole("button", { name: "Upload New Report" }));
    expect(await screen.findByText("No thumbnail available")).toBeTruthy();
    await user.type(screen.getByLabelText("Title"), "Trip to the ridge");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    expect(await screen.findByText("YouTube")).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Publish and notify 212 people" }));
    expect(await screen.findByText("Video uploaded successfully and notifications sent!")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos")[0]?.body).toEqual({
      title: "Trip to the ridge",
      video_url: "https://youtu.be/dQw4w9WgXcQ",
      description: null,
      upload_date: "2026-07-29",
      status: "published",
      is_featured: false,
    });
    await waitFor(() => expect(address()).toBe("/admin/reports"));
    expect(screen.queryByLabelText("Title")).toHaveProperty("value", "");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Upload New Report" }));
  });

  it("says when its emails really go out, now and at a time that it is scheduled for", async () => {
    const camp = desk({
      "GET /api/site": { ...site, today: "2030-07-15", current_year: 2030 },
      "GET /api/admin/quiet-time": ({ query }: { query: Record<string, string> }) =>
        query["at"] ? { ...onShabbos, publishes_at: onShabbos.mail_at } : onShabbos,
      "POST /api/admin/videos": { ...saved, mail_at: onShabbos.mail_at },
    });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Havdalah");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    const later = "Saturday, Jul 20, 2030, 9:15\\sPM";
    expect(
      await screen.findByText(new RegExp(`^It is quiet time \\(Shabbos\\)\\. Emails go out ${later}\\.$`)),
    ).toBeTruthy();
    await user.selectOptions(screen.getByLabelText("Status"), "scheduled");
    await user.type(screen.getByLabelText("Scheduled Date"), "2030-07-20");
    const held = `That is in quiet time \\(Shabbos\\)\\. The video appears ${later}, and emails go out then\\.`;
    expect(await screen.findByText(new RegExp(`^${held}$`))).toBeTruthy();
    expect(camp.asked("GET", "/api/admin/quiet-time").at(-1)?.query).toEqual({ at: "2030-07-20T09:00" });
    await user.selectOptions(screen.getByLabelText("Status"), "published");
    await user.click(screen.getByRole("button", { name: "Publish and notify 212 people" }));
    expect(
      await screen.findByText(new RegExp(`^Video uploaded successfully\\. Emails go out ${later}\\.$`)),
    ).toBeTruthy();
  });

  it("promises no emails about a video that will be of an earlier year", async () => {
    desk();
    const user = open("/admin/reports?action=upload");
    expect(await screen.findByRole("button", { name: "Publish and notify 212 people" })).toBeTruthy();
    await user.selectOptions(screen.getByLabelText("Status"), "scheduled");
    await user.type(screen.getByLabelText("Scheduled Date"), "2030-01-01");
    expect(screen.queryByRole("button", { name: /212/ })).toBeNull();
  });

  it("is scheduled for nine in the morning unless told otherwise", async () => {
    const video = scheduledVideo({ scheduled_date: "2030-08-01T13:00:00Z" });
    const camp = desk({ "POST /api/admin/videos": { video, notified: 0 } });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Siyum");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    expect(screen.queryByLabelText("Scheduled Date")).toBeNull();
    await user.selectOptions(screen.getByLabelText("Status"), "scheduled");
    await user.type(screen.getByLabelText("Scheduled Date"), "2030-08-01");
    expect(screen.getByLabelText("Scheduled Time")).toHaveProperty("value", "09:00");
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    expect(
      await screen.findByText(/^Video uploaded successfully. It appears Thursday, Aug 1, 2030, 9:00\sAM.$/),
    ).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos")[0]?.body).toMatchObject({
      status: "scheduled",
      scheduled_date: "2030-08-01T09:00",
    });
  });

  it("keeps everything when the server refuses, and shows why beside the field", async () => {
    desk({
      "POST /api/admin/videos": refuse(422, "validation", "No.", [
        { field: "upload_date", message: "The upload date cannot be in the future." },
      ]),
    });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Siyum");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    await user.click(await screen.findByRole("button", { name: /^Publish and/ }));
    expect(await screen.findByText("The upload date cannot be in the future.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Upload Date"));
    expect(screen.getByLabelText("Title")).toHaveProperty("value", "Siyum");
  });

  it("keeps everything when the network is down", async () => {
    desk({ "POST /api/admin/videos": unreachable });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Siyum");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    await user.click(await screen.findByRole("button", { name: /^Publish and/ }));
    expect((await screen.findAllByText(/cannot be reached right now/)).length).toBeGreaterThan(0);
    expect(screen.getByLabelText("Title")).toHaveProperty("value", "Siyum");
  });

  it("keeps what was typed when it is collapsed", async () => {
    desk();
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Siyum");
    await user.click(screen.getByRole("button", { name: "Upload New Report" }));
    await waitFor(() => expect(address()).toBe("/admin/reports"));
    await user.click(screen.getByRole("button", { name: "Upload New Report" }));
    expect(screen.getByLabelText("Title")).toHaveProperty("value", "Siyum");
  });
});

it.each([
  ["in the server's words", refuse(409, "taken", "This link is posted already."), "This link is posted already."],
  ["in its own where the server has none", refuse(500, "internal", "Something went wrong."), "Failed to upload video"],
])("a failed upload says so %s, and keeps the form", async (_whose, answer, words) => {
  desk({ "POST /api/admin/videos": answer });
  const user = open("/admin/reports?action=upload");
  await user.type(await screen.findByLabelText("Title"), "Siyum");
  await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
  await user.click(await screen.findByRole("button", { name: "Publish and notify 212 people" }));
  expect(await within(screen.getByRole("list", { name: "Notifications" })).findByText(words)).toBeTruthy();
  expect(screen.getByLabelText("Title")).toHaveProperty("value", "Siyum");
});
