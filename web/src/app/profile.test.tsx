import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { card, chaya, family, list, open, refuse, server, strangely } from "../test/portal";
import { field, profile, section } from "../test/profile-page";

it("leads somebody signed out to sign-in, and back afterwards", async () => {
  server({});
  open("/profile");
  await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/auth?next=%2Fprofile"));
});

it("says when it could not be loaded", async () => {
  profile({ "GET /api/profile": refuse(500, "internal", "Something went wrong.") });
  expect(await screen.findByText("Failed to load profile data.")).toBeTruthy();
});

it("treats nobody as signed out while the session is unknown", async () => {
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

  it("shows the status of the secondary email", async () => {
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

it("favorites are the videos that the person likes", async () => {
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
  // A toast stays while the pointer is on it, however slow the machine is.
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
