import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { open, server } from "../test/portal";

it("the camp tells its story in Yiddish, from right to left", async () => {
  server({});
  open("/about");
  expect(await screen.findByRole("heading", { name: "About Camp Pine Lake", level: 1 })).toBeTruthy();
  const story = screen.getByRole("heading", { name: "ווער מיר זענען" }).closest("[lang=yi]")!;
  expect(story.getAttribute("dir")).toBe("rtl");
  expect(story.querySelectorAll("article")).toHaveLength(4);
  expect(document.title).toBe("About - Camp Pine Lake");
});

it("the page lists four things that the camp offers", async () => {
  server({});
  open("/about");
  const offer = within(await screen.findByRole("region", { name: "What We Offer" }));
  expect(offer.getAllByRole("heading", { level: 3 }).map((title) => title.textContent)).toEqual([
    "Daily Videos",
    "Live Updates",
    "Community",
    "Complete Archive",
  ]);
});
