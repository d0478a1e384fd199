import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { list, never, open, refuse, server } from "../test/portal";

const topics = [
  "videos",
  "notifications",
  "access",
  "quality",
  "privacy",
  "technical",
  "comments",
  "multiple-children",
  "live-streaming",
  "downloads",
];
const ten = list(
  ...topics.map((topic) => ({
    id: `id-${topic}`,
    slug: topic,
    topic,
    question: `What about ${topic}?`,
    answer: `This is so with ${topic}.\n\nWrite to office@camp.example.`,
    category: "Communication",
  })),
);

const item = (topic: string) => document.querySelector<HTMLDetailsElement>(`details#${topic}`)!;
const opened = () => [...document.querySelectorAll("details[open]")].map(({ id }) => id);

/** Does what a browser does when a summary is pressed. */
const press = (topic: string) =>
  act(() => {
    item(topic).open = !item(topic).open;
    item(topic).dispatchEvent(new Event("toggle"));
  });

afterEach(() => history.replaceState(null, "", "/"));

it("the ten topics are in the camp's order, all closed", async () => {
  server({ "GET /api/faq": ten });
  open("/faq");
  expect(await screen.findByRole("heading", { name: "Frequently Asked Questions", level: 1 })).toBeTruthy();
  await screen.findByText("What about videos?");
  expect([...document.querySelectorAll("details")].map(({ id }) => id)).toEqual(topics);
  expect(new Set([...document.querySelectorAll("details")].map((one) => one.getAttribute("name")))).toEqual(
    new Set(["faq"]),
  );
  expect(opened()).toEqual([]);
});

it("one answer is open at a time, the address names it, and each counts once", async () => {
  const camp = server({
    "GET /api/faq": ten,
    "POST /api/faq/id-videos/views": null,
    "POST /api/faq/id-access/views": null,
  });
  open("/faq");
  await screen.findByText("What about videos?");
  press("videos");
  expect(opened()).toEqual(["videos"]);
  expect(location.hash).toBe("#videos");
  press("access");
  expect(opened()).toEqual(["access"]);
  expect(location.hash).toBe("#access");
  press("access");
  expect(opened()).toEqual([]);
  press("videos");
  await waitFor(() => expect(camp.asked("POST", "/api/faq/id-access/views")).toHaveLength(1));
  expect(camp.asked("POST", "/api/faq/id-videos/views")).toHaveLength(1);
});

it("a link to one question opens it", async () => {
  server({ "GET /api/faq": ten });
  open("/faq#multiple-children");
  await screen.findByText("What about videos?");
  expect(opened()).toEqual(["multiple-children"]);
  const answer = within(item("multiple-children"));
  expect(answer.getByText("This is so with multiple-children.")).toBeTruthy();
  expect(answer.getByRole("link", { name: "office@camp.example" }).getAttribute("href")).toBe(
    "mailto:office@camp.example",
  );
});

it("people who still have questions find links", async () => {
  server({ "GET /api/faq": ten });
  open("/faq");
  expect(await screen.findByRole("heading", { name: "Still Have Questions?" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Contact Support" }).getAttribute("href")).toBe("/contact");
  const ways = within(screen.getByRole("heading", { name: "Still Have Questions?" }).closest("section")!);
  expect((await ways.findByRole("link", { name: "office@camp.example" })).getAttribute("href")).toBe(
    "mailto:office@camp.example",
  );
});

it("loading, an empty list and a failure look different", async () => {
  const camp = server({ "GET /api/faq": never });
  open("/faq");
  expect(await screen.findByRole("status", { name: "Loading questions" })).toBeTruthy();
  camp.answer("GET /api/faq", list());
});

it("an empty list says so", async () => {
  server({ "GET /api/faq": list() });
  open("/faq");
  expect(await screen.findByText("No questions here yet")).toBeTruthy();
});

it("a failure can be tried again", async () => {
  const camp = server({ "GET /api/faq": refuse(400, "bad_request") });
  const user = open("/faq");
  expect(await screen.findByText("The questions could not be loaded")).toBeTruthy();
  camp.answer("GET /api/faq", ten);
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("What about videos?")).toBeTruthy();
});
