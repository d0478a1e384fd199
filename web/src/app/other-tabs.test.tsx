import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { eventLine } from "../test/events";
import { chaya, family, list, open, refuse, server, site, update } from "../test/portal";

let line: ReturnType<typeof eventLine>;

beforeEach(() => {
  vi.stubGlobal("requestIdleCallback", (run: () => void) => setTimeout(run, 0));
  vi.stubGlobal("cancelIdleCallback", clearTimeout);
  line = eventLine();
});

const followed = () => waitFor(() => expect(line.open()).toHaveLength(1));
const otherTab = (newValue: string) =>
  act(() => dispatchEvent(new StorageEvent("storage", { key: "session", newValue })));
const fresh = { ...chaya, email_verified: false, can_comment: false };

it("an address that was confirmed in another tab is confirmed here", async () => {
  const camp = server({ "GET /api/session": { user: fresh } });
  open("/faq");
  expect(await screen.findByRole("complementary", { name: "Confirm your email" })).toBeTruthy();
  await followed();
  camp.answer("GET /api/session", { user: chaya });
  otherTab("in 1");
  await waitFor(() => expect(screen.queryByRole("complementary", { name: "Confirm your email" })).toBeNull());
});

it("nothing stays here of a person who signed out in another tab", async () => {
  const camp = server({
    "GET /api/session": { user: chaya },
    "GET /api/profile": family(),
    "GET /api/profile/favorites": list(),
    "GET /api/auth/sessions": list(),
  });
  const user = open("/profile");
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  await user.type(await screen.findByLabelText("Full name"), "-Roth");
  expect(JSON.stringify(sessionStorage)).toContain("Lindenfeld-Roth");
  await followed();
  camp.answer("GET /api/session", { user: null });
  camp.answer("GET /api/profile", refuse(401, "sign_in_required"));
  otherTab("out 2");
  expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
  expect(document.body.textContent).not.toContain("Lindenfeld");
  expect(JSON.stringify(sessionStorage)).not.toContain("Lindenfeld");
});

describe("a session that was ended on another device", () => {
  const ended = (camp: ReturnType<typeof server>) => {
    camp.answer("GET /api/session", { user: null });
    camp.answer("GET /api/profile", refuse(401, "sign_in_required"));
    camp.answer("GET /api/live-updates", refuse(401, "sign_in_required"));
  };

  beforeEach(() => {
    localStorage.removeItem("session");
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  it("takes everything personal off the page once the stream is connected again, and tells the other tabs", async () => {
    const camp = server({
      "GET /api/session": { user: chaya },
      "GET /api/profile": family(),
      "GET /api/profile/favorites": list(),
      "GET /api/auth/sessions": list(),
    });
    open("/profile");
    await screen.findByDisplayValue("Chaya Lindenfeld");
    await followed();
    line.hello(1);
    expect(camp.asked("GET", "/api/session"), "the first connection needs no second answer").toHaveLength(1);
    ended(camp);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    line.cut();
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    line.hello(2);
    expect(await screen.findByRole("heading", { name: "Welcome Back" })).toBeTruthy();
    expect(document.body.textContent).not.toContain("Lindenfeld");
    expect(localStorage.getItem("session")).toMatch(/^in /);
  });

  it("is told to the other tabs by whichever tab is refused first", async () => {
    const camp = server({
      "GET /api/site": { ...site, access: "families" },
      "GET /api/session": { user: chaya },
      "GET /api/live-updates": list(update()),
    });
    open("/updates");
    await screen.findByText("Package room closes at 5");
    await followed();
    ended(camp);
    line.hello(1);
    expect(await screen.findByRole("main")).toBeTruthy();
    await waitFor(() => expect(localStorage.getItem("session")).toMatch(/^in /));
    await waitFor(() => expect(screen.queryByText("Package room closes at 5")).toBeNull());
  });

  it("is told once: the tab that was told does not tell again", async () => {
    const camp = server({ "GET /api/session": { user: chaya } });
    open("/faq");
    await screen.findByRole("link", { name: /View Profile/ });
    await followed();
    ended(camp);
    otherTab("in 3");
    await waitFor(() => expect(screen.queryByRole("link", { name: /View Profile/ })).toBeNull());
    expect(localStorage.getItem("session")).toBeNull();
  });

  it("is not asked for by pages where nobody is signed in", async () => {
    const camp = server({});
    open("/faq");
    await followed();
    line.hello(1);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    line.cut();
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    line.hello(2);
    await act(() => vi.advanceTimersByTimeAsync(11_000));
    expect(camp.asked("GET", "/api/session")).toHaveLength(1);
  });
});

it("signing out is told to the other tabs", async () => {
  server({
    "GET /api/session": { user: chaya },
    "GET /api/profile/favorites": list(),
    "GET /api/auth/sessions": list(),
    "POST /api/auth/sign-out": null,
  });
  const user = open("/profile");
  await user.click((await screen.findAllByRole("button", { name: "Sign Out" }))[0]!);
  await waitFor(() => expect(localStorage.getItem("session")).toMatch(/^out /));
});

it("the confirmation is not said to be sent to an address that is confirmed", async () => {
  const camp = server({
    "GET /api/session": { user: fresh },
    "POST /api/auth/verify/resend": refuse(409, "conflict", "Your email is already confirmed."),
  });
  const user = open("/faq");
  const again = await screen.findByRole("button", { name: "Send it again" });
  camp.answer("GET /api/session", { user: chaya });
  await user.click(again);
  expect(await screen.findByText("Your email is already confirmed.")).toBeTruthy();
  expect(screen.queryByText("Confirmation sent")).toBeNull();
  await waitFor(() => expect(screen.queryByRole("complementary", { name: "Confirm your email" })).toBeNull());
});
