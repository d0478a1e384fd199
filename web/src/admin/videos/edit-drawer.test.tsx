import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open, refuse } from "../../test/portal";
import { desk, edit } from "../../test/reports-page";
import { adminVideo, draftVideo } from "../../test/staff";

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
    expect(panel.getByText("It is published right away. 212 people will be notified by email.")).toBeTruthy();
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
    const camp = desk({ "PATCH /api/admin/videos/v2": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/reports");
    const panel = await edit(user, /Melave/);
    await user.type(panel.getByLabelText("Video Title"), " again");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await panel.findByText(/Someone else changed this video/)).toBeTruthy();
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

  it("says so too when the video is being taken from families; another failure stays in the question", async () => {
    const camp = desk({ "PATCH /api/admin/videos/v1": refuse(507, "full", "The server is full.") });
    const user = open("/admin/reports");
    const panel = await edit(user, /Color War/);
    await user.click(panel.getByRole("switch", { name: "Publish Immediately" }));
    await user.click(panel.getByRole("button", { name: /^Update Video and set back/ }));
    const question = within(await screen.findByRole("dialog", { name: "Set a published video back to draft?" }));
    await user.click(question.getByRole("button", { name: "Set back to draft" }));
    expect(await screen.findByText("Update Failed")).toBeTruthy();
    expect(question.getByText("The server is full.")).toBeTruthy();
    camp.answer("PATCH /api/admin/videos/v1", refuse(409, "stale", "Someone else changed this."));
    await user.click(question.getByRole("button", { name: "Set back to draft" }));
    expect(await panel.findByText(/Someone else changed this video/)).toBeTruthy();
    expect(screen.getAllByRole("dialog")).toHaveLength(1);
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
