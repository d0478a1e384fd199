import { screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { open, server, site } from "../test/portal";

it.each([
  ["/privacy", "Privacy Policy"],
  ["/terms", "Terms of Service"],
])("%s bears the date of its text, not today's, and says whom to ask", async (address, title) => {
  vi.setSystemTime("2031-05-05");
  server({});
  open(address);
  expect(await screen.findByRole("heading", { name: title, level: 1 })).toBeTruthy();
  expect(screen.getByText(/Last updated:/).textContent).toBe("Last updated: November 22, 2026");
  const main = within(screen.getByRole("main"));
  expect((await main.findAllByRole("link", { name: "office@camp.example" }))[0]?.getAttribute("href")).toBe(
    "mailto:office@camp.example",
  );
  expect(main.getAllByRole("link", { name: "(845) 555-0142" })[0]?.getAttribute("href")).toBe("tel:8455550142");
  expect(document.title).toBe(`${title} - Camp Pine Lake`);
});

it("every line in the table of contents leads somewhere", async () => {
  server({});
  open("/privacy");
  const contents = within(await screen.findByRole("navigation", { name: "On this page" }));
  for (const link of contents.getAllByRole("link")) {
    expect(document.querySelector(link.getAttribute("href")!)?.textContent).toBe(link.textContent);
  }
});

it("names every cookie", async () => {
  server({});
  open("/privacy");
  const cookies = (await screen.findByRole("heading", { name: "Cookies and your device" })).closest("section")!;
  expect([...new Set([...cookies.querySelectorAll("code")].map(({ textContent }) => textContent))]).toEqual([
    "session",
    "device",
    "browser",
    "staff",
    "known",
    "__Host-",
  ]);
});

it.each([
  ["everyone", /anyone who has the address/],
  ["signed_in", /only people who are signed in/],
  ["families", /only families that the camp has added or approved/],
] as const)("what it says about watching is what the setting says: %s", async (access, sentence) => {
  server({ "GET /api/site": { ...site, access } });
  open("/privacy");
  expect(await screen.findByText(sentence)).toBeTruthy();
});
