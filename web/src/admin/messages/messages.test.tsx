import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { back, list, open, refuse, server, unreachable } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import { autosave, pauseInTyping, type AutosaveState } from "./autosave";
import type { Message } from "./queries";
import { letterLabel, paragraphs } from "./words";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./messages";

const message = (change: Partial<Message> = {}): Message => ({
  id: "m1",
  name: "Devoiry Papierblum",
  email: "devoiry@family.example",
  child_name: "Lipa",
  subject: "Second email",
  user_type: "parent",
  department: "staff",
  message: "Where does he press?",
  status: "unread",
  spam: false,
  sender_proved: true,
  assigned_to: null,
  created_at: "2026-07-29T12:00:00Z",
  draft: null,
  replies: [],
  version: 2,
  ...change,
});

beforeEach(() => sessionStorage.clear());

const inbox = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/messages": list(message()),
    "GET /api/admin/messages/counts": { unread: 1, read: 8, replied: 9, spam: 1, all: 18 },
    "GET /api/admin/colleagues": { usernames: ["brikwald", "kornbluh"] },
    "GET /api/admin/letters": list(),
    "POST /api/admin/letters": ({ body }: { body: { preview: boolean } }) => ({
      recipients: 138,
      id: body.preview ? null : "l1",
    }),
    ...answers,
  });

const openMessage = async (user: ReturnType<typeof open>) => {
  await user.click(await screen.findByRole("button", { name: "Second email" }));
  return within(await screen.findByRole("dialog"));
};

describe("the inbox", () => {
  it("is searched and filtered in the address bar", async () => {
    const camp = inbox();
    const user = open("/admin/messages?department=video_team&spam=true");
    await screen.findByRole("button", { name: "Second email" });
    expect(camp.asked("GET", "/api/admin/messages")[0]?.query).toMatchObject({
      department: "video_team",
      spam: "true",
    });
    await user.click(screen.getByRole("button", { name: /^Unread/ }));
    await waitFor(() =>
      expect(screen.getByTestId("address").textContent).toBe("/admin/messages?department=video_team&status=unread"),
    );
  });

  it("is filtered by assignee, and Back undoes the last filter", async () => {
    const camp = inbox();
    const user = open("/admin/messages?q=email");
    const address = () => screen.getByTestId("address").textContent;
    const given = await screen.findByLabelText("Assigned to");
    await within(given).findByRole("option", { name: "brikwald" });
    await user.selectOptions(given, "Mine");
    await waitFor(() => expect(address()).toBe("/admin/messages?q=email&assigned_to=kornbluh"));
    await user.selectOptions(given, "Assigned to nobody");
    await waitFor(() => expect(address()).toBe("/admin/messages?q=email&unassigned=true"));
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/messages").at(-1)?.query).toMatchObject({ q: "email", unassigned: "true" }),
    );
    await user.selectOptions(given, "brikwald");
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/messages").at(-1)?.query).toMatchObject({ assigned_to: "brikwald" }),
    );
    await user.selectOptions(screen.getByLabelText("Sort by"), "Oldest first");
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/messages").at(-1)?.query).toMatchObject({ sort: "oldest" }),
    );
    back();
    await waitFor(() => expect(address()).toBe("/admin/messages?q=email&assigned_to=brikwald"));
    back();
    await waitFor(() => expect(address()).toBe("/admin/messages?q=email&unassigned=true"));
    expect(given).toHaveProperty("value", " ");
  });

  it("has the open message in the address, and Back closes it", async () => {
    inbox();
    const user = open("/admin/messages?status=unread");
    await openMessage(user);
    expect(screen.getByTestId("address").textContent).toBe("/admin/messages?status=unread&message=m1");
    back();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await openMessage(user);
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.getByTestId("address").textContent).toBe("/admin/messages?status=unread");
  });

  it("opens a message by its address that is not in the list", async () => {
    const camp = inbox({
      "GET /api/admin/messages/m7": message({ id: "m7", subject: "Read already", status: "read", version: 5 }),
      "PATCH /api/admin/messages/m7": message({ id: "m7", subject: "Read already", status: "unread", version: 6 }),
    });
    const user = open("/admin/messages?status=unread&message=m7");
    const drawer = within(await screen.findByRole("dialog", { name: "Read already" }));
    await user.click(drawer.getByRole("button", { name: "Mark as Unread" }));
    expect(await drawer.findByRole("button", { name: "Mark as Read" })).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/messages/m7")).toHaveLength(1);
  });

  it("says so when the message of an address is not there, and tries again when it could not be fetched", async () => {
    inbox({ "GET /api/admin/messages/m8": refuse(404, "not_found", "Message not found") });
    open("/admin/messages?message=m8");
    expect(await screen.findByText("Message not found")).toBeTruthy();
    cleanup();
    const camp = inbox({ "GET /api/admin/messages/m8": refuse(403, "forbidden", "Not now.") });
    const user = open("/admin/messages?message=m8");
    const drawer = within(await screen.findByRole("dialog"));
    expect(await drawer.findByText("Failed to load this message")).toBeTruthy();
    camp.answer("GET /api/admin/messages/m8", message({ id: "m8", subject: "There it is" }));
    await user.click(drawer.getByRole("button", { name: "Retry" }));
    expect(await screen.findByRole("dialog", { name: "There it is" })).toBeTruthy();
  });

  it("marks as read", async () => {
    const camp = inbox({ "PATCH /api/admin/messages/m1": message({ status: "read", version: 3 }) });
    const user = open("/admin/messages");
    await user.click(await screen.findByRole("button", { name: /^Mark as Read/ }));
    expect(await screen.findByText("Marked as Read")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/messages/m1")[0]?.body).toEqual({ status: "read" });
  });

  it("mails a reply, and keeps it when that fails", async () => {
    const camp = inbox({
      "POST /api/admin/messages/m1/reply": refuse(500, "internal", "Something went wrong on our side."),
      "PATCH /api/admin/messages/m1": message({ version: 3 }),
    });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(drawer.getByText("Please write a reply first.")).toBeTruthy();
    await user.type(drawer.getByLabelText("Your reply"), "Under Profile.");
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await drawer.findByText("Failed to send the reply. Please try again.")).toBeTruthy();
    expect(drawer.getByLabelText("Your reply")).toHaveProperty("value", "Under Profile.");
    camp.answer("POST /api/admin/messages/m1/reply", message({ status: "replied", version: 4 }));
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await screen.findByText("Reply Sent")).toBeTruthy();
    expect(drawer.getByLabelText("Your reply")).toHaveProperty("value", "");
    expect(camp.asked("POST", "/api/admin/messages/m1/reply").at(-1)?.body).toEqual({
      body: "Under Profile.",
      last_reply: null,
      draft: null,
    });
  });

  it("does not close over a reply that cannot be saved, unless the writer confirms", async () => {
    const camp = inbox({ "PATCH /api/admin/messages/m1": unreachable });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Under Profile.");
    await user.click(drawer.getByRole("button", { name: "Close" }));
    const question = within(await screen.findByRole("dialog", { name: "Leave without saving?" }));
    await user.click(question.getByRole("button", { name: "Cancel" }));
    expect(drawer.getByLabelText("Your reply")).toHaveProperty("value", "Under Profile.");
    camp.answer("PATCH /api/admin/messages/m1", message({ version: 3, draft: "Under Profile." }));
    await user.click(drawer.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(camp.asked("PATCH", "/api/admin/messages/m1").at(-1)?.body).toEqual({
      version: 2,
      draft: "Under Profile.",
    });
  });

  it("leaves a colleague's draft alone when mine is discarded", async () => {
    const camp = inbox({ "PATCH /api/admin/messages/m1": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Mine");
    camp.answer("GET /api/admin/messages/m1", message({ version: 5, draft: "Theirs" }));
    await user.click(drawer.getByRole("button", { name: "Save Draft" }));
    expect(await drawer.findByText("Theirs")).toBeTruthy();
    const before = camp.asked("PATCH", "/api/admin/messages/m1").length;
    await user.click(drawer.getByRole("button", { name: "Close" }));
    await user.click(await screen.findByRole("button", { name: "Discard" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(camp.asked("PATCH", "/api/admin/messages/m1")).toHaveLength(before);
  });

  it("does not overwrite a colleague's draft", async () => {
    const camp = inbox({ "PATCH /api/admin/messages/m1": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Mine");
    camp.answer("GET /api/admin/messages/m1", message({ version: 5, draft: "Theirs" }));
    await user.click(drawer.getByRole("button", { name: "Save Draft" }));
    expect(await drawer.findByText("Theirs")).toBeTruthy();
    camp.answer("PATCH /api/admin/messages/m1", message({ version: 6, draft: "Mine" }));
    await user.click(drawer.getByRole("button", { name: "Keep mine" }));
    await waitFor(() =>
      expect(camp.asked("PATCH", "/api/admin/messages/m1").at(-1)?.body).toEqual({ version: 5, draft: "Mine" }),
    );
  });
});

describe("two people answering one message", () => {
  const theirs = {
    id: "r1",
    body: "In his bunk.",
    sent_by: "miriam",
    created_at: "2026-07-29T13:00:00Z",
    delivery: "queued",
  } as const;
  const sent = (camp: ReturnType<typeof inbox>) =>
    camp.asked("POST", "/api/admin/messages/m1/reply").map(({ body }) => body);

  it("the second is told, keeps the text, and sends it after all", async () => {
    const camp = inbox({
      "POST /api/admin/messages/m1/reply": refuse(409, "answered", "miriam already replied to this message."),
      "GET /api/admin/messages/m1": message({ version: 5, status: "replied", replies: [theirs] }),
    });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Under Profile.");
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(
      await drawer.findByText("miriam already replied to this message. Press Send Reply again to send yours anyway."),
    ).toBeTruthy();
    expect(await drawer.findByText("In his bunk.")).toBeTruthy();
    expect(drawer.getByLabelText("Your reply")).toHaveProperty("value", "Under Profile.");
    camp.answer(
      "POST /api/admin/messages/m1/reply",
      message({ version: 6, status: "replied", replies: [theirs, { ...theirs, id: "r2", body: "Under Profile." }] }),
    );
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await screen.findByText("Reply Sent")).toBeTruthy();
    expect(sent(camp)).toEqual([
      { body: "Under Profile.", last_reply: null, draft: null },
      { body: "Under Profile.", last_reply: "r1", draft: null },
    ]);
  });

  it("a reply that arrives while somebody types does not count as seen", async () => {
    const camp = inbox({
      "PATCH /api/admin/messages/m1": message({ version: 5, draft: "Mine", replies: [theirs] }),
      "POST /api/admin/messages/m1/reply": message({ version: 6 }),
    });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Mine");
    await user.click(drawer.getByRole("button", { name: "Save Draft" }));
    expect(await drawer.findByText("In his bunk.")).toBeTruthy();
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await screen.findByText("Reply Sent")).toBeTruthy();
    expect(sent(camp)).toEqual([{ body: "Mine", last_reply: null, draft: "Mine" }]);
  });

  it("a colleague's draft is shown before it is dropped", async () => {
    const camp = inbox({
      "POST /api/admin/messages/m1/reply": refuse(409, "drafted", "Someone else started a reply to this message."),
      "GET /api/admin/messages/m1": message({ version: 5, draft: "Theirs" }),
    });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Mine");
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await drawer.findByText("Theirs")).toBeTruthy();
    camp.answer("POST /api/admin/messages/m1/reply", message({ version: 6, status: "replied" }));
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect(await screen.findByText("Reply Sent")).toBeTruthy();
    expect(drawer.queryByText("Theirs")).toBeNull();
    expect(sent(camp).at(-1)).toEqual({ body: "Mine", last_reply: null, draft: "Theirs" });
  });

  it("typed text survives the deletion of the message", async () => {
    const camp = inbox({
      "POST /api/admin/messages/m1/reply": refuse(404, "not_found", "This message no longer exists."),
    });
    const user = open("/admin/messages");
    const drawer = await openMessage(user);
    await user.type(drawer.getByLabelText("Your reply"), "Under Profile.");
    camp.answer("GET /api/admin/messages", list());
    await user.click(drawer.getByRole("button", { name: "Send Reply" }));
    expect((await drawer.findByRole("alert")).textContent).toContain("Someone else deleted this message.");
    expect(drawer.getByLabelText("Your reply")).toHaveProperty("value", "Under Profile.");
    expect(drawer.getByRole("button", { name: "Send Reply" })).toHaveProperty("disabled", true);
    await user.click(drawer.getByRole("button", { name: "Copy my text" }));
    expect(await drawer.findByRole("button", { name: "Copied" })).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe("Under Profile.");
  });
});

describe("a draft", () => {
  const draftOf = (save: (text: string) => Promise<unknown>) => {
    vi.useFakeTimers();
    const states: AutosaveState[] = [];
    return { states, draft: autosave({ kept: "", save, onState: (state) => states.push(state) }) };
  };

  it("is saved once the typing pauses, one save at a time", async () => {
    const saved: string[] = [];
    const { draft, states } = draftOf(async (text) => saved.push(text));
    draft.type("a");
    draft.type("ab");
    expect(saved).toEqual([]);
    await vi.advanceTimersByTimeAsync(pauseInTyping);
    expect(saved).toEqual(["ab"]);
    expect(states).toEqual(["typing", "typing", "saving", "kept"]);
  });

  it("is tried again after a failure, and is not saved while it is sent", async () => {
    let good = false;
    const saved: string[] = [];
    const { draft, states } = draftOf(async (text) => {
      if (!good) throw new Error();
      saved.push(text);
    });
    draft.type("a");
    expect(await draft.flush()).toBe(false);
    expect(states.at(-1)).toBe("failed");
    good = true;
    draft.type("ab");
    expect(await draft.flush()).toBe(true);
    draft.type("abc");
    await draft.settle();
    await vi.advanceTimersByTimeAsync(pauseInTyping * 2);
    expect(saved).toEqual(["ab"]);
  });
});

describe("a newsletter", () => {
  it("is counted and asked about before it goes out, once", async () => {
    const camp = inbox();
    const user = open("/admin/messages?view=newsletters");
    await user.type(await screen.findByLabelText("Subject"), "Visiting day");
    await user.type(screen.getByLabelText("Newsletter"), "Come early.");
    await user.click(await screen.findByRole("button", { name: "Send newsletter to 138 people" }));
    const sent = () => camp.asked("POST", "/api/admin/letters").filter(({ body }) => !body.preview);
    expect(sent()).toHaveLength(0);
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Send newsletter" }));
    expect(await screen.findByText("Newsletter Sent")).toBeTruthy();
    expect(sent().map(({ body }) => body)).toEqual([
      { subject: "Visiting day", body: "Come early.", audience: "families", preview: false },
    ]);
    expect(screen.getByLabelText("Subject")).toHaveProperty("value", "");
  });

  it("whose response was lost is shown, and the next text is a new newsletter", async () => {
    const words = "This newsletter was already sent, without your latest changes.";
    const keys: (string | null)[] = [];
    inbox({
      "POST /api/admin/letters": ({ body, headers }: { body: { preview: boolean }; headers: Headers }) => {
        if (body.preview) return { recipients: 138, id: null };
        keys.push(headers.get("idempotency-key"));
        return keys.length > 1 ? { recipients: 138, id: "l2" } : refuse(409, "conflict", words);
      },
    });
    const user = open("/admin/messages?view=newsletters");
    await user.type(await screen.findByLabelText("Subject"), "Visiting day");
    await user.type(screen.getByLabelText("Newsletter"), "Come early.");
    await user.click(await screen.findByRole("button", { name: "Send newsletter to 138 people" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Send newsletter" }));
    expect(await dialog.findByText(words)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Send newsletter" }));
    expect(await screen.findByText("Newsletter Sent")).toBeTruthy();
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it("is mailed to oneself first, also when nobody would get it", async () => {
    const camp = inbox({
      "POST /api/admin/letters": { recipients: 0, id: null },
      "POST /api/admin/letters/test": null,
    });
    const user = open("/admin/messages?view=newsletters");
    await user.type(await screen.findByLabelText("Subject"), "Visiting day");
    await user.click(screen.getByRole("button", { name: "Send me a test" }));
    expect(screen.getByText("Please write the newsletter first.")).toBeTruthy();
    await user.type(screen.getByLabelText("Newsletter"), "The map: https://camp.example/map.");
    const preview = within(screen.getByRole("region", { name: "Preview" }));
    expect(preview.getByRole("link", { name: "https://camp.example/map" }).getAttribute("href")).toBe(
      "https://camp.example/map",
    );
    await user.click(screen.getByRole("button", { name: "Send me a test" }));
    expect(await screen.findByText("Test Sent")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/letters/test").map(({ body }) => body)).toEqual([
      { subject: "Visiting day", body: "The map: https://camp.example/map." },
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByLabelText("Subject")).toHaveProperty("value", "Visiting day");
  });

  it("survives a reload in its tab, and is nobody else's", async () => {
    const answers = { "POST /api/admin/auth/sign-out": null };
    inbox(answers);
    const user = open("/admin/messages?view=newsletters");
    const subject = () => screen.findByLabelText("Subject");
    await user.type(await subject(), "Visiting day");
    await user.click(screen.getByRole("radio", { name: /^Mailing list/ }));
    cleanup();

    inbox(answers);
    open("/admin/messages?view=newsletters");
    expect(await subject()).toHaveProperty("value", "Visiting day");
    expect(screen.getByRole("radio", { name: /^Mailing list/ })).toHaveProperty("checked", true);
    expect(screen.getByText("This tab keeps it until you send it or sign out.")).toBeTruthy();
    cleanup();

    inbox({ ...answers, "GET /api/admin/session": { staff: { ...kornbluh, id: "s2", username: "brikwald" } } });
    open("/admin/messages?view=newsletters");
    expect(await subject()).toHaveProperty("value", "");
    cleanup();

    inbox(answers);
    const again = open("/admin/messages?view=newsletters");
    expect(await subject()).toHaveProperty("value", "Visiting day");
    await again.click(screen.getAllByRole("button", { name: "Sign Out" })[0]!);
    expect(await screen.findByText("Signed Out")).toBeTruthy();
    expect(sessionStorage).toHaveLength(0);
  });

  it("has paragraphs, and a button that counts", () => {
    expect(paragraphs(" a\nb\n\n \nc ")).toEqual(["a\nb", "c"]);
    expect([undefined, 1, 138].map(letterLabel)).toEqual([
      "Send newsletter",
      "Send newsletter to 1 person",
      "Send newsletter to 138 people",
    ]);
  });
});

it("says whether the answer quotes the message, and why not", async () => {
  inbox({ "GET /api/admin/messages": list(message({ sender_proved: false })) });
  await openMessage(open("/admin/messages"));
  expect(
    await screen.findByText(
      "We email it to devoiry@family.example without their message: the sender was not signed in with this address, so it may be someone else's.",
    ),
  ).toBeTruthy();
});
