import { cleanup, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { chaya, family, never, open, refuse, server, site, strangely } from "../test/portal";

const card = async () => within(await screen.findByRole("complementary", { name: "Know when tonight’s video is up" }));
const signedIn = (answers: Record<string, unknown> = {}) => server({ "GET /api/session": { user: chaya }, ...answers });

it("leads somebody signed out to an account", async () => {
  server({});
  open("/");
  expect((await (await card()).findByRole("link", { name: "Sign Up for Notifications" })).getAttribute("href")).toBe(
    "/auth?mode=create",
  );
  expect((await card()).getByRole("link", { name: "Sign in here" }).getAttribute("href")).toBe("/auth");
});

it("offers no account while sign-up is closed", async () => {
  server({ "GET /api/site": { ...site, registrations_open: false } });
  open("/");
  expect((await (await card()).findByRole("link", { name: "Sign In" })).getAttribute("href")).toBe("/auth");
  expect((await card()).queryByRole("link", { name: "Sign Up for Notifications" })).toBeNull();
});

describe("signed in", () => {
  async function customize(user: ReturnType<typeof open>) {
    await user.click(await (await card()).findByRole("button", { name: "Customize Notifications" }));
  }

  it("leaves the focus on the switch that was turned", async () => {
    signedIn();
    const user = open("/");
    await (await card()).findByText("Off");
    await customize(user);
    const first = await (await card()).findByRole("switch", { name: "Daily videos" });
    expect(document.activeElement).toBe(first);
    const updates = (await card()).getByRole("switch", { name: "Camp updates" });
    updates.focus();
    await user.keyboard(" ");
    expect(document.activeElement).toBe(updates);
  });

  it("loads what is saved, and writes what is chosen", async () => {
    const camp = signedIn();
    const user = open("/");
    await (await card()).findByText("Off");
    camp.answer("GET /api/profile", family({ camp_updates_email: true }));
    await customize(user);
    const updates = await (await card()).findByRole("switch", { name: "Camp updates" });
    expect(updates).toHaveProperty("checked", true);
    await user.click((await card()).getByRole("switch", { name: "Daily videos" }));
    camp.answer("PATCH /api/profile", family({ camp_updates_email: true, daily_video_email: false }));
    await user.click((await card()).getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Preferences Saved! ✅")).toBeTruthy();
    expect(screen.getByText("Your notification preferences have been updated successfully.")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ daily_video_email: false });
    expect(await (await card()).findByRole("button", { name: "Customize Notifications" })).toBeTruthy();
  });

  it("promises no emails that the camp does not send right now", async () => {
    signedIn({ "GET /api/profile": family({ switched_off: ["daily_videos"] }) });
    open("/");
    expect(await (await card()).findByText("Paused by the camp")).toBeTruthy();
    expect((await card()).getByText(/We email you/)).toBeTruthy();
    cleanup();
    signedIn({ "GET /api/profile": family({ switched_off: ["daily_videos", "camp_updates", "general"] }) });
    open("/");
    expect(await (await card()).findByText("The camp is not sending these emails right now.")).toBeTruthy();
    expect((await card()).queryByText("On")).toBeNull();
  });

  it("says that people who stopped all emails get nothing", async () => {
    signedIn({ "GET /api/profile": family({ daily_video_email: false, email_notifications: false }) });
    open("/");
    expect(await (await card()).findByText(/You turned off all emails to/)).toBeTruthy();
    expect((await card()).queryByText(/We email you/)).toBeNull();
    expect((await card()).getAllByText("Off")).toHaveLength(3);
  });

  it.each([
    ["waits for approval", true, /once the camp approves your family/],
    ["is of no camp family", false, "The camp emails camp families only. If you are one, please write to the camp."],
  ])("promises no emails to whoever %s", async (_, awaiting_approval, words) => {
    signedIn({
      "GET /api/site": { ...site, access: "families" },
      "GET /api/session": { user: { ...chaya, family: false, awaiting_approval } },
    });
    open("/");
    expect(await (await card()).findByText(words)).toBeTruthy();
    expect((await card()).queryByText(/We email you/)).toBeNull();
  });

  it("promises no emails after confirmation to people without a camp family", async () => {
    signedIn({
      "GET /api/site": { ...site, access: "families" },
      "GET /api/session": { user: { ...chaya, family: false, awaiting_approval: false, email_verified: false } },
    });
    open("/");
    expect(await (await card()).findByText(/The camp emails camp families only/)).toBeTruthy();
  });

  it("says where the family's mail goes when it does not go to one's own address", async () => {
    const other = {
      email: "moshe@family.example",
      confirmed: true,
      suppressed: false,
      daily_video_email: true,
      camp_updates_email: false,
      email_notifications: true,
    };
    signedIn({ "GET /api/profile": family({ address_in_family: false, other_addresses: [other] }) });
    open("/");
    expect(await (await card()).findByText(/We email your family at/)).toBeTruthy();
    expect((await card()).queryByRole("button", { name: "Customize Notifications" })).toBeNull();
  });

  it("says that it saves", async () => {
    signedIn({ "PATCH /api/profile": never });
    const user = open("/");
    await customize(user);
    await user.click(await (await card()).findByRole("button", { name: "Save" }));
    expect(await (await card()).findByRole("button", { name: "Saving..." })).toBeTruthy();
  });

  it("cancels without a word to the server", async () => {
    const camp = signedIn();
    const user = open("/");
    await customize(user);
    await user.click(await (await card()).findByRole("switch", { name: "Daily videos" }));
    await user.click((await card()).getByRole("button", { name: "Cancel" }));
    expect(await (await card()).findByRole("button", { name: "Customize Notifications" })).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile")).toHaveLength(0);
  });

  it("says why saving failed and keeps what was chosen", async () => {
    signedIn({ "PATCH /api/profile": refuse(503, "busy", "The camp's server is tired.") });
    const user = open("/");
    await customize(user);
    await user.click(await (await card()).findByRole("switch", { name: "Daily videos" }));
    await user.click((await card()).getByRole("button", { name: "Save" }));
    expect(await screen.findByText("The camp's server is tired.")).toBeTruthy();
    expect((await card()).getByRole("switch", { name: "Daily videos" })).toHaveProperty("checked", false);
  });

  it("says Failed to save preferences. when nothing better is known", async () => {
    signedIn({ "PATCH /api/profile": strangely });
    const user = open("/");
    await customize(user);
    await user.click(await (await card()).findByRole("button", { name: "Save" }));
    expect(await screen.findByText("Failed to save preferences.")).toBeTruthy();
    expect(screen.getByText("Error")).toBeTruthy();
  });

  it("does not show a failure as preferences", async () => {
    signedIn({ "GET /api/profile": refuse(500, "internal", "Something went wrong.") });
    const user = open("/");
    await customize(user);
    expect(await (await card()).findByText("Your preferences could not be loaded")).toBeTruthy();
    expect((await card()).queryByRole("switch")).toBeNull();
  });
});
