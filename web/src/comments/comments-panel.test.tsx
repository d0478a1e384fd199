import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { back, chaya, comment, list, never, open, refuse, server, video } from "../test/portal";

const talk = (answers: Record<string, unknown> = {}) =>
  server({
    "GET /api/session": { user: chaya },
    "GET /api/videos/v1": video({ comment_count: 2 }),
    "GET /api/videos/v1/comments": list(
      comment({ id: "c2", content: "Mine", mine: true, author_name: "Chaya Lindenfeld" }),
      comment(),
    ),
    ...answers,
  });

const panel = async () => within(await screen.findByRole("region", { name: "Comments" }));
const box = async () => screen.findByRole("textbox", { name: "Your comment" });

it("lists comments with their age", async () => {
  talk();
  open("/video/v1");
  expect(await (await panel()).findByText("We could hear them in the song.")).toBeTruthy();
  expect((await panel()).getAllByText("12 minutes ago")).toHaveLength(2);
});

it("counts what is listed when the count is older than the list, without what waits for approval", async () => {
  talk({
    "GET /api/videos/v1": video({ comment_count: 1 }),
    "GET /api/videos/v1/comments": list(
      comment({ id: "c3", mine: true, held: true }),
      comment({ id: "c2" }),
      comment({ id: "c1" }),
    ),
  });
  open("/video/v1");
  expect(await screen.findByText("2 comments")).toBeTruthy();
});

it("keeps the count while only the newest comments are listed", async () => {
  talk({
    "GET /api/videos/v1": video({ comment_count: 30 }),
    "GET /api/videos/v1/comments": { items: [comment()], next: "more" },
  });
  open("/video/v1");
  expect(await (await panel()).findByRole("button", { name: "Show older comments" })).toBeTruthy();
  expect(screen.getByText("30 comments")).toBeTruthy();
});

it("keeps what is pasted and says how much is too long", async () => {
  talk();
  const user = open("/video/v1");
  await user.click(await box());
  await user.paste("א".repeat(2_003));
  expect((await box()) as HTMLTextAreaElement).toHaveProperty("value", "א".repeat(2_003));
  expect(screen.getByRole("alert").textContent).toBe("3 characters too many: 2,000 fit here.");
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", true);
  await user.type(await box(), "{Backspace}{Backspace}{Backspace}");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", false);
});

it("folds a long comment until somebody wants to read it", async () => {
  talk({
    "GET /api/videos/v1/comments": list(comment({ content: "line\n".repeat(15) + "the end" }), comment({ id: "c1" })),
  });
  const user = open("/video/v1");
  await user.click(await screen.findByRole("button", { name: /^Read all of the comment by/ }));
  expect(screen.queryByRole("button", { name: /^Read all/ })).toBeNull();
});

it("asks somebody signed out to sign in", async () => {
  talk({ "GET /api/session": { user: null } });
  open("/video/v1");
  expect(await screen.findByPlaceholderText("Please sign in to post a comment")).toHaveProperty("disabled", true);
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", true);
});

it("accepts text before the session is known, and adds it after the saved text", async () => {
  sessionStorage.setItem("draft comment v1", JSON.stringify({ owner: chaya.id, value: "Kept" }));
  let answer: (session: unknown) => void = () => undefined;
  const camp = talk({
    "GET /api/session": () => new Promise((done) => (answer = done)),
    "POST /api/videos/v1/comments": comment({ id: "c3" }),
  });
  const user = open("/video/v1");
  await user.type(await box(), "Gut gezugt!");
  expect(await box()).toHaveProperty("value", "Gut gezugt!");
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", true);
  answer({ user: chaya });
  await waitFor(async () => expect(await box()).toHaveProperty("value", "Kept\nGut gezugt!"));
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  expect(camp.asked("POST", "/api/videos/v1/comments")[0]?.body).toEqual({ content: "Kept\nGut gezugt!" });
});

it("keeps the words of somebody who is not signed in, until they are", async () => {
  let answer: (session: unknown) => void = () => undefined;
  talk({ "GET /api/session": () => new Promise((done) => (answer = done)) });
  const user = open("/video/v1");
  await user.type(await box(), "Gut gezugt!");
  answer({ user: null });
  expect(await screen.findByPlaceholderText("Please sign in to post a comment")).toHaveProperty("value", "Gut gezugt!");
  expect(await box()).toHaveProperty("disabled", false);
  expect(screen.getByRole("link", { name: "Sign in to comment" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", true);
  cleanup();
  talk();
  open("/video/v1");
  await waitFor(async () => expect(await box()).toHaveProperty("value", "Gut gezugt!"));
});

it("asks for a confirmed email first", async () => {
  talk({ "GET /api/session": { user: { ...chaya, email_verified: false, can_comment: false } } });
  open("/video/v1");
  expect(await screen.findByPlaceholderText("Please confirm your email to post a comment")).toBeTruthy();
});

it("posts the trimmed text, and empties the field", async () => {
  const camp = talk({
    "POST /api/videos/v1/comments": ({ body }: { body: { content: string } }) =>
      comment({ id: "c3", content: body.content, mine: true }),
  });
  const user = open("/video/v1");
  await user.type(await box(), "   ");
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", true);
  await user.type(await box(), "Gut gezugt! ");
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  expect(camp.asked("POST", "/api/videos/v1/comments")[0]?.body).toEqual({ content: "Gut gezugt!" });
  expect(await box()).toHaveProperty("value", "");
});

it("shows a comment as soon as it is saved, however slowly the others come", async () => {
  const camp = talk({ "POST /api/videos/v1/comments": comment({ id: "c3", content: "Gut gezugt!", mine: true }) });
  const user = open("/video/v1");
  await user.type(await box(), "Gut gezugt!");
  camp.answer("GET /api/videos/v1/comments", never);
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  expect(await (await panel()).findByText("Gut gezugt!", { selector: "li *" })).toBeTruthy();
  await user.type(await box(), "And");
  expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", false);
});

it("counts emoji as the server does", async () => {
  talk();
  const user = open("/video/v1");
  await user.click(await box());
  await user.paste("🏕".repeat(1_900));
  expect(await screen.findByText("100 characters left")).toBeTruthy();
});

it("keeps what is typed while the comment before it is on its way", async () => {
  let answer: (saved: unknown) => void = () => undefined;
  talk({ "POST /api/videos/v1/comments": () => new Promise((done) => (answer = done)) });
  const user = open("/video/v1");
  await user.type(await box(), "Gut gezugt!");
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  await user.clear(await box());
  await user.type(await box(), "And one more thing");
  answer(comment({ id: "c3", content: "Gut gezugt!", mine: true }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Post comment" })).toHaveProperty("disabled", false));
  expect(await box()).toHaveProperty("value", "And one more thing");
});

it("tells its author when a comment waits for the camp", async () => {
  talk({
    "GET /api/videos/v1/comments": list(comment({ id: "c2", content: "My first", mine: true, held: true }), comment()),
  });
  open("/video/v1");
  const mine = within((await screen.findByText("My first")).closest("li")!);
  expect(mine.getByText("Waiting for the camp to approve it")).toBeTruthy();
  expect(screen.getAllByText("Waiting for the camp to approve it")).toHaveLength(1);
});

it("loses nothing when posting fails", async () => {
  talk({ "POST /api/videos/v1/comments": refuse(500, "internal", "Something went wrong.") });
  const user = open("/video/v1");
  await user.type(await box(), "Gut gezugt!");
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  expect(await screen.findByText("Error posting comment")).toBeTruthy();
  expect(screen.getByText("Could not post your comment at this time.")).toBeTruthy();
  expect(await box()).toHaveProperty("value", "Gut gezugt!");
});

it("says when the comments could not be loaded, and tries again", async () => {
  const camp = talk({ "GET /api/videos/v1/comments": refuse(500, "internal") });
  const user = open("/video/v1");
  expect(await screen.findByText("Error loading comments")).toBeTruthy();
  expect(screen.getByText("Could not load comments at this time.")).toBeTruthy();
  camp.answer("GET /api/videos/v1/comments", list(comment()));
  await user.click((await panel()).getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("We could hear them in the song.")).toBeTruthy();
});

it("deletes one's own comment after asking", async () => {
  const camp = talk({ "DELETE /api/comments/c2": null });
  const user = open("/video/v1");
  await user.click(await screen.findByRole("button", { name: /^Delete/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete your comment?" }));
  expect(dialog.getByText("Mine")).toBeTruthy();
  expect(camp.asked("DELETE", "/api/comments/c2")).toHaveLength(0);
  camp.answer("GET /api/videos/v1/comments", list(comment()));
  await user.click(dialog.getByRole("button", { name: "Delete comment" }));
  await screen.findByText("We could hear them in the song.");
  expect(camp.asked("DELETE", "/api/comments/c2")).toHaveLength(1);
  expect(screen.queryByText("Mine")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Comments" })));
});

it("reports somebody else's comment with a reason, with or without an explanation", async () => {
  const camp = talk({ "POST /api/comments/c1/report": null });
  const user = open("/video/v1");
  const reports = () => camp.asked("POST", "/api/comments/c1/report").map(({ body }) => body);
  await user.click(await screen.findByRole("button", { name: /^Report/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Report this comment?" }));
  expect(dialog.getByText("We could hear them in the song.")).toBeTruthy();
  await user.click(dialog.getByRole("button", { name: "Report comment" }));
  expect(dialog.getByText("Please choose what is wrong with it.")).toBeTruthy();
  expect(reports()).toEqual([]);

  await user.click(dialog.getByRole("radio", { name: "It is too private" }));
  expect(dialog.queryByText("Please choose what is wrong with it.")).toBeNull();
  await user.type(dialog.getByLabelText(/In your own words/), " Names a child ");
  await user.click(dialog.getByRole("button", { name: "Report comment" }));
  expect(await screen.findByText("Comment reported")).toBeTruthy();
  expect(reports()).toEqual([{ category: "private", reason: "Names a child" }]);

  await user.click(screen.getByRole("button", { name: /^Reported comment by/ }));
  await user.click(await screen.findByRole("radio", { name: "It is unkind" }));
  await user.click(screen.getByRole("button", { name: "Report comment" }));
  await waitFor(() => expect(reports()).toHaveLength(2));
  expect(reports()[1]).toEqual({ category: "unkind", reason: null });
});

it("loads older comments on request", async () => {
  talk({
    "GET /api/videos/v1/comments": ({ query }: { query: { cursor?: string } }) =>
      query.cursor ? list(comment({ id: "old", content: "The very first" })) : { items: [comment()], next: "more" },
  });
  const user = open("/video/v1");
  await user.click(await screen.findByRole("button", { name: "Show older comments" }));
  expect(await screen.findByText("The very first")).toBeTruthy();
});

it("what is half written survives a link and Back and a reload, for each video by itself, until it is posted", async () => {
  const camp = talk({
    "GET /api/videos/v2": video({ id: "v2", title: "Swim relay" }),
    "GET /api/videos/v2/comments": list(),
    "POST /api/videos/v1/comments": comment({ id: "c3", mine: true }),
  });
  const user = open("/video/v1");
  await user.type(await box(), "Half a thou");
  await user.click(screen.getAllByRole("link", { name: "FAQ" })[0]!);
  await screen.findByRole("heading", { level: 1, name: /FAQ|Questions/ });
  back();
  expect(await box()).toHaveProperty("value", "Half a thou");
  cleanup();
  open("/video/v2");
  await screen.findByRole("heading", { name: "Swim relay" });
  expect(await box()).toHaveProperty("value", "");
  cleanup();

  // The session has ended in the meantime. The comment is still there after signing in again.
  camp.answer("GET /api/session", { user: null });
  open("/video/v1");
  await screen.findByPlaceholderText("Please sign in to post a comment");
  cleanup();
  camp.answer("GET /api/session", { user: { ...chaya, id: "u2" } });
  open("/video/v1");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  await waitFor(async () => expect(await box()).toHaveProperty("value", ""));
  cleanup();
  camp.answer("GET /api/session", { user: chaya });
  open("/video/v1");
  await waitFor(async () => expect(await box()).toHaveProperty("value", "Half a thou"));
  await user.click(screen.getByRole("button", { name: "Post comment" }));
  await waitFor(() =>
    expect(camp.asked("POST", "/api/videos/v1/comments")[0]?.body).toEqual({ content: "Half a thou" }),
  );
  cleanup();
  open("/video/v1");
  expect(await box()).toHaveProperty("value", "");
});
