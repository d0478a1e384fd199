import { act, fireEvent, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { chaya, family, never, open, refuse, server, site, strangely, video } from "../test/portal";

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const popup = async () => within(await screen.findByRole("dialog", { name: "Welcome to Camp Pine Lake!" }));
const shown = () => screen.queryByRole("dialog", { name: /^Welcome/ });

function look(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
}

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

async function invited(answers: Record<string, unknown> = {}, address = "/") {
  const camp = server(answers);
  const user = open(address);
  await screen.findByText("Live updates");
  await wait(15_100);
  return { camp, user };
}

async function fill(user: ReturnType<typeof open>, kind: "Parent" | "Visitor") {
  await user.click((await popup()).getByRole("radio", { name: kind }));
  await user.click((await popup()).getByRole("button", { name: "Next Step" }));
  await user.type((await popup()).getByLabelText("Your Name"), "Malky Weissberg");
  if (kind === "Parent") await user.type((await popup()).getByLabelText("Child's Name"), "Duvid");
  await user.type((await popup()).getByLabelText("Email"), "malky@family.example");
  await user.type((await popup()).getByLabelText("Password"), "long enough words");
}

describe("the welcome popup", () => {
  it("appears after fifteen seconds in view, and hidden time does not count", async () => {
    server({});
    open("/");
    await screen.findByText("Live updates");
    await wait(10_000);
    look(true);
    await wait(60_000);
    expect(shown()).toBeNull();
    look(false);
    await wait(4_000);
    expect(shown()).toBeNull();
    await wait(1_500);
    expect(await popup()).toBeTruthy();
  });

  it("does not appear for people who are signed in, were asked before, or could not sign up", async () => {
    await invited({ "GET /api/session": { user: chaya } });
    expect(shown()).toBeNull();
    expect(localStorage.getItem("welcomePopupShown")).not.toBeNull();
  });

  it("does not appear where sign-up is closed", async () => {
    await invited({ "GET /api/site": { ...site, registrations_open: false } });
    expect(shown()).toBeNull();
  });

  it("does not appear before the session is known", async () => {
    await invited({ "GET /api/session": never });
    expect(shown()).toBeNull();
  });

  it("waits while somebody is typing", async () => {
    server({});
    open("/");
    await screen.findByText("Live updates");
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    await wait(30_000);
    expect(shown()).toBeNull();
    field.remove();
    await wait(2_500);
    expect(await popup()).toBeTruthy();
  });

  it("never appears over a video", async () => {
    server({ "GET /api/videos/v1": video() });
    open("/video/v1");
    await screen.findByRole("heading", { name: /Color War/ });
    await wait(60_000);
    expect(shown()).toBeNull();
  });

  it("waits while something else is being done", async () => {
    server({});
    const user = open("/");
    await screen.findByText("Live updates");
    await screen.findByRole("contentinfo");
    await user.click(screen.getByRole("button", { name: "Open menu" }));
    await wait(20_000);
    expect(shown()).toBeNull();
    await user.click(screen.getByRole("button", { name: "Close menu" }));
    await wait(2_100);
    expect(await popup()).toBeTruthy();
  });

  it("appears once per device, however it was closed", async () => {
    const { user } = await invited();
    await user.click((await popup()).getByRole("button", { name: "Close" }));
    expect(shown()).toBeNull();
    expect(localStorage.getItem("welcomePopupShown")).not.toBeNull();
    await wait(60_000);
    expect(shown()).toBeNull();
  });

  it("has three steps: forward once filled in, and back without losing anything", async () => {
    const { user } = await invited();
    const next = async () => (await popup()).getByRole("button", { name: "Next Step" });
    expect(await next()).toHaveProperty("disabled", true);
    await user.click((await popup()).getByRole("radio", { name: "Parent" }));
    await user.click(await next());
    await user.type((await popup()).getByLabelText("Your Name"), "Malky");
    await user.type((await popup()).getByLabelText("Email"), "malky@family.example");
    await user.type((await popup()).getByLabelText("Password"), "long enough words");
    expect(await next()).toHaveProperty("disabled", true);
    await user.type((await popup()).getByLabelText("Child's Name"), "Duvid");
    expect(await next()).toHaveProperty("disabled", false);
    await user.click((await popup()).getByRole("button", { name: "Back" }));
    expect((await popup()).getByRole("radio", { name: "Parent" })).toHaveProperty("checked", true);
    await user.click(await next());
    expect((await popup()).getByLabelText("Child's Name")).toHaveProperty("value", "Duvid");
    await user.click(await next());
    expect((await popup()).getByRole("checkbox", { name: "Daily videos" })).toHaveProperty("checked", true);
    expect((await popup()).getByRole("checkbox", { name: "Camp updates" })).toHaveProperty("checked", false);
    expect((await popup()).getByRole("checkbox", { name: "Newsletters from camp" })).toHaveProperty("checked", true);
  });

  it("creates the account, signs in and remembers that in the account too", async () => {
    const { camp, user } = await invited({
      "POST /api/auth/sign-up": { user: chaya, linked: false },
      "PATCH /api/profile": family(),
    });
    await fill(user, "Parent");
    await user.click((await popup()).getByRole("button", { name: "Next Step" }));
    await user.click((await popup()).getByRole("checkbox", { name: "Camp updates" }));
    const create = (await popup()).getByRole("button", { name: "Create Account" });
    // A double click is faster than a render.
    act(() => [create, create].forEach((button) => button.click()));
    expect(await screen.findByText("Your account has been created and you are now signed in!")).toBeTruthy();
    expect(screen.getByText("Welcome to Camp Pine Lake!")).toBeTruthy();
    expect(shown()).toBeNull();
    expect(camp.asked("POST", "/api/auth/sign-up")).toHaveLength(1);
    expect(camp.asked("POST", "/api/auth/sign-up")[0]?.body).toEqual({
      user_type: "parent",
      name: "Malky Weissberg",
      child_name: "Duvid",
      email: "malky@family.example",
      password: "long enough words",
      daily_video_email: true,
      camp_updates_email: true,
      email_notifications: true,
    });
    await vi.waitFor(() => expect(camp.asked("PATCH", "/api/profile")[0]?.body).toEqual({ welcome_popup_shown: true }));
    expect(localStorage.getItem("welcomePopupShown")).not.toBeNull();
  });

  it("asks a visitor for no child, and says that it works", async () => {
    const { camp, user } = await invited({ "POST /api/auth/sign-up": never });
    await fill(user, "Visitor");
    await user.click((await popup()).getByRole("button", { name: "Next Step" }));
    await user.click((await popup()).getByRole("button", { name: "Create Account" }));
    expect(await (await popup()).findByRole("button", { name: "Creating Account..." })).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/sign-up")[0]?.body).toMatchObject({ user_type: "visitor", child_name: null });
  });

  it("shows the server's errors beside their fields, and loses nothing", async () => {
    const taken = "This email is already registered. Please sign in instead.";
    const { user } = await invited({
      "POST /api/auth/sign-up": refuse(409, "taken", taken, [{ field: "email", message: taken }]),
    });
    await fill(user, "Visitor");
    await user.click((await popup()).getByRole("button", { name: "Next Step" }));
    await user.click((await popup()).getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Sign Up Error")).toBeTruthy();
    expect(await (await popup()).findByLabelText("Email")).toHaveProperty("value", "malky@family.example");
    expect((await popup()).getAllByText(taken).length).toBeGreaterThan(0);
  });

  it("says so when the reason is unknown", async () => {
    const { user } = await invited({ "POST /api/auth/sign-up": strangely });
    await fill(user, "Visitor");
    await user.click((await popup()).getByRole("button", { name: "Next Step" }));
    await user.click((await popup()).getByRole("button", { name: "Create Account" }));
    expect(await screen.findByText("Error")).toBeTruthy();
    expect(screen.getAllByText("Something went wrong. Please try again.").length).toBeGreaterThan(0);
  });

  it("names what is missing, however the form was submitted", async () => {
    const { camp, user } = await invited();
    const send = async () => fireEvent.submit((await screen.findByRole("dialog")).querySelector("form")!);
    await send();
    expect(await screen.findByText("Missing Information")).toBeTruthy();
    expect(screen.getByText("Please fill in all required fields.")).toBeTruthy();
    await fill(user, "Parent");
    await user.clear((await popup()).getByLabelText("Child's Name"));
    await send();
    expect(await screen.findByText("Child's Name Required")).toBeTruthy();
    expect(screen.getByText("Please enter your child's name.")).toBeTruthy();
    await user.clear((await popup()).getByLabelText("Email"));
    await send();
    expect(await screen.findAllByText("Missing Information")).toHaveLength(1);
    expect(screen.queryByText("Child's Name Required")).toBeNull();
    expect((await popup()).getByText("Your details")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/sign-up")).toHaveLength(0);
  });
});
