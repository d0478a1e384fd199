import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { adminVideo, onDuty } from "../../test/staff";

const old = adminVideo({
  id: "g1",
  title: "Old bonfire",
  description: null,
  upload_date: "2025-07-14",
  year: 2025,
  archive: true,
  view_count: 1204,
});
const openGallery = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/videos/years": list({ year: 2025, count: 1 }, { year: 2024, count: 48 }),
    "GET /api/admin/videos": list(old),
    "POST /api/admin/videos/check-link": {
      video_type: "google_drive",
      video_url: "https://drive.google.com/file/d/1/preview",
      thumbnail_url: null,
    },
    ...answers,
  });

it("is grouped by year, and a year loads when it is opened", async () => {
  const camp = openGallery();
  const user = open("/admin/gallery");
  expect(await screen.findByRole("heading", { name: "Summer 2025 (1 video)" })).toBeTruthy();
  const row = within((await screen.findByText("Old bonfire")).closest("tr")!);
  expect(row.getByText("No description")).toBeTruthy();
  expect(row.getByText("1,204")).toBeTruthy();
  expect(row.getByText("Jul 14, 2025")).toBeTruthy();
  expect(camp.asked("GET", "/api/admin/videos").map(({ query }) => query.year)).toEqual(["2025"]);
  await user.selectOptions(screen.getByLabelText("Sort by"), "Most viewed");
  await expect
    .poll(() => camp.asked("GET", "/api/admin/videos").at(-1)?.query)
    .toMatchObject({ year: "2025", sort: "views" });
  expect(screen.getByTestId("address").textContent).toBe("/admin/gallery?sort=views");
  await user.click(screen.getByText("(48 videos)"));
  await expect.poll(() => camp.asked("GET", "/api/admin/videos").some(({ query }) => query.year === "2024")).toBe(true);
});

it("is searched across all summers, in the address bar", async () => {
  const camp = openGallery({
    "GET /api/admin/videos/counts": {
      all: 9,
      published: 9,
      scheduled: 0,
      draft: 0,
      current: 4,
      archive: 5,
      failed_mails: 0,
      reported_comments: 0,
      held_comments: 0,
      recipients: 0,
    },
  });
  const user = open("/admin/gallery");
  await screen.findByText("Old bonfire");
  await user.keyboard("/bon");
  expect(screen.getByLabelText("Search gallery")).toBe(document.activeElement);
  await expect.poll(() => screen.getByTestId("address").textContent).toBe("/admin/gallery?q=bon");
  expect(
    await screen.findByText(
      (_, node) => node?.textContent === 'Found 1 video(s) matching "bon"' && node.getAttribute("role") === "status",
    ),
  ).toBeTruthy();
  expect(screen.queryByRole("heading", { name: /^Summer/ })).toBeNull();
  expect(camp.asked("GET", "/api/admin/videos").at(-1)?.query).toMatchObject({ collection: "archive", q: "bon" });
  camp.answer("GET /api/admin/videos", { items: [old], next: "c" });
  await user.keyboard("f");
  expect(
    await screen.findByText(
      (_, node) => node?.textContent === 'Found 5 video(s) matching "bonf"' && node.getAttribute("role") === "status",
    ),
  ).toBeTruthy();
  camp.answer("GET /api/admin/videos", list());
  await user.keyboard("x");
  expect(await screen.findByText("No videos found")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Clear Search" }));
  expect(await screen.findByRole("heading", { name: "Summer 2025 (1 video)" })).toBeTruthy();
});

it("offers the first step when it is empty", async () => {
  openGallery({ "GET /api/admin/videos/years": list() });
  const user = open("/admin/gallery");
  expect(await screen.findByText("No Gallery Videos")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Add First Video" }));
  expect(await screen.findByRole("dialog", { name: "Add Gallery Video" })).toBeTruthy();
});

it("says when it could not be fetched", async () => {
  openGallery({ "GET /api/admin/videos/years": refuse(500, "internal", "Something went wrong.") });
  open("/admin/gallery");
  expect(await screen.findByText("Failed to fetch gallery videos")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
});

it("accepts a video from an earlier summer", async () => {
  const camp = openGallery({ "POST /api/admin/gallery": { video: old, notified: 0 } });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Add Gallery Video" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Add to Gallery" }));
  expect(dialog.getByText("Title is required")).toBeTruthy();
  expect(dialog.getByText("Please enter a valid URL.")).toBeTruthy();
  await user.type(dialog.getByLabelText("Video Title"), "Old bonfire");
  await user.selectOptions(dialog.getByLabelText("Camp Year"), "2019");
  await user.type(dialog.getByLabelText("Google Drive Video URL"), "https://drive.google.com/open?id=1aB2cD3eF4gH5");
  await user.click(dialog.getByRole("button", { name: "Add to Gallery" }));
  expect(await screen.findByText("Gallery video uploaded successfully!")).toBeTruthy();
  expect(camp.asked("POST", "/api/admin/gallery")[0]?.body).toEqual({
    title: "Old bonfire",
    description: null,
    year: 2019,
    video_url: "https://drive.google.com/open?id=1aB2cD3eF4gH5",
    status: "published",
  });
});

it("moves a video to another summer and changes nothing else", async () => {
  const camp = openGallery({ "PATCH /api/admin/videos/g1": { video: old, notified: 0 } });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Edit Old bonfire" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.selectOptions(dialog.getByLabelText("Camp Year"), "2018");
  await user.click(dialog.getByRole("button", { name: "Update Video" }));
  expect(await screen.findByText("Gallery video updated successfully!")).toBeTruthy();
  expect(camp.asked("PATCH", "/api/admin/videos/g1")[0]?.body).toEqual({ version: 3, upload_date: "2018-07-14" });
});

it("keeps what was typed when saving fails", async () => {
  openGallery({ "POST /api/admin/gallery": refuse(500, "internal", "Something went wrong on our side.") });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Add Gallery Video" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Video Title"), "Old bonfire");
  await user.type(dialog.getByLabelText("Google Drive Video URL"), "https://youtu.be/dQw4w9WgXcQ");
  await user.click(dialog.getByRole("button", { name: "Add to Gallery" }));
  expect(await screen.findByText("Failed to save gallery video")).toBeTruthy();
  expect(dialog.getByLabelText("Video Title")).toHaveProperty("value", "Old bonfire");
});

it("keeps what was typed when somebody else was quicker, and does not undo what they did", async () => {
  const camp = openGallery({ "PATCH /api/admin/videos/g1": refuse(409, "stale", "Someone else changed this.") });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Edit Old bonfire" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Video Title"), " night");
  await user.click(dialog.getByRole("button", { name: "Update Video" }));
  expect(await dialog.findByText(/Someone else changed this video/)).toBeTruthy();
  camp.answer("GET /api/admin/videos/g1", { ...old, version: 9, description: "Theirs" });
  camp.answer("PATCH /api/admin/videos/g1", { video: old, notified: 0 });
  await user.click(dialog.getByRole("button", { name: "Reload and keep what I typed" }));
  expect(await dialog.findByDisplayValue("Theirs")).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Update Video" }));
  expect(await screen.findByText("Gallery video updated successfully!")).toBeTruthy();
  expect(camp.asked("PATCH", "/api/admin/videos/g1").at(-1)?.body).toEqual({ version: 9, title: "Old bonfire night" });
});

it("says why a video cannot be saved that was deleted meanwhile", async () => {
  openGallery({ "PATCH /api/admin/videos/g1": refuse(404, "not_found", "There is no such video.") });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Edit Old bonfire" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByLabelText("Video Title"), " night");
  await user.click(dialog.getByRole("button", { name: "Update Video" }));
  expect(await screen.findByText("Failed to update gallery video: There is no such video.")).toBeTruthy();
});

it("asks by name before deleting", async () => {
  openGallery({ "DELETE /api/admin/videos/g1": refuse(500, "internal", "Something went wrong on our side.") });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Delete Old bonfire" }));
  await user.click(screen.getByRole("button", { name: "Delete video" }));
  expect(await screen.findByText("Failed to delete video")).toBeTruthy();
});

it("lets staff try a video that stands in the gallery already", async () => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  const camp = openGallery({
    "GET /api/admin/videos": list(adminVideo({ ...old, video_type: "upload", video_url: "/media/videos/g1" })),
  });
  const user = open("/admin/gallery");
  await user.click(await screen.findByRole("button", { name: "Edit Old bonfire" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Edit Gallery Video" }));
  await user.click(dialog.getByRole("button", { name: "Try it" }));
  const player = dialog.getByLabelText<HTMLVideoElement>("The video of this link", { selector: "video" });
  expect(player.getAttribute("src")).toBe("/media/videos/g1");
  Object.defineProperty(player, "videoWidth", { value: 1280 });
  fireEvent.loadedMetadata(player);
  expect(dialog.getByText("The video started. This is the player families see.")).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Close the player" }));
  // The server knew the link, so nothing more was asked, and nothing was counted or saved.
  expect(camp.calls.filter(({ method }) => method !== "GET")).toEqual([]);
});
