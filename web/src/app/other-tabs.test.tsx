import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { eventLine } from "../test/events";
import { chaya, family, list, open, refuse, server } from "../test/portal";

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

it("nothing of a person stays here who signed out in another tab", async () => {
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
