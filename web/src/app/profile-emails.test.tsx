import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { family } from "../test/portal";
import { profile, section } from "../test/profile-page";

describe("emails", () => {
  it("are chosen by kind and saved with everything", async () => {
    const { camp, user } = profile({ "PATCH /api/profile": family({ camp_updates_email: true }) });
    await user.click(await screen.findByRole("switch", { name: "Camp updates" }));
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    await screen.findByText("Profile Updated!");
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ camp_updates_email: true });
    expect(screen.queryByText("Not saved yet")).toBeNull();
  });

  it("that were stopped stay so when all is saved untouched, or switched there and back", async () => {
    const { camp, user } = profile({
      "GET /api/profile": family({ daily_video_email: false, email_notifications: false }),
      "PATCH /api/profile": family({ daily_video_email: false, email_notifications: false }),
    });
    const videos = await screen.findByRole("switch", { name: "Daily videos" });
    expect(videos).toHaveProperty("checked", false);
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    await screen.findByText("Profile Updated!");
    await user.click(videos);
    await user.click(videos);
    expect(screen.queryByText("Not saved yet")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    await waitFor(() => expect(camp.asked("PATCH", "/api/profile")).toHaveLength(2));
    expect(camp.asked("PATCH", "/api/profile").map(({ body }) => body)).toEqual([{}, {}]);
  });

  it("of a family with two addresses are chosen for one's own, and the page says what the other gets", async () => {
    const other = {
      email: "moshe@family.example",
      confirmed: true,
      suppressed: false,
      daily_video_email: true,
      camp_updates_email: false,
      email_notifications: true,
    };
    profile({ "GET /api/profile": family({ other_addresses: [other] }) });
    const emails = await section("Email Preferences");
    expect(await emails.findByText(/Your family’s other address has its own\./)).toBeTruthy();
    expect(emails.getByText(/gets daily videos and newsletters from camp\. Its owner can change that/)).toBeTruthy();
  });

  it("have the note about a late video where the camp promises one", async () => {
    const { camp, user } = profile({
      "GET /api/profile": family({ late_video_note: false }),
      "PATCH /api/profile": family({ late_video_note: true }),
    });
    const emails = await section("Email Preferences");
    await user.click(await emails.findByRole("switch", { name: "When tonight’s video is late" }));
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ late_video_note: true });
  });

  it("come one by one, or all in one a day", async () => {
    const { camp, user } = profile({
      "GET /api/profile": family({ digest_hour: 7 }),
      "PATCH /api/profile": family({ digest_hour: 7, daily_digest: true }),
    });
    const emails = await section("Email Preferences");
    const digest = await emails.findByRole("switch", { name: "All in one email a day" });
    expect(digest).toHaveProperty("checked", false);
    expect(emails.getByText(/together at 7:00 AM camp time.*Urgent updates still come at once\./)).toBeTruthy();
    await user.click(digest);
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ daily_digest: true });
    expect(digest).toHaveProperty("checked", true);
  });

  it("that do not go to one's own address cannot be chosen", async () => {
    const other = {
      email: "moshe@family.example",
      confirmed: true,
      suppressed: false,
      daily_video_email: true,
      camp_updates_email: false,
      email_notifications: true,
    };
    profile({ "GET /api/profile": family({ address_in_family: false, other_addresses: [other] }) });
    const emails = await section("Email Preferences");
    expect(await emails.findByText(/is not one of them. Ask the office to add it/)).toBeTruthy();
    expect(emails.queryByRole("switch")).toBeNull();
  });

  it("that bounce are reported to their owner", async () => {
    profile({ "GET /api/profile": family({ suppressed: true }) });
    expect(await (await section("Email Settings")).findByText("Emails bounce")).toBeTruthy();
  });

  it("that bounce are reported with the reason, and where emails go in the meantime", async () => {
    const other = {
      email: "moshe@family.example",
      confirmed: true,
      suppressed: false,
      daily_video_email: true,
      camp_updates_email: false,
      email_notifications: true,
    };
    const bounced = family({
      suppressed: true,
      suppressed_cause: "mailbox_full",
      secondary_email: other.email,
      secondary_email_verified: true,
      other_addresses: [other],
    });
    profile({ "GET /api/profile": bounced });
    const emails = await section("Email Settings");
    expect(
      await emails.findByText(/bounced, so we stopped sending them\. The mailbox is full\. Please change/),
    ).toBeTruthy();
    expect(emails.getByText(/Until then, your family gets emails from camp at/).textContent).toContain(other.email);
    expect(emails.getAllByText("Emails bounce")).toHaveLength(1);
  });

  it("of the family's other address that bounce are shown", async () => {
    const other = {
      email: "moshe@family.example",
      confirmed: true,
      suppressed: true,
      daily_video_email: true,
      camp_updates_email: false,
      email_notifications: true,
    };
    profile({
      "GET /api/profile": family({
        secondary_email: other.email,
        secondary_email_verified: true,
        other_addresses: [other],
      }),
    });
    const emails = await section("Email Settings");
    const row = (await emails.findByText("Emails bounce")).closest("li")!;
    expect(row.textContent).toContain(other.email);
    expect(emails.queryByText(/we stopped sending/)).toBeNull();
  });

  it("change their address with the password and a letter", async () => {
    const { camp, user } = profile({ "POST /api/auth/email": null });
    await user.click(await (await section("Personal Information")).findByRole("button", { name: "Change your email" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change your email" }));
    await user.click(dialog.getByRole("button", { name: "Send the confirmation" }));
    expect(dialog.getByText("Please enter your new email.")).toBeTruthy();
    await user.type(dialog.getByLabelText("New email"), "new@family.example");
    await user.type(dialog.getByLabelText("Your password"), "secret words");
    await user.click(dialog.getByRole("button", { name: "Send the confirmation" }));
    expect(await screen.findByText(/We emailed new@family.example/)).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/email")[0]?.body).toEqual({
      new_email: "new@family.example",
      current_password: "secret words",
    });
  });
});
