import { act, cleanup, screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { chaya, open, refuse, server } from "../test/portal";
import { dismissErrors, errorToast, reportFailure, toast } from "../ui/toast";

const unverified = { ...chaya, email_verified: false, can_comment: false };

it("a wrong address says so", async () => {
  server({});
  open("/nowhere");
  expect(await screen.findByRole("heading", { name: "404" })).toBeTruthy();
  expect(screen.getByText("Oops! Page not found")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Return to Home" }).getAttribute("href")).toBe("/");
});

it("the header leads to the pages that exist, and to sign-in with the way back", async () => {
  server({});
  open("/past-videos");
  const main = within(await screen.findByRole("navigation", { name: "Main" }));
  expect(main.getAllByRole("link").map((link) => link.textContent)).toEqual([
    "Home",
    "Current Videos",
    "Past Videos",
    "About",
    "FAQ",
    "Contact",
    "Store",
  ]);
  expect(main.getByRole("link", { name: "Past Videos" }).getAttribute("aria-current")).toBe("page");
  expect(screen.getByRole("link", { name: "Staff" }).getAttribute("href")).toBe("/admin/login");
  expect(screen.getByRole("link", { name: "Sign In" }).getAttribute("href")).toBe("/auth?next=%2Fpast-videos");
});

it("the footer leads to the pages, the office and the texts of the law", async () => {
  server({});
  open("/nowhere");
  const footer = within(await screen.findByRole("contentinfo"));
  await footer.findByRole("link", { name: "(845) 555-0142" });
  expect(
    footer
      .getAllByRole("link")
      .slice(1)
      .map((link) => [link.textContent, link.getAttribute("href")]),
  ).toEqual([
    ["Daily Reports", "/current-videos"],
    ["Report Archives", "/past-videos"],
    ["About Us", "/about"],
    ["FAQ", "/faq"],
    ["Contact Us", "/contact"],
    ["Resources", "/store"],
    ["office@camp.example", "mailto:office@camp.example"],
    ["(845) 555-0142", "tel:8455550142"],
    ["Privacy Policy", "/privacy"],
    ["Terms of Service", "/terms"],
  ]);
  expect(footer.getByText("A friendly hub for daily updates and progress reports.")).toBeTruthy();
});

it("signing out removes the person's data", async () => {
  server({ "GET /api/session": { user: chaya }, "POST /api/auth/sign-out": null });
  const user = open("/nowhere");
  await user.click(await screen.findByRole("button", { name: "Sign Out" }));
  expect(await screen.findByText("Signed Out")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Sign In" })).toBeTruthy();
  expect(screen.queryByText(chaya.full_name)).toBeNull();
});

it("a failed sign-out says so", async () => {
  server({ "GET /api/session": { user: chaya }, "POST /api/auth/sign-out": refuse(500, "internal") });
  const user = open("/nowhere");
  await user.click(await screen.findByRole("button", { name: "Sign Out" }));
  expect(await screen.findByText("Failed to sign out")).toBeTruthy();
});

it("people with an unconfirmed address are reminded, and can have the email sent again", async () => {
  const camp = server({ "GET /api/session": { user: unverified }, "POST /api/auth/verify/resend": null });
  const user = open("/nowhere");
  await user.click(await screen.findByRole("button", { name: "Send it again" }));
  expect(await screen.findByText("Confirmation sent")).toBeTruthy();
  expect(camp.asked("POST", "/api/auth/verify/resend")).toHaveLength(1);
});

it("people with a confirmed address are not reminded", async () => {
  server({ "GET /api/session": { user: chaya } });
  open("/nowhere");
  const link = await screen.findByRole("link", { name: "Chaya Lindenfeld View Profile" });
  expect(link.getAttribute("href")).toBe("/profile");
  expect(screen.queryByRole("button", { name: "Send it again" })).toBeNull();
});

it("a toast stays five seconds", async () => {
  server({});
  open("/nowhere");
  await screen.findByRole("heading", { name: "404" });
  vi.useFakeTimers();
  act(() => toast({ title: "Error", description: "Failed.", destructive: true }));
  expect(screen.getByText("Failed.")).toBeTruthy();
  act(() => vi.advanceTimersByTime(4_900));
  expect(screen.getByText("Failed.")).toBeTruthy();
  act(() => vi.advanceTimersByTime(200));
  expect(screen.queryByText("Failed.")).toBeNull();
});

it("errors disappear when their own action is tried again, and a toast's link works", async () => {
  server({});
  const user = open("/nowhere");
  await screen.findByRole("heading", { name: "404" });
  const fail = (action: string, description: string) => act(() => reportFailure(action, () => errorToast(description)));
  fail("like", "Not liked.");
  fail("comment", "Not posted.");
  act(() => toast({ title: "New Camp Pine Lake Camp Update!", description: "The buses have left", href: "/faq" }));
  act(() => dismissErrors("like"));
  expect(screen.queryByText("Not liked.")).toBeNull();
  expect(screen.getByText("Not posted.")).toBeTruthy();
  act(() => errorToast("Of no action."));
  act(() => dismissErrors("comment"));
  expect(screen.queryByText("Not posted.")).toBeNull();
  expect(screen.getByText("Of no action.")).toBeTruthy();
  await user.click(screen.getByRole("link", { name: "New Camp Pine Lake Camp Update!" }));
  expect(await screen.findByRole("heading", { name: "Frequently Asked Questions" })).toBeTruthy();
  expect(screen.queryByText("New Camp Pine Lake Camp Update!")).toBeNull();
});

it("the theme can be chosen and follows the device again", async () => {
  server({});
  const user = open("/nowhere");
  const footer = within(await screen.findByRole("contentinfo"));
  await user.click(footer.getByRole("button", { name: "Dark" }));
  expect(document.documentElement.dataset.theme).toBe("dark");
  await user.click(footer.getByRole("button", { name: "System" }));
  expect(document.documentElement.dataset.theme).toBeUndefined();
});

it("the banner for an unconfirmed address can be dismissed for the visit", async () => {
  server({ "GET /api/session": { user: unverified } });
  const user = open("/nowhere");
  const banner = within(await screen.findByRole("complementary", { name: "Confirm your email" }));
  expect(banner.getByText(chaya.email)).toBeTruthy();
  await user.click(banner.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByRole("complementary", { name: "Confirm your email" })).toBeNull();
  cleanup();
  open("/nowhere");
  await screen.findByRole("heading", { name: "404" });
  expect(screen.queryByRole("complementary", { name: "Confirm your email" })).toBeNull();
});
