import { cleanup, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { chaya, open, refuse, server, site, unreachable, strangely } from "../test/portal";

const email = () => screen.findByLabelText("Email");
const password = () => screen.getByLabelText("Password");
const fresh = { ...chaya, email_verified: false, can_comment: false };

describe("signing in", () => {
  it("returns to the page that the person came from", async () => {
    const camp = server({ "POST /api/auth/sign-in": { user: chaya, linked: false } });
    const user = open("/auth?next=%2Fpast-videos");
    expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
    await user.type(await email(), "chaya@family.example");
    await user.type(password(), "secret words");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByRole("heading", { name: "Gallery" })).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/sign-in")[0]?.body).toEqual({
      email: "chaya@family.example",
      password: "secret words",
    });
    expect(screen.getByRole("link", { name: /Chaya Lindenfeld/ })).toBeTruthy();
  });

  it("never returns to another site", async () => {
    server({ "GET /api/session": { user: chaya } });
    open("/auth?next=https%3A%2F%2Fevil.example%2F");
    expect(await screen.findByRole("heading", { name: "Latest videos" })).toBeTruthy();
    expect(screen.getByTestId("address").textContent).toBe("/");
  });

  it("explains a failure and keeps what was typed", async () => {
    server({ "POST /api/auth/sign-in": refuse(401, "invalid_credentials", "Invalid email or password.") });
    const user = open("/auth");
    await user.type(await email(), "chaya@family.example");
    await user.type(password(), "wrong");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByText("Login Failed")).toBeTruthy();
    expect(screen.getAllByText("Invalid email or password.").length).toBeGreaterThan(0);
    expect(await email()).toHaveProperty("value", "chaya@family.example");
    expect(password()).toHaveProperty("value", "wrong");
  });

  it("says how long to wait after too many tries", async () => {
    server({ "POST /api/auth/sign-in": refuse(429, "too_many_requests", "Too many attempts.", undefined, 600) });
    const user = open("/auth");
    await user.type(await email(), "chaya@family.example");
    await user.type(password(), "wrong");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect((await screen.findAllByText("Too many attempts. You can try again in 10 minutes.")).length).toBeGreaterThan(
      0,
    );
  });

  it("says when the server cannot be reached", async () => {
    server({ "POST /api/auth/sign-in": unreachable });
    const user = open("/auth");
    await user.type(await email(), "chaya@family.example");
    await user.type(password(), "secret words");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect((await screen.findAllByText(/cannot be reached right now/)).length).toBeGreaterThan(0);
  });

  it("names what is missing beside its field, and focuses the first one", async () => {
    const camp = server({});
    const user = open("/auth");
    await email();
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByText("Please enter your email.")).toBeTruthy();
    expect(screen.getByText("Please enter your password.")).toBeTruthy();
    expect(document.activeElement).toBe(await email());
    expect((await email()).getAttribute("aria-invalid")).toBe("true");
    expect(camp.asked("POST", "/api/auth/sign-in")).toHaveLength(0);
  });
});

describe("creating an account", () => {
  const fill = async (user: ReturnType<typeof open>, address = "chaya@family.example") => {
    await user.type(await screen.findByLabelText("Your Name"), "Chaya Lindenfeld");
    await user.type(screen.getByLabelText("Child's Name"), "Mendy");
    await user.type(await email(), address);
    await user.type(password(), "secret words");
  };

  it("asks for everything once and signs in at once", async () => {
    const camp = server({ "POST /api/auth/sign-up": { user: fresh, linked: false } });
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Account Created")).toBeTruthy();
    expect(screen.getByText("Please check your email to confirm your account.")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/sign-up")[0]?.body).toEqual({
      name: "Chaya Lindenfeld",
      email: "chaya@family.example",
      password: "secret words",
      user_type: "parent",
      child_name: "Mendy",
    });
    expect(await screen.findByRole("heading", { name: "Latest videos" })).toBeTruthy();
  });

  it("asks a visitor for no child", async () => {
    const camp = server({ "POST /api/auth/sign-up": { user: fresh, linked: false } });
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Visitor" }));
    expect(screen.queryByLabelText("Child's Name")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    await screen.findByText("Account Created");
    expect(camp.asked("POST", "/api/auth/sign-up")[0]?.body).toMatchObject({ user_type: "visitor", child_name: null });
  });

  it("keeps what was typed while the person switches modes, reads another page and comes back", async () => {
    server({});
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Visitor" }));
    await user.click(screen.getByRole("button", { name: "Parent" }));
    expect(screen.getByLabelText("Child's Name")).toHaveProperty("value", "Mendy");
    await user.click(screen.getByRole("button", { name: "Sign in instead" }));
    await user.click(screen.getByRole("button", { name: "Create an account" }));
    expect(screen.getByLabelText("Your Name")).toHaveProperty("value", "Chaya Lindenfeld");
    await user.click(screen.getByRole("button", { name: "Sign in instead" }));
    await user.click(screen.getByRole("link", { name: "Forgot your password?" }));
    expect(await screen.findByRole("heading", { name: "Forgot your password?" })).toBeTruthy();
    expect(await email()).toHaveProperty("value", "chaya@family.example");
    cleanup();
    open("/auth?mode=create");
    expect(await screen.findByLabelText("Your Name")).toHaveProperty("value", "Chaya Lindenfeld");
    expect(screen.getByLabelText("Child's Name")).toHaveProperty("value", "Mendy");
    expect(password()).toHaveProperty("value", "");
  });

  it("turns to sign-in when the account exists, keeping the address", async () => {
    server({ "POST /api/auth/sign-up": refuse(409, "taken", "Taken.", [{ field: "email", message: "Taken." }]) });
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Account Exists")).toBeTruthy();
    expect(screen.getByText("This email is already registered. Please sign in instead.")).toBeTruthy();
    expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
    expect(await email()).toHaveProperty("value", "chaya@family.example");
    expect(password()).toHaveProperty("value", "");
  });

  it("shows the server's error beside its field and clears nothing", async () => {
    server({
      "POST /api/auth/sign-up": refuse(422, "validation", "Too common.", [
        { field: "password", message: "Please choose a less common password." },
      ]),
    });
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Signup Failed")).toBeTruthy();
    expect(screen.getByText("Please choose a less common password.")).toBeTruthy();
    expect(document.activeElement).toBe(password());
    expect(screen.getByLabelText("Child's Name")).toHaveProperty("value", "Mendy");
  });

  it("says An unexpected error occurred when nothing better is known, in both modes", async () => {
    server({ "POST /api/auth/sign-up": strangely, "POST /api/auth/sign-in": strangely });
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Signup Failed")).toBeTruthy();
    expect(screen.getByText("An unexpected error occurred")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Sign in instead" }));
    await user.type(password(), "long enough words");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByText("Login Failed")).toBeTruthy();
    expect(screen.getAllByText("An unexpected error occurred")).toHaveLength(1);
    expect(screen.queryByText("Signup Failed")).toBeNull();
  });

  it("clears the password when the mode is switched", async () => {
    server({});
    const user = open("/auth?mode=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Sign in instead" }));
    expect(password()).toHaveProperty("value", "");
    expect(await email()).toHaveProperty("value", "chaya@family.example");
  });

  it("is not offered while registrations are closed", async () => {
    server({ "GET /api/site": { ...site, registrations_open: false } });
    open("/auth?mode=create");
    expect(await screen.findByText(/Sign-up is closed right now/)).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Welcome Back" })).toBeTruthy();
  });
});

describe("an invitation", () => {
  it("fills in what the camp knows, which cannot be edited", async () => {
    const camp = server({
      "POST /api/auth/invitation": {
        email: "malky@family.example",
        full_name: "Malky Weiss",
        child_name: "Shmuel",
        user_type: "parent",
      },
      "POST /api/auth/sign-up": { user: fresh, linked: true },
    });
    const user = open("/auth?invite=abc");
    expect(await screen.findByText("Information Pre-filled")).toBeTruthy();
    expect(screen.queryByText("I am a"), "the camp knows").toBeNull();
    expect(screen.getByLabelText("Your Name")).toMatchObject({ value: "Malky Weiss", readOnly: true });
    expect(screen.getByLabelText("Child's Name")).toMatchObject({ value: "Shmuel", readOnly: true });
    await user.type(password(), "secret words");
    await user.click(screen.getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Your account has been created and linked to your existing profile!")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/sign-up")[0]?.body).toMatchObject({ invite: "abc" });
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
    expect(camp.asked("POST", "/api/auth/invitation"), "it is spent now").toHaveLength(1);
  });

  it("asks somebody who is signed in to sign out first", async () => {
    const camp = server({
      "GET /api/session": { user: chaya },
      "POST /api/auth/invitation": { full_name: "Gitty Adler", email: "gitty@family.example", user_type: "parent" },
      "POST /api/auth/sign-out": null,
    });
    const user = open("/auth?invite=secret");
    expect(await screen.findByText(/This invitation is for/)).toHaveProperty(
      "textContent",
      "This invitation is for Gitty Adler. You are signed in as chaya@family.example.",
    );
    expect(screen.getByRole("link", { name: "Stay signed in" }).getAttribute("href")).toBe("/");
    camp.answer("GET /api/session", { user: null });
    await user.click(screen.getByRole("button", { name: "Sign out and use the invitation" }));
    expect(await screen.findByLabelText("Your Name")).toHaveProperty("value", "Gitty Adler");
    expect(camp.asked("POST", "/api/auth/invitation")).toHaveLength(1);
  });

  it("that is used up says so and leaves the form usable", async () => {
    server({ "POST /api/auth/invitation": refuse(410, "gone", "This invitation has been used or has expired.") });
    open("/auth?invite=abc");
    expect(await screen.findByText("This invitation has been used or has expired.")).toBeTruthy();
    expect(await email()).toBeTruthy();
  });
});
