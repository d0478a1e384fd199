import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse, server, unreachable } from "../../test/portal";
import { adminVideo, draftVideo, onDuty, scheduledVideo } from "../../test/staff";

const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/videos": list(scheduledVideo(), draftVideo(), adminVideo()),
    "GET /api/admin/videos/v1/deliveries": { queued: 0, sent: 209, failed: 3, suppressed: 1 },
    "POST /api/admin/videos/check-link": {
      video_type: "youtube",
      video_url: "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
      thumbnail_url: "https://i.ytimg.com/vi/dQw4w9WgXcQ/maxresdefault.jpg",
    },
    ...answers,
  });

const row = async (name: RegExp) => within((await screen.findByRole("heading", { name, level: 3 })).closest("li")!);
const address = () => screen.getByTestId("address").textContent;
const edit = async (user: ReturnType<typeof open>, name: RegExp) => {
  await user.click((await row(name)).getByRole("button", { name: /^Edit/ }));
  return within(await screen.findByRole("dialog", { name: "Edit video" }));
};

describe("the list of reports", () => {
  it("tells of each video its state, its date, its reads and where it lies", async () => {
    desk();
    open("/admin/reports");
    const published = await row(/Color War/);
    expect(published.getByText("Published")).toBeTruthy();
    expect(published.getByText("Google Drive")).toBeTruthy();
    expect(published.getByText("July 29, 2026")).toBeTruthy();
    expect(published.getByText("128 reads")).toBeTruthy();
    expect(published.getByRole("link", { name: /^Open/ }).getAttribute("href")).toBe("/video/v1");
    const scheduled = await row(/Grand Siyum/);
    expect(scheduled.getByText("Tuesday, Jul 30, 2030, 8:30 PM")).toBeTruthy();
    expect(scheduled.getByText("goes to 212 people")).toBeTruthy();
    expect(scheduled.getByText("No description")).toBeTruthy();
  });

  it("is filtered by status and searched, in the address bar", async () => {
    const camp = desk();
    const user = open("/admin/reports");
    await row(/Color War/);
    expect(await screen.findByRole("button", { name: /Drafts\s*3/ })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: /Drafts/ }));
    await waitFor(() => expect(address()).toBe("/admin/reports?status=draft"));
    await waitFor(() => expect(camp.asked("GET", "/api/admin/videos").at(-1)?.query.status).toBe("draft"));
    await user.keyboard("/");
    await user.keyboard("siyum");
    expect(await screen.findByText(/^Found/)).toHaveProperty("textContent", 'Found 3 video(s) matching "siyum"');
    expect(address()).toBe("/admin/reports?status=draft&q=siyum");
  });

  it("is filtered by what needs attention, in the address bar", async () => {
    const camp = desk({ "GET /api/admin/videos": list(adminVideo({ failed_mails: 3, reported_comments: 1 })) });
    const user = open("/admin/reports?attention=failed_mails");
    expect((await row(/Color War/)).getByText("3 failed mails")).toBeTruthy();
    const choice = screen.getByLabelText("Filter by what needs attention");
    expect(choice).toHaveProperty("value", "failed_mails");
    expect(await screen.findByRole("option", { name: "With reported comments (2)" })).toBeTruthy();
    expect(camp.asked("GET", "/api/admin/videos")[0]?.query["attention"]).toBe("failed_mails");
    camp.answer("GET /api/admin/videos", list());
    await user.selectOptions(choice, "reported_comments");
    expect(await screen.findByText("No videos with reported comments")).toBeTruthy();
    expect(address()).toBe("/admin/reports?attention=reported_comments");
    await user.click(screen.getByRole("button", { name: "Show all videos" }));
    await waitFor(() => expect(address()).toBe("/admin/reports"));
  });

  it("says when there is nothing yet, and leads to the form", async () => {
    desk({ "GET /api/admin/videos": list() });
    const user = open("/admin/reports");
    expect(await screen.findByText("No videos uploaded yet")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Upload First Video" }));
    expect(await screen.findByRole("heading", { name: "New report" })).toBeTruthy();
  });

  it("says when a search finds nothing", async () => {
    desk({ "GET /api/admin/videos": list() });
    open("/admin/reports?q=zzz");
    expect(await screen.findByText("No videos found")).toBeTruthy();
  });

  it("does not take a failure for an empty list", async () => {
    const camp = desk({ "GET /api/admin/videos": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/reports");
    expect(await screen.findByText("Failed to load videos")).toBeTruthy();
    camp.answer("GET /api/admin/videos", list(adminVideo()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await row(/Color War/)).toBeTruthy();
  });

  it("asks by name before deleting", async () => {
    const camp = desk({ "DELETE /api/admin/videos/v1": null });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /^Delete/ }));
    const dialog = within(screen.getByRole("dialog", { name: "Are you sure you want to delete this video?" }));
    expect(dialog.getByText(/Color War breaks out/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Delete video" }));
    expect(await screen.findByText("Video deleted successfully")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/videos/v1")).toHaveLength(1);
  });
});

describe("several videos at once", () => {
  const select = async (user: ReturnType<typeof open>, ...names: RegExp[]) => {
    for (const name of names) await user.click((await row(name)).getByRole("checkbox"));
    return within(screen.getByRole("group", { name: "Selected videos" }));
  };

  it("are published, and it is said how many mails go out", async () => {
    const camp = desk({ "POST /api/admin/videos/bulk": { done: 2, notified: 424 } });
    const user = open("/admin/reports");
    await row(/Color War/);
    expect(screen.queryByRole("group", { name: "Selected videos" })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: "Select all shown" }));
    const bar = within(screen.getByRole("group", { name: "Selected videos" }));
    expect(bar.getByText("3 selected")).toBeTruthy();
    await user.click(bar.getByRole("button", { name: "Publish" }));
    const question = within(await screen.findByRole("dialog", { name: "Publish 2 videos?" }));
    expect(question.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "Grand Siyum",
      "Melave Malka",
    ]);
    expect(
      question.getByText("Families see them at once, and 424 mails go out. 1 more is published already."),
    ).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Publish and send 424 mails" }));
    expect(await screen.findByText("2 videos published and notifications sent!")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/bulk")[0]?.body).toEqual({ ids: ["v3", "v2"], action: "publish" });
    expect(screen.queryByRole("group", { name: "Selected videos" })).toBeNull();
  });

  it("are deleted once it was asked by name", async () => {
    const camp = desk({ "POST /api/admin/videos/bulk": refuse(404, "not_found", "Video not found") });
    const user = open("/admin/reports");
    const bar = await select(user, /Color War/, /Melave/);
    await user.click(bar.getByRole("button", { name: "Delete" }));
    const question = within(
      await screen.findByRole("dialog", { name: "Are you sure you want to delete these 2 videos?" }),
    );
    expect(question.getByText("Melave Malka")).toBeTruthy();
    expect(question.getByText(/^2 comments and 90 likes go with them\./)).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Delete 2 videos" }));
    expect(
      await question.findByText(/^One of them has been deleted in the meantime, so nothing was done\./),
    ).toBeTruthy();
    camp.answer("POST /api/admin/videos/bulk", { done: 2, notified: 0 });
    await user.click(question.getByRole("button", { name: "Delete 2 videos" }));
    expect(await screen.findByText("2 videos deleted successfully")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/bulk")[1]?.body).toEqual({ ids: ["v2", "v1"], action: "delete" });
  });

  it("are not more than the list shows, and can be let go", async () => {
    desk();
    const user = open("/admin/reports");
    const bar = await select(user, /Color War/);
    await user.click(bar.getByRole("button", { name: "Publish" }));
    expect(await screen.findByText("There is nothing to publish.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "OK" }));
    await user.click(bar.getByRole("button", { name: "Clear" }));
    expect((await row(/Color War/)).getByRole("checkbox")).toHaveProperty("checked", false);
  });
});

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
      status: "published",
      is_featured: false,
    });
    await waitFor(() => expect(address()).toBe("/admin/reports"));
    expect(screen.queryByLabelText("Title")).toHaveProperty("value", "");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Upload New Report" }));
  });

  it("is scheduled for nine in the morning unless told otherwise", async () => {
    const camp = desk({ "POST /api/admin/videos": { ...saved, notified: 0 } });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Siyum");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    expect(screen.queryByLabelText("Scheduled Date")).toBeNull();
    await user.selectOptions(screen.getByLabelText("Status"), "scheduled");
    await user.type(screen.getByLabelText("Scheduled Date"), "2030-08-01");
    expect(screen.getByLabelText("Scheduled Time")).toHaveProperty("value", "09:00");
    await user.click(screen.getByRole("button", { name: "Schedule" }));
    expect(await screen.findByText("Video uploaded successfully")).toBeTruthy();
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

  it("folded away, keeps what was typed", async () => {
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

describe("the edit panel", () => {
  const answer = { video: adminVideo(), notified: 0 };

  it("leaves a draft a draft when its title is corrected", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v2": answer });
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText("Video Title"), "!");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await screen.findByText("Video updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/videos/v2")[0]?.body).toEqual({ version: 3, title: "Melave Malka!" });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("publishes a draft by the switch, which clears and disables the schedule", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v2": { ...answer, notified: 212 } });
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText(/^Schedule Date/), "2030-08-01");
    expect(panel.getByLabelText(/^Schedule Time/)).toHaveProperty("value", "09:00");
    await user.click(panel.getByRole("switch", { name: "Publish Immediately" }));
    expect(panel.getByLabelText(/^Schedule Date/)).toMatchObject({ value: "", disabled: true });
    expect(panel.getByText("It is published at once. 212 people will be notified by email.")).toBeTruthy();
    await user.click(panel.getByRole("button", { name: "Update Video and notify 212 people" }));
    expect(await screen.findByText("Video updated successfully and notifications sent!")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/videos/v2")[0]?.body).toEqual({ version: 3, status: "published" });
  });

  it("asks before it schedules a published video", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v1": answer });
    const user = open("/admin/reports");
    const panel = await edit(user, /Color War/);
    expect(panel.getByRole("switch", { name: "Publish Immediately" })).toHaveProperty("checked", true);
    await user.click(panel.getByRole("switch", { name: "Publish Immediately" }));
    await user.type(panel.getByLabelText(/^Schedule Date/), "2030-08-01");
    await user.click(panel.getByRole("button", { name: "Update Video and schedule" }));
    const question = within(await screen.findByRole("dialog", { name: "Schedule a published video?" }));
    expect(camp.asked("PATCH", "/api/admin/videos/v1")).toHaveLength(0);
    await user.click(question.getByRole("button", { name: "Schedule it" }));
    expect(await screen.findByText("Video updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/videos/v1")[0]?.body).toEqual({
      version: 3,
      status: "scheduled",
      scheduled_date: "2030-08-01T09:00",
    });
  });

  it("sets a scheduled video back to draft", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v3": answer });
    const user = open("/admin/reports");
    const panel = await edit(user, /Grand Siyum/);
    await user.click(panel.getByRole("button", { name: "Set back to draft" }));
    await user.click(panel.getByRole("button", { name: "Update Video and set back to draft" }));
    await screen.findByText("Video updated successfully");
    expect(camp.asked("PATCH", "/api/admin/videos/v3")[0]?.body).toEqual({ version: 3, status: "draft" });
  });

  it("needs a title", async () => {
    desk();
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.clear(panel.getByLabelText("Video Title"));
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(panel.getByText("Title is required")).toBeTruthy();
  });

  it("offers the newest version when somebody else was quicker, and keeps what was typed", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v2": refuse(409, "stale", "Somebody else changed this.") });
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText("Video Title"), " again");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await panel.findByText(/Somebody else changed this video/)).toBeTruthy();
    camp.answer("GET /api/admin/videos/v2", draftVideo({ version: 4, description: "Theirs" }));
    camp.answer("PATCH /api/admin/videos/v2", answer);
    await user.click(panel.getByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(panel.getByLabelText(/^Description/)).toHaveProperty("value", "Theirs"));
    expect(panel.getByLabelText("Video Title")).toHaveProperty("value", "Melave Malka again");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    await screen.findByText("Video updated successfully");
    expect(camp.asked("PATCH", "/api/admin/videos/v2").at(-1)?.body).toEqual({
      version: 4,
      title: "Melave Malka again",
    });
  });

  it("says why it failed", async () => {
    desk({
      "PATCH /api/admin/videos/v2": refuse(507, "full", "The camp's server has run out of space. Nothing was saved."),
    });
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText("Video Title"), "!");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await screen.findByText("Update Failed")).toBeTruthy();
    expect(panel.getByLabelText("Video Title")).toHaveProperty("value", "Melave Malka!");
  });

  it("does not throw away what was typed without asking", async () => {
    desk();
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText("Video Title"), "!");
    await user.click(panel.getByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("dialog", { name: "Discard your changes?" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("mail and comments of a video", () => {
  const spoken = {
    author_name: "Rivky Brachfeld",
    created_at: "2026-07-30T01:00:00Z",
    mine: false,
    held: false,
    hidden: false,
    reports: 0,
  };
  const comments = list(
    { ...spoken, id: "c1", content: "Lovely." },
    { ...spoken, id: "c2", content: "Rude.", reports: 2 },
  );

  it("shows how the mails are doing and tries the failed ones again", async () => {
    const camp = desk({
      "GET /api/admin/videos/v1/comments": list(),
      "POST /api/admin/videos/v1/deliveries/retry": { queued: 3 },
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    expect(await screen.findByText("209")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Retry 3 failed" }));
    expect(await screen.findByText("3 mails go out again")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/v1/deliveries/retry")).toHaveLength(1);
  });

  it("puts comments that wait to be read before all others, and approves them", async () => {
    const camp = desk({
      "GET /api/admin/videos": list(adminVideo({ held_comments: 1 })),
      "GET /api/admin/videos/v1/comments": list(
        { ...spoken, id: "c2", content: "Rude.", reports: 2 },
        { ...spoken, id: "c3", content: "My first.", held: true },
      ),
      "POST /api/admin/comments/c3/approve": null,
    });
    const user = open("/admin/reports");
    expect((await row(/Color War/)).getByText("1 comment to read")).toBeTruthy();
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    const drawer = within(await screen.findByRole("dialog", { name: /Color War/ }));
    const first = within((await drawer.findAllByRole("listitem"))[0]!);
    expect(first.getByText("My first.")).toBeTruthy();
    expect(drawer.getByText(/1 waits for you to read it/)).toBeTruthy();
    await user.click(first.getByRole("button", { name: /^Approve/ }));
    expect(await screen.findByText("Comment approved")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/comments/c3/approve")).toHaveLength(1);
  });

  it("puts reported comments first, hides them and shows them again", async () => {
    const camp = desk({
      "GET /api/admin/videos/v1/comments": comments,
      "POST /api/admin/comments/c2/hide": null,
      "DELETE /api/admin/comments/c1": null,
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    await screen.findByText("Reported by 2 readers");
    const items = within(screen.getByRole("dialog")).getAllByRole("listitem");
    expect(items.map((item) => /Rude|Lovely/.exec(item.textContent)?.[0])).toEqual(["Rude", "Lovely"]);
    await user.click(within(items[0]!).getByRole("button", { name: /^Hide/ }));
    expect(await screen.findByText("Comment hidden")).toBeTruthy();
    await user.click(within(items[1]!).getByRole("button", { name: /^Delete/ }));
    await user.click(await screen.findByRole("button", { name: "Delete comment" }));
    expect(await screen.findByText("Comment deleted")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/comments/c1")).toHaveLength(1);
  });
});
