import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { chaya, open, refuse, server } from "../test/portal";
import type { Confirmation } from "./queries";

const asked = (change: Partial<Confirmation> = {}): Confirmation => ({
  kind: "login",
  email: "chaya@family.example",
  needs: "nothing",
  family: null,
  ...change,
});

it("an address is confirmed by pressing the button, never by opening the page", async () => {
  const camp = server({
    "POST /api/auth/verify/preview": asked(),
    "POST /api/auth/verify": { email: "chaya@family.example", linked: true, user: chaya },
  });
  const user = open("/auth/verify?token=abc");
  const confirm = await screen.findByRole("button", { name: "Confirm my email" });
  expect(camp.asked("POST", "/api/auth/verify")).toHaveLength(0);
  await user.click(confirm);
  expect(await screen.findByRole("heading", { name: "Your email is confirmed" })).toBeTruthy();
  expect(screen.getByText("Your account has been created and linked to your pre-existing profile.")).toBeTruthy();
  expect(camp.asked("POST", "/api/auth/verify")[0]?.body).toEqual({ token: "abc" });
});

it("an account that somebody made elsewhere is confirmed with its password, or with a new one", async () => {
  const camp = server({
    "POST /api/auth/verify/preview": asked({ needs: "password_or_new_password" }),
    "POST /api/auth/verify": refuse(422, "validation", "No.", [
      { field: "current_password", message: "This is not this account's password." },
    ]),
  });
  const user = open("/auth/verify?token=abc");
  expect(await screen.findByText(/created an account for/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Confirm my email" }));
  expect(await screen.findByText("Please enter this account's password.")).toBeTruthy();
  await user.type(screen.getByLabelText("Password for this account"), "wrong wrong");
  await user.click(screen.getByRole("button", { name: "Confirm my email" }));
  expect(await screen.findByText("This is not this account's password.")).toBeTruthy();
  expect(screen.getByLabelText("Password for this account")).toHaveProperty("value", "wrong wrong");
  await user.click(screen.getByRole("button", { name: "Choose a new password" }));
  camp.answer("POST /api/auth/verify", { email: "chaya@family.example", linked: false, user: chaya });
  await user.type(screen.getByLabelText("New password"), "pine lake lantern");
  await user.click(screen.getByRole("button", { name: "Confirm my email" }));
  expect(await screen.findByRole("heading", { name: "Your email is confirmed" })).toBeTruthy();
  expect(camp.asked("POST", "/api/auth/verify").map(({ body }) => body)).toEqual([
    { token: "abc", current_password: "wrong wrong" },
    { token: "abc", new_password: "pine lake lantern" },
  ]);
});

it("a change of address offers no new password", async () => {
  server({ "POST /api/auth/verify/preview": asked({ kind: "new_email", needs: "password" }) });
  open("/auth/verify?token=abc");
  expect(await screen.findByLabelText("Password for this account")).toBeTruthy();
  expect(screen.getByText(/close this page and nothing changes/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Choose a new password" })).toBeNull();
});

it("the owner of a second address is told which family it would join", async () => {
  const family = { full_name: "Mallory", email: "mallory@elsewhere.example", email_verified: false };
  server({
    "POST /api/auth/verify/preview": asked({ kind: "second_email", family }),
    "POST /api/auth/verify": { email: "chaya@family.example", linked: false, user: null },
  });
  const user = open("/auth/verify?token=abc");
  expect(await screen.findByText("Mallory")).toBeTruthy();
  expect(screen.getByText("mallory@elsewhere.example")).toBeTruthy();
  expect(screen.getByText(/have not confirmed/)).toBeTruthy();
  expect(screen.getByText(/If this is not your family, close this page/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Confirm my email" }));
  expect(await within(screen.getByRole("main")).findByRole("link", { name: "Sign In" })).toBeTruthy();
});

it("if the session has ended, the page asks for the password", async () => {
  const camp = server({
    "POST /api/auth/verify/preview": asked(),
    "POST /api/auth/verify": refuse(403, "password_required", "Please enter this account's password."),
  });
  const user = open("/auth/verify?token=abc");
  await user.click(await screen.findByRole("button", { name: "Confirm my email" }));
  camp.answer("POST /api/auth/verify/preview", asked({ needs: "password_or_new_password" }));
  await user.click(screen.getByRole("button", { name: "Confirm my email" }));
  expect(await screen.findByLabelText("Password for this account")).toBeTruthy();
});

const ended = {
  "POST /api/auth/verify/preview": refuse(
    410,
    "gone",
    "This link was already used or has expired. Please ask for a new one.",
  ),
};
const waiting = { "GET /api/session": { user: { ...chaya, email_verified: false } } };

describe("a link that was used or has expired", () => {
  it("of a sign-up leads to sign-in", async () => {
    server(ended);
    open("/auth/verify?token=abc");
    expect(await screen.findByText("This link to confirm your email was already used or has expired.")).toBeTruthy();
    expect(within(screen.getByRole("main")).getByRole("link", { name: "Sign In" }).getAttribute("href")).toBe("/auth");
  });

  it("of a sign-up can be sent again by the signed-in person", async () => {
    const camp = server({ ...ended, ...waiting, "POST /api/auth/verify/resend": null });
    const user = open("/auth/verify?token=abc");
    await user.click(await screen.findByRole("button", { name: "Send a new link" }));
    expect(await screen.findByText("We emailed chaya@family.example again.")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/verify/resend")).toHaveLength(1);
  });

  it("of a sign-up does not alarm people whose address is confirmed", async () => {
    server({ ...ended, "GET /api/session": { user: chaya } });
    open("/auth/verify?token=abc");
    expect(await screen.findByText(/is already confirmed/)).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it.each([
    ["signed in", chaya, "Open my profile", "/profile", /You sign in as chaya@family.example/],
    ["signed out", null, "Sign In", "/auth?next=%2Fprofile", /sign in with your new email/],
  ] as const)("of a new address says how to ask for it again, %s", async (_, user, button, href, words) => {
    server({ ...ended, "GET /api/session": { user } });
    open("/auth/verify?for=new_email&token=abc");
    expect(await screen.findByText("This link to change your email was already used or has expired.")).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Confirm your new email" })).toBeTruthy();
    expect(
      screen.getByText((_text, element) => element?.tagName === "P" && words.test(element.textContent)),
    ).toBeTruthy();
    expect(within(screen.getByRole("main")).getByRole("link", { name: button }).getAttribute("href")).toBe(href);
    expect(screen.queryByText(/is already confirmed/)).toBeNull();
  });

  it.each([
    ["signed in", chaya],
    ["signed out", null],
  ])("of a second address names who can send it again, %s", async (_, user) => {
    server({ ...ended, "GET /api/session": { user } });
    open("/auth/verify?for=second_email&token=abc");
    expect(
      await screen.findByText("This link to join a family’s emails was already used or has expired."),
    ).toBeTruthy();
    expect(screen.getByText(/ask the person named in the email/)).toBeTruthy();
    expect(within(screen.getByRole("main")).queryByRole("link")).toBeNull();
  });

  it("while its page was open leaves no form that cannot work", async () => {
    const camp = server({
      "POST /api/auth/verify/preview": asked({ kind: "new_email" }),
      "POST /api/auth/verify": refuse(410, "gone", "Used."),
    });
    const user = open("/auth/verify?for=new_email&token=abc");
    const confirm = await screen.findByRole("button", { name: "Confirm my email" });
    for (const [key, answer] of Object.entries(ended)) camp.answer(key, answer);
    await user.click(confirm);
    expect(await screen.findByText("This link to change your email was already used or has expired.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Confirm my email" })).toBeNull();
  });
});

it("a link without its token is told apart", async () => {
  server({});
  open("/auth/verify");
  expect(await screen.findByText(/This link is incomplete/)).toBeTruthy();
});

it("the page for a forgotten password gives the same answer for every address", async () => {
  const camp = server({ "POST /api/auth/forgot": null });
  const user = open("/auth/forgot");
  await user.type(await screen.findByLabelText("Email"), "chaya@family.example");
  await user.click(screen.getByRole("button", { name: "Send the link" }));
  expect(await screen.findByRole("heading", { name: "Check your email" })).toBeTruthy();
  expect(camp.asked("POST", "/api/auth/forgot")[0]?.body).toEqual({ email: "chaya@family.example" });
});

it("a new password is chosen once, and then used to sign in", async () => {
  const camp = server({ "POST /api/auth/reset/preview": null, "POST /api/auth/reset": null });
  const user = open("/auth/reset?token=abc");
  await user.type(await screen.findByLabelText("New password"), "other secret words");
  await user.click(screen.getByRole("button", { name: "Save new password" }));
  expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
  expect(screen.getByText("Password Changed")).toBeTruthy();
  expect(camp.asked("POST", "/api/auth/reset")[0]?.body).toEqual({ token: "abc", password: "other secret words" });
});

it("a new password signs out its own account, and tells the other tabs", async () => {
  localStorage.removeItem("session");
  const camp = server({
    "GET /api/session": { user: chaya },
    "POST /api/auth/reset/preview": null,
    "POST /api/auth/reset": () => {
      camp.answer("GET /api/session", { user: null });
      return null;
    },
  });
  const user = open("/auth/reset?token=abc");
  await user.type(await screen.findByLabelText("New password"), "other secret words");
  await user.click(screen.getByRole("button", { name: "Save new password" }));
  expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
  expect(screen.getByText("Please sign in with your new password.")).toBeTruthy();
  expect(localStorage.getItem("session")).toMatch(/^out /);
});

it("after a new password nobody stays signed in if the session cannot be read", async () => {
  const camp = server({
    "GET /api/session": { user: chaya },
    "POST /api/auth/reset/preview": null,
    "POST /api/auth/reset": () => {
      camp.answer("GET /api/session", refuse(500, "internal", "Something went wrong."));
      return null;
    },
  });
  const user = open("/auth/reset?token=abc");
  await user.type(await screen.findByLabelText("New password"), "other secret words");
  await user.click(screen.getByRole("button", { name: "Save new password" }));
  expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: /View Profile/ })).toBeNull();
});

it("a new password for one account leaves another parent signed in", async () => {
  localStorage.removeItem("session");
  server({
    "GET /api/session": { user: chaya },
    "POST /api/auth/reset/preview": null,
    "POST /api/auth/reset": null,
  });
  const user = open("/auth/reset?token=abc");
  await screen.findByRole("link", { name: /View Profile/ });
  await user.type(await screen.findByLabelText("New password"), "other secret words");
  await user.click(screen.getByRole("button", { name: "Save new password" }));
  expect(await screen.findByText("You are still signed in as chaya@family.example.")).toBeTruthy();
  expect(screen.getByRole("link", { name: /View Profile/ })).toBeTruthy();
  expect(screen.getByTestId("address").textContent).toBe("/");
  expect(localStorage.getItem("session")).toBeNull();
});

it("staff choose a new password too, and continue to the staff sign-in", async () => {
  server({
    "POST /api/auth/reset/preview": null,
    "POST /api/auth/reset": null,
    "GET /api/admin/session": { staff: null },
  });
  const user = open("/auth/reset?for=staff&token=abc");
  const field = await screen.findByLabelText("New password");
  expect(screen.getByText("An owner can send you a new link.")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Ask for a new link" })).toBeNull();
  await user.type(field, "other secret words");
  await user.click(screen.getByRole("button", { name: "Save new password" }));
  expect(await screen.findByLabelText("Username")).toBeTruthy();
  expect(screen.getByTestId("address").textContent).toBe("/admin/login");
});

describe("a link for a new password that was used or has expired", () => {
  const gone = refuse(410, "gone", "This link was already used or has expired. Please ask for a new one.");

  it("says so at once, and leads to a new one", async () => {
    const camp = server({ "POST /api/auth/reset/preview": gone });
    open("/auth/reset?token=abc");
    expect(await screen.findByText("This link was already used or has expired.")).toBeTruthy();
    expect(screen.queryByLabelText("New password")).toBeNull();
    expect(screen.getByRole("link", { name: "Ask for a new link" }).getAttribute("href")).toBe("/auth/forgot");
    expect(camp.asked("POST", "/api/auth/reset/preview")[0]?.body).toEqual({ token: "abc" });
    expect(camp.asked("POST", "/api/auth/reset")).toHaveLength(0);
  });

  it("says so to staff, whose links come from an owner", async () => {
    server({ "POST /api/auth/reset/preview": gone });
    open("/auth/reset?for=staff&token=abc");
    expect(await screen.findByText("This link was already used or has expired.")).toBeTruthy();
    expect(screen.getByText("An owner can send you a new link.")).toBeTruthy();
  });

  it("says so if that happened while the page was open", async () => {
    server({ "POST /api/auth/reset/preview": null, "POST /api/auth/reset": gone });
    const user = open("/auth/reset?token=abc");
    await user.type(await screen.findByLabelText("New password"), "other secret words");
    await user.click(screen.getByRole("button", { name: "Save new password" }));
    expect(await screen.findByText("This link was already used or has expired.")).toBeTruthy();
    expect(screen.queryByLabelText("New password")).toBeNull();
  });
});

it("a link for a new password that cannot be checked can be checked again", async () => {
  const camp = server({ "POST /api/auth/reset/preview": refuse(500, "internal", "Something went wrong.") });
  const user = open("/auth/reset?token=abc");
  const retry = await screen.findByRole("button", { name: "Retry" });
  camp.answer("POST /api/auth/reset/preview", null);
  await user.click(retry);
  expect(await screen.findByLabelText("New password")).toBeTruthy();
});

it("the link in an email shows which emails come, and turns stopped ones on again without signing in", async () => {
  const off = { daily_videos: false, camp_updates: true, general: true };
  const camp = server({
    "POST /api/unsubscribe/preview": {
      email_hint: "c…a@family.example",
      category: "daily_videos",
      choice: off,
      family: true,
    },
    "PUT /api/unsubscribe/choice": null,
  });
  const user = open("/unsubscribe?token=abc");
  expect(await screen.findByText("No daily video emails go to this address.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Stop daily video emails" })).toBeNull();
  await user.click(screen.getByRole("switch", { name: "Daily videos" }));
  await user.click(screen.getByRole("button", { name: "Save Preferences" }));
  expect(await screen.findByText("Preferences Saved! ✅")).toBeTruthy();
  expect(camp.asked("PUT", "/api/unsubscribe/choice")[0]?.body).toEqual({
    token: "abc",
    choice: { ...off, daily_videos: true },
  });
  expect(screen.getByRole("button", { name: "Stop daily video emails" })).toBeTruthy();
});

it("a link in an email that cannot be checked can be checked again", async () => {
  const choice = { daily_videos: true, camp_updates: true, general: true };
  const camp = server({ "POST /api/unsubscribe/preview": refuse(500, "internal", "Something went wrong.") });
  const user = open("/unsubscribe?token=abc");
  const retry = await screen.findByRole("button", { name: "Retry" });
  const preview = { email_hint: "c…a@family.example", category: "daily_videos", choice, family: true };
  camp.answer("POST /api/unsubscribe/preview", preview);
  await user.click(retry);
  expect(await screen.findByRole("button", { name: "Stop daily video emails" })).toBeTruthy();
});

it("a mailing list subscriber is offered no other emails", async () => {
  const choice = { daily_videos: false, camp_updates: false, general: true };
  server({
    "POST /api/unsubscribe/preview": { email_hint: "n…r@town.example", category: "general", choice, family: false },
  });
  open("/unsubscribe?token=abc");
  expect(await screen.findByRole("button", { name: "Stop newsletters from camp" })).toBeTruthy();
  expect(screen.queryByRole("switch")).toBeNull();
});

it("the one daily email is stopped entirely, or in parts", async () => {
  const all = { daily_videos: true, camp_updates: true, general: true };
  const camp = server({
    "POST /api/unsubscribe/preview": {
      email_hint: "c…a@family.example",
      category: "digest",
      choice: all,
      family: true,
    },
    "POST /api/unsubscribe": null,
    "PUT /api/unsubscribe/choice": null,
  });
  const user = open("/unsubscribe?token=abc");
  const everything = await screen.findByRole("button", { name: "Stop all emails from camp" });
  expect(screen.getAllByRole("button", { name: /^Stop/ })).toHaveLength(1);
  await user.click(screen.getByRole("switch", { name: "Newsletters from camp" }));
  await user.click(screen.getByRole("button", { name: "Save Preferences" }));
  expect(await screen.findByText("Preferences Saved! ✅")).toBeTruthy();
  expect(camp.asked("PUT", "/api/unsubscribe/choice")[0]?.body).toEqual({
    token: "abc",
    choice: { ...all, general: false },
  });
  await user.click(everything);
  expect(await screen.findByText(/No more emails/)).toBeTruthy();
  expect(camp.asked("POST", "/api/unsubscribe")[0]?.body).toEqual({ token: "abc", scope: "everything" });
});

it("emails are stopped without signing in: one kind or all of them", async () => {
  const all = { daily_videos: true, camp_updates: true, general: true };
  const camp = server({
    "POST /api/unsubscribe/preview": {
      email_hint: "c…a@family.example",
      category: "daily_videos",
      choice: all,
      family: true,
    },
    "POST /api/unsubscribe": null,
  });
  const user = open("/unsubscribe?token=abc");
  const everything = await screen.findByRole("button", { name: "Stop all emails from camp" });
  expect(screen.getByRole("button", { name: "Stop daily video emails" })).toBeTruthy();
  expect(camp.asked("POST", "/api/unsubscribe")).toHaveLength(0);
  await user.click(everything);
  expect(await screen.findByText(/No more emails/)).toBeTruthy();
  expect(camp.asked("POST", "/api/unsubscribe")[0]?.body).toEqual({ token: "abc", scope: "everything" });
});
