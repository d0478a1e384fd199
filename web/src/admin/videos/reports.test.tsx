import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse } from "../../test/portal";
import { desk, row, address } from "../../test/reports-page";
import { adminVideo, scheduledVideo } from "../../test/staff";

describe("the list of reports", () => {
  it("shows each video's status, date, reads and provider", async () => {
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

  it("promises no emails about a video that will be of an earlier year", async () => {
    desk({ "GET /api/admin/videos": list(scheduledVideo({ upload_date: "2029-08-20" })) });
    open("/admin/reports");
    const scheduled = await row(/Grand Siyum/);
    expect(scheduled.getByText("Tuesday, Jul 30, 2030, 8:30 PM")).toBeTruthy();
    expect(scheduled.queryByText(/^goes to/)).toBeNull();
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
    expect((await row(/Color War/)).getByText("3 failed emails")).toBeTruthy();
    const choice = screen.getByLabelText("Filter by what needs attention");
    expect(choice).toHaveProperty("value", "failed_mails");
    expect(await screen.findByRole("option", { name: "With reported comments (2 videos)" })).toBeTruthy();
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

  it("does not show a failure as an empty list", async () => {
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
    const dialog = within(await screen.findByRole("dialog", { name: "Are you sure you want to delete this video?" }));
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
      question.getByText("Families see them right away, and 424 emails go out. 1 more is already published."),
    ).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Publish and send 424 emails" }));
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
    expect(await question.findByText(/^Someone just deleted one of them, so nothing was done\./)).toBeTruthy();
    camp.answer("POST /api/admin/videos/bulk", { done: 2, notified: 0 });
    await user.click(question.getByRole("button", { name: "Delete 2 videos" }));
    expect(await screen.findByText("2 videos deleted successfully")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/bulk")[1]?.body).toEqual({ ids: ["v2", "v1"], action: "delete" });
  });

  it("are only those on the list, and can be deselected", async () => {
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
