import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { FamilyPayment, PaymentPlan } from "../api/client";
import { card, chaya, family, list, open, refuse, server, strangely } from "../test/portal";

const plan: PaymentPlan = {
  total_amount: 532_000,
  paid_amount: 319_200,
  remaining_amount: 212_800,
  credit: 0,
  is_fully_paid: false,
  due_date: "2026-08-14",
  percent: 60,
  badge: "payment_due",
  version: 1,
};
const payment = (change: Partial<FamilyPayment> = {}): FamilyPayment => ({
  id: "p1",
  kind: "payment",
  amount: 120_000,
  payment_date: "2026-07-06",
  notes: "Check",
  created_at: "2026-07-06T12:00:00Z",
  voided: false,
  void_of: null,
  ...change,
});
const devices = list(
  {
    id: "s1",
    device: "phone",
    current: true,
    created_at: "2026-07-01T12:00:00Z",
    last_seen_at: "2026-07-29T12:00:00Z",
  },
  {
    id: "s2",
    device: "computer",
    current: false,
    created_at: "2026-06-01T12:00:00Z",
    last_seen_at: "2026-07-20T12:00:00Z",
  },
);

function profile(answers: Record<string, unknown> = {}) {
  const camp = server({
    "GET /api/session": { user: chaya },
    "GET /api/profile": family(),
    "GET /api/profile/payments": { plan, items: [payment()], currency: "USD", payment_instructions: "" },
    "GET /api/profile/favorites": list(),
    "GET /api/auth/sessions": devices,
    ...answers,
  });
  return { camp, user: open("/profile") };
}

const section = async (name: string) => within(await screen.findByRole("region", { name }));
const field = async (name: RegExp | string) => (await screen.findByLabelText(name)) as HTMLInputElement;

it("leads somebody signed out to sign-in, and back afterwards", async () => {
  server({});
  open("/profile");
  await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/auth?next=%2Fprofile"));
});

it("says when it could not be loaded", async () => {
  profile({ "GET /api/profile": refuse(500, "internal", "Something went wrong.") });
  expect(await screen.findByText("Failed to load profile data.")).toBeTruthy();
});

it("takes nobody for signed out while the server cannot say who is there", async () => {
  const camp = server({ "GET /api/session": refuse(503, "busy", "One moment.") });
  const user = open("/profile");
  expect(await screen.findByText("Failed to load profile data.")).toBeTruthy();
  expect(screen.getByTestId("address").textContent).toBe("/profile");
  camp.answer("GET /api/session", { user: chaya });
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByRole("heading", { name: "Personal Information" })).toBeTruthy();
});

describe("personal information", () => {
  it("is read until Edit, written by Save, and then read again", async () => {
    const { camp, user } = profile({ "PATCH /api/profile": family({ full_name: "Chaya L." }) });
    expect((await field("Full name")).readOnly).toBe(true);
    await user.click(screen.getByRole("button", { name: "Edit" }));
    const name = await field("Full name");
    expect(name.readOnly).toBe(false);
    expect(document.activeElement).toBe(name);
    await user.clear(name);
    await user.type(name, " Chaya L. ");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect(screen.getByText("Your profile settings have been saved successfully.")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ full_name: "Chaya L." });
    expect((await field("Full name")).readOnly).toBe(true);
    expect((await field("Full name")).value).toBe("Chaya L.");
    await waitFor(() => expect(camp.asked("GET", "/api/session").length).toBeGreaterThan(1));
  });

  it("shows a child only to parents, and the primary email only for reading", async () => {
    profile({ "GET /api/profile": family({ user_type: "visitor", child_name: null }) });
    expect((await field("Primary email")).readOnly).toBe(true);
    expect(screen.queryByLabelText("Child's name")).toBeNull();
  });

  it("says how it stands with the secondary email", async () => {
    const { camp, user } = profile({ "PATCH /api/profile": family({ secondary_email: "zeide@family.example" }) });
    await user.type(await field(/Secondary email/), "zeide@family.example");
    expect(screen.getByText("Not saved yet")).toBeTruthy();
    await user.click((await section("Personal Information")).getByRole("button", { name: "Save" }));
    expect((await (await section("Personal Information")).findAllByText("Waiting for confirmation")).length).toBe(1);
    expect(camp.asked("PATCH", "/api/profile")[0]?.body).toMatchObject({ secondary_email: "zeide@family.example" });
  });

  it.each([
    ["removed", ""],
    ["changed", "zeide@family.example"],
  ])("asks for the password before a confirmed secondary email is %s", async (_, typed) => {
    const known = family({ secondary_email: "tatty@family.example", secondary_email_verified: true });
    const wrong = "This is not your current password.";
    const { camp, user } = profile({
      "GET /api/profile": known,
      "PATCH /api/profile": refuse(422, "validation", "No.", [{ field: "current_password", message: wrong }]),
    });
    const email = await field(/Secondary email/);
    expect(screen.queryByLabelText("Your password")).toBeNull();
    await user.clear(email);
    if (typed) await user.type(email, typed);
    await user.type(await field("Your password"), " wrong ");
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await (await section("Personal Information")).findByText(wrong)).toBeTruthy();
    expect(document.activeElement).toBe(await field("Your password"));
    camp.answer("PATCH /api/profile", family());
    await user.clear(await field("Your password"));
    await user.type(await field("Your password"), "pine lake lantern");
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/profile").map(({ body }) => body)).toEqual([
      { secondary_email: typed, current_password: " wrong " },
      { secondary_email: typed, current_password: "pine lake lantern" },
    ]);
    expect(screen.queryByLabelText("Your password")).toBeNull();
  });

  it("puts Save beside the secondary email, and Cancel takes back what was typed", async () => {
    const { camp, user } = profile();
    const shown = await section("Personal Information");
    expect(shown.queryByRole("button", { name: "Save" })).toBeNull();
    await user.type(await field(/Secondary email/), "zeide@family.example");
    expect(shown.getByRole("button", { name: "Save" })).toBeTruthy();
    await user.click(shown.getByRole("button", { name: "Cancel" }));
    expect((await field(/Secondary email/)).value).toBe("");
    expect(screen.queryByText("Not saved yet")).toBeNull();
    expect(camp.asked("PATCH", "/api/profile")).toHaveLength(0);
  });

  it("is saved once by a double click", async () => {
    const { camp, user } = profile({ "PATCH /api/profile": family({ secondary_email: "zeide@family.example" }) });
    await user.type(await field(/Secondary email/), "zeide@family.example");
    await user.dblClick(screen.getByRole("button", { name: "Save All Changes" }));
    await screen.findByText("Profile Updated!");
    expect(camp.asked("PATCH", "/api/profile")).toHaveLength(1);
  });

  it("keeps what is typed while it is being saved", async () => {
    let finish: (answer: unknown) => void = () => {};
    const { user } = profile({ "PATCH /api/profile": () => new Promise((resolve) => (finish = resolve)) });
    await user.type(await field(/Secondary email/), "zeide@family.example");
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    await user.type(await field(/Secondary email/), "s");
    finish(family({ secondary_email: "zeide@family.example" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect((await field(/Secondary email/)).value).toBe("zeide@family.examples");
    expect(await screen.findByText("Not saved yet")).toBeTruthy();
  });

  it("keeps what was typed when the server refuses it", async () => {
    const taken = "A user with this email already exists";
    const { user } = profile({
      "PATCH /api/profile": refuse(409, "taken", taken, [{ field: "secondary_email", message: taken }]),
    });
    await user.type(await field(/Secondary email/), "taken@family.example");
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Error")).toBeTruthy();
    expect((await section("Personal Information")).getByText(taken)).toBeTruthy();
    expect((await field(/Secondary email/)).value).toBe("taken@family.example");
    expect(document.activeElement).toBe(await field(/Secondary email/));
  });

  it("keeps what was typed when the session ends, but not the password", async () => {
    const { user } = profile({
      "GET /api/profile": family({ secondary_email: "dov@family.example", secondary_email_verified: true }),
    });
    await user.click(await screen.findByRole("button", { name: "Edit" }));
    await user.type(await field("Full name"), "-Roth");
    await user.clear(await field(/Secondary email/));
    await user.type(await field("Your password"), "secret words");
    cleanup();
    open("/profile");
    expect((await field("Full name")).value).toBe("Chaya Lindenfeld-Roth");
    expect((await field("Full name")).readOnly).toBe(false);
    expect((await field(/Secondary email/)).value).toBe("");
    expect((await field("Your password")).value).toBe("");
    expect(JSON.stringify(sessionStorage)).not.toContain("secret words");
  });

  it("says Failed to update profile. when nothing better is known", async () => {
    const { user } = profile({ "PATCH /api/profile": strangely });
    await user.click(await screen.findByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Failed to update profile.")).toBeTruthy();
  });
});

describe("payment information", () => {
  it("is the plan, its progress and its history", async () => {
    profile({
      "GET /api/profile/payments": {
        plan,
        items: [
          payment(),
          payment({ id: "p2", kind: "refund", amount: -25_000, notes: null }),
          payment({ id: "p3", amount: 1, voided: true, notes: "By mistake" }),
          payment({ id: "p4", kind: "void", amount: -1, notes: "Was somebody else's" }),
        ],
        currency: "USD",
        payment_instructions: "",
      },
    });
    const shown = await section("Payment Information");
    expect(await shown.findByText("$2,128")).toBeTruthy();
    expect(shown.getByText("$5,320")).toBeTruthy();
    expect(shown.getByText("$3,192")).toBeTruthy();
    expect(shown.getByText("60%")).toBeTruthy();
    expect(shown.getByText("Payment Due")).toBeTruthy();
    expect(shown.getByText("August 14, 2026")).toBeTruthy();
    expect(shown.getByText("in 16 days")).toBeTruthy();
    expect(shown.getByRole("progressbar", { name: "Paid" }).getAttribute("aria-valuenow")).toBe("60");
    const history = within(shown.getByRole("group", { name: "Payment history" }));
    expect(shown.getByRole("group", { name: "Payment history" }).className).toContain("max-h-60");
    expect(history.getAllByRole("listitem")).toHaveLength(4);
    expect(history.getAllByRole("listitem")[3]!.textContent).toContain("Voided: Was somebody else's");
    expect(history.getByText("−$250")).toBeTruthy();
    expect(history.getByText("Refund")).toBeTruthy();
    expect(history.getByText("Voided")).toBeTruthy();
  });

  it.each([
    ["Overdue", { badge: "overdue", due_date: "2026-07-28" }, "1 day ago"],
    ["Payment Due", { badge: "payment_due", due_date: "2026-07-29" }, "today"],
    ["Paid in Full", { badge: "paid_in_full", is_fully_paid: true, remaining_amount: 0, percent: 100 }, "100%"],
  ] as const)("says %s in words", async (badge, change, text) => {
    profile({
      "GET /api/profile/payments": {
        plan: { ...plan, ...change },
        items: [],
        currency: "USD",
        payment_instructions: "",
      },
    });
    const shown = await section("Payment Information");
    expect(await shown.findByText(badge)).toBeTruthy();
    expect(shown.getByText(text)).toBeTruthy();
    expect(shown.getByText("No payments yet.")).toBeTruthy();
  });

  it("keeps the due date of what is paid, without counting days", async () => {
    const paid = { badge: "paid_in_full", is_fully_paid: true, due_date: "2026-07-28" } as const;
    profile({
      "GET /api/profile/payments": { plan: { ...plan, ...paid }, items: [], currency: "USD", payment_instructions: "" },
    });
    const shown = await section("Payment Information");
    expect((await shown.findByText("July 28, 2026")).closest("p")?.textContent).toBe("Due July 28, 2026");
  });

  it("says how to pay while something is owed", async () => {
    const instructions = { items: [], currency: "USD", payment_instructions: "At https://pay.camp.example" };
    profile({ "GET /api/profile/payments": { plan, ...instructions } });
    const shown = await section("Payment Information");
    const link = await shown.findByRole("link", { name: "https://pay.camp.example" });
    expect(link.closest("p")?.textContent).toBe("How to pay: At https://pay.camp.example");
  });

  it("says whom to ask without a plan", async () => {
    profile({ "GET /api/profile/payments": { plan: null, items: [], currency: "USD", payment_instructions: "" } });
    const shown = await section("Payment Information");
    expect(await shown.findByText("No payment plan found. Please contact camp administration.")).toBeTruthy();
    expect(shown.getByRole("link", { name: "(845) 555-0142" }).getAttribute("href")).toBe("tel:8455550142");
    expect(shown.getByRole("link", { name: "office@camp.example" }).getAttribute("href")).toBe(
      "mailto:office@camp.example",
    );
  });

  it("does not take a failure for no plan", async () => {
    profile({ "GET /api/profile/payments": refuse(500, "internal") });
    expect(await screen.findByText("Your payments could not be loaded")).toBeTruthy();
    expect(screen.queryByText(/No payment plan found/)).toBeNull();
  });
});

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

  it("of two addresses are chosen for the own one, and it is said what the other gets", async () => {
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

  it("that come back are told to their owner", async () => {
    profile({ "GET /api/profile": family({ suppressed: true }) });
    expect(await (await section("Email Settings")).findByText("Emails bounce")).toBeTruthy();
  });

  it("that come back are told with the reason, and where emails go meanwhile", async () => {
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

  it("of the family's other address that come back are shown", async () => {
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

it("favorites are the videos that one likes", async () => {
  profile({ "GET /api/profile/favorites": list(card()) });
  expect(await (await section("Favorites")).findByRole("link", { name: "Color War breaks out" })).toBeTruthy();
});

it("shows three favorites, and all of them when asked", async () => {
  const five = list(...["a", "b", "c", "d", "e"].map((id) => card({ id, title: `Night ${id}` })));
  const { user } = profile({ "GET /api/profile/favorites": five });
  const favorites = await section("Favorites");
  expect(await favorites.findAllByRole("article")).toHaveLength(3);
  await user.click(favorites.getByRole("button", { name: "Show all favorites" }));
  expect(favorites.getAllByRole("article")).toHaveLength(5);
  await user.click(favorites.getByRole("button", { name: "Show Less" }));
  expect(favorites.getAllByRole("article")).toHaveLength(3);
});

it("without favorites the page says how to get one", async () => {
  profile();
  expect(await screen.findByText("No favorites yet")).toBeTruthy();
});

describe("an error toast", () => {
  // Under the pointer a toast stays, however slow the machine.
  const kept = async (words: string) => fireEvent.pointerEnter((await screen.findByText(words)).closest("li")!);

  it("goes with the next try of its own form, not with the success of another one", async () => {
    const { camp, user } = profile({
      "PATCH /api/profile": refuse(503, "busy", "The portal is busy."),
      "DELETE /api/auth/sessions/s2": refuse(503, "busy", "Nobody can be signed out."),
      "POST /api/auth/password": null,
    });
    await user.click(await screen.findByRole("button", { name: "Save All Changes" }));
    await kept("The portal is busy.");
    const sessions = await section("Where you are signed in");
    await user.click(await sessions.findByRole("button", { name: /^Sign Out Computer/ }));
    await kept("Nobody can be signed out.");

    await user.click(screen.getByRole("button", { name: "Change password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change password" }));
    await user.type(dialog.getByLabelText("Current password"), "guess");
    await user.type(dialog.getByLabelText("New password"), "better words");
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await screen.findByText("Password changed")).toBeTruthy();
    expect(screen.getByText("The portal is busy.")).toBeTruthy();
    expect(screen.getByText("Nobody can be signed out.")).toBeTruthy();

    camp.answer("PATCH /api/profile", family());
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Profile Updated!")).toBeTruthy();
    expect(screen.queryByText("The portal is busy.")).toBeNull();
  });

  it("is one for each action, however often it fails", async () => {
    const { user } = profile({ "PATCH /api/profile": refuse(503, "busy", "The portal is busy.") });
    const save = await screen.findByRole("button", { name: "Save All Changes" });
    for (let i = 0; i < 3; i++) {
      await user.click(save);
      await kept("The portal is busy.");
    }
    expect(screen.getAllByText("The portal is busy.")).toHaveLength(1);
  });
});

describe("the account", () => {
  it("can be signed out of, which leads home", async () => {
    const { user } = profile({ "POST /api/auth/sign-out": null });
    const main = within(await screen.findByRole("main"));
    await user.click(await main.findByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Signed Out")).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
  });

  it("says when signing out failed", async () => {
    const { user } = profile({ "POST /api/auth/sign-out": refuse(500, "internal") });
    await user.click(await within(await screen.findByRole("main")).findByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Failed to sign out. Please try again.")).toBeTruthy();
  });

  it("lists its devices, ends one, and ends all after asking", async () => {
    const { camp, user } = profile({ "DELETE /api/auth/sessions/s2": null, "POST /api/auth/sessions/end-all": null });
    const sessions = await section("Where you are signed in");
    expect(await sessions.findByText("This device")).toBeTruthy();
    await user.click(sessions.getByRole("button", { name: /^Sign Out Computer/ }));
    await waitFor(() => expect(camp.asked("DELETE", "/api/auth/sessions/s2")).toHaveLength(1));
    await user.click(sessions.getByRole("button", { name: "Sign Out Everywhere" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sign out everywhere?" }));
    expect(camp.asked("POST", "/api/auth/sessions/end-all")).toHaveLength(0);
    await user.click(dialog.getByRole("button", { name: "Sign Out Everywhere" }));
    expect(await screen.findByText("You are signed out on every device.")).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
  });

  it("changes its password, and says what was wrong beside the field", async () => {
    const wrong = "This is not your password.";
    const { camp, user } = profile({
      "POST /api/auth/password": refuse(422, "validation", wrong, [{ field: "current_password", message: wrong }]),
    });
    await user.click(await screen.findByRole("button", { name: "Change password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change password" }));
    await user.type(dialog.getByLabelText("Current password"), "guess");
    await user.type(dialog.getByLabelText("New password"), "better words");
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await dialog.findByText(wrong)).toBeTruthy();
    camp.answer("POST /api/auth/password", null);
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await screen.findByText("Password changed")).toBeTruthy();
  });

  it("gives all its data as a file", async () => {
    profile();
    const link = await screen.findByRole("link", { name: "Download my data" });
    expect(link.getAttribute("href")).toBe("/api/profile/download");
    expect(link.hasAttribute("download")).toBe(true);
  });

  it("is deleted with the password, and says that the family record stays with the camp", async () => {
    const { camp, user } = profile({ "POST /api/auth/delete-account": null });
    await user.click(await screen.findByRole("button", { name: "Delete my account" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete my account" }));
    expect(dialog.getByText(/The camp keeps the family record with its/)).toBeTruthy();
    await user.type(dialog.getByLabelText("Your password"), "secret words");
    await user.click(dialog.getByRole("button", { name: "Delete my account" }));
    expect(await screen.findByText("Account deleted")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/delete-account")[0]?.body).toEqual({ current_password: "secret words" });
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
  });
});
