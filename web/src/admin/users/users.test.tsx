import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { detail, family, leah, summary } from "../../test/families";
import { list, open, refuse } from "../../test/portal";
import { kornbluh } from "../../test/staff";
import { office, row, address, patched } from "../../test/users-page";

describe("the list of users", () => {
  it("asks once for everything that failed, and says so once", async () => {
    const away = refuse(400, "invalid", "The camp's server cannot be reached right now.");
    const camp = office({ "GET /api/admin/users": away, "GET /api/admin/users/summary": away });
    const user = open("/admin/users");
    expect(await screen.findByText("Failed to load users")).toBeTruthy();
    camp.answer("GET /api/admin/users", list(family(), leah));
    camp.answer("GET /api/admin/users/summary", summary);
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("$318,460")).toBeTruthy();
    expect(await row("Chaya Lindenfeld")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows four cards, and the status of each family", async () => {
    office();
    open("/admin/users");
    expect(await screen.findByText("$318,460")).toBeTruthy();
    for (const [label, value] of [
      ["Total Users", "132"],
      ["Paid in Full", "61"],
      ["Overdue", "19"],
    ]) {
      const term = screen.getAllByText(label!).find(({ tagName }) => tagName === "DT")!;
      expect(term.nextElementSibling?.textContent).toBe(value);
    }
    const chaya = await row("Chaya Lindenfeld");
    expect(chaya.getByText("chaya@family.example")).toBeTruthy();
    expect(chaya.getAllByText("Payment Due").length).toBeGreaterThan(0);
    expect(chaya.getByText("$1,680")).toBeTruthy();
    expect(chaya.getByText("of $2,800")).toBeTruthy();
    expect(chaya.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("60");
    const other = await row("Leah Morgenshtern");
    expect(other.getByText("No Email")).toBeTruthy();
    expect(other.getByText("N/A")).toBeTruthy();
    expect(other.getAllByText("No Plan").length).toBeGreaterThan(0);
  });

  it("is filtered, sorted and searched in the address bar", async () => {
    const camp = office();
    const user = open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(camp.asked("GET", "/api/admin/users")[0]?.query).toEqual({ sort: "joined", direction: "desc", limit: "50" });
    await user.click(screen.getByRole("button", { name: /^Overdue/ }));
    await user.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
    await waitFor(() => expect(address()).toBe("/admin/users?filter=overdue&sort=name"));
    await waitFor(() =>
      expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("ascending"),
    );
    await user.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
    await waitFor(() => expect(address()).toBe("/admin/users?filter=overdue&sort=name&direction=desc"));
  });

  it("is sorted by fields without a column and searched, together with its filter", async () => {
    const camp = office();
    const user = open("/admin/users?filter=overdue&sort=name&direction=desc");
    await row("Chaya Lindenfeld");
    await user.selectOptions(screen.getByLabelText("Sort by"), "email");
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/users").at(-1)?.query).toEqual({
        filter: "overdue",
        sort: "email",
        direction: "asc",
        limit: "50",
      }),
    );
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "yanky");
    expect(await screen.findByText(/^Found/)).toHaveProperty("textContent", 'Found 2 user(s) matching "yanky"');
  });

  it("loads more, and says how many there are", async () => {
    const camp = office({
      "GET /api/admin/users": (call: { query: Record<string, string> }) =>
        call.query.cursor ? list(leah) : { items: [family()], next: "c2" },
    });
    const user = open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(await screen.findByText("1 to 1 of 132")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Load more users" }));
    expect(await row("Leah Morgenshtern")).toBeTruthy();
    expect(camp.asked("GET", "/api/admin/users").at(-1)?.query.cursor).toBe("c2");
  });

  it("does not show a failure as an empty list", async () => {
    const camp = office({ "GET /api/admin/users": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/users");
    expect(await screen.findByText("Failed to load users")).toBeTruthy();
    camp.answer("GET /api/admin/users", list(family()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await row("Chaya Lindenfeld")).toBeTruthy();
  });

  it("says when a search or a filter finds nobody", async () => {
    office({ "GET /api/admin/users": list() });
    const user = open("/admin/users?q=zzz&filter=overdue");
    await user.click(await screen.findByRole("button", { name: "Clear Search" }));
    await user.click(await screen.findByRole("button", { name: "Show all users" }));
    expect(await screen.findByText("No users yet")).toBeTruthy();
  });

  it("offers the export to owners only", async () => {
    office({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  });
});

describe("the switches for mail", () => {
  it("change at once and are saved", async () => {
    const camp = office({ "PATCH /api/admin/users/f1": { ...patched, camp_updates_email: true } });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", { name: "Updates mail to Chaya Lindenfeld" });
    await user.click(toggle);
    expect(toggle).toHaveProperty("checked", true);
    expect(await screen.findByText("Email notification preferences updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1")[0]?.body).toEqual({ version: 4, camp_updates_email: true });
  });

  it("try again on the newest version when somebody else saved first", async () => {
    const camp = office({
      "GET /api/admin/users/f1": detail({ version: 9 }),
      "PATCH /api/admin/users/f1": (call: { body: { version: number } }) =>
        call.body.version === 9 ? { ...patched, daily_video_email: false, version: 10 } : refuse(409, "stale"),
    });
    const user = open("/admin/users");
    await user.click((await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Videos/ }));
    expect(await screen.findByText("Settings Updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1").map(({ body }) => body.version)).toEqual([4, 9]);
  });

  it("cannot switch on what the family stopped, and say so", async () => {
    const stopped = { daily_video_email: false, stopped: ["daily_videos" as const] };
    office({
      "GET /api/admin/users": list(family(stopped)),
      "GET /api/admin/users/f1": detail({
        ...stopped,
        emails: [{ email: "chaya@family.example", kind: "primary", verified: true, stopped: ["daily_videos"] }],
      }),
    });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", {
      name: "Videos mail to Chaya Lindenfeld, turned off by the family",
    });
    expect(toggle).toHaveProperty("disabled", true);
    expect(toggle).toHaveProperty("checked", false);
    expect((await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Updates/ })).toHaveProperty("disabled", false);
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: /details/ }));
    expect(await screen.findByText(/Stopped videos; only its owner can turn them back on/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Edit" }));
    expect(await screen.findByLabelText("Video Release")).toHaveProperty("disabled", true);
    expect(screen.getByText(/The family turned these emails off/)).toBeTruthy();
  });

  it("go back when saving fails", async () => {
    office({ "PATCH /api/admin/users/f1": refuse(500, "internal") });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Videos/ });
    await user.click(toggle);
    expect(await screen.findByText("Failed to update notification settings")).toBeTruthy();
    expect(toggle).toHaveProperty("checked", true);
  });
});

describe("a new user", () => {
  it("needs all fields, and an address that nobody has", async () => {
    const camp = office({
      "POST /api/admin/users": refuse(409, "taken", "A user with this email already exists", [
        { field: "email", message: "A user with this email already exists" },
      ]),
    });
    const user = open("/admin/users?action=add");
    await user.click(await screen.findByRole("button", { name: "Add user and send invitation" }));
    expect(screen.getAllByText("All fields are required")).toHaveLength(3);
    await user.type(screen.getByLabelText("Parent Name"), " Esty Brachfeld ");
    await user.type(screen.getByLabelText("Email Address"), "esty@family.example");
    await user.type(screen.getByLabelText("Child Name"), "Duvi");
    await user.click(screen.getByRole("button", { name: "Add user and send invitation" }));
    expect((await screen.findAllByText("A user with this email already exists")).length).toBeGreaterThan(0);
    expect(screen.getByLabelText("Parent Name")).toHaveProperty("value", " Esty Brachfeld ");
    camp.answer(
      "POST /api/admin/users",
      family({ id: "f9", full_name: "Esty Brachfeld", email: "esty@family.example" }),
    );
    await user.click(screen.getByRole("button", { name: "Add user and send invitation" }));
    expect(await screen.findByText("User Added Successfully")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users").at(-1)?.body).toEqual({
      full_name: "Esty Brachfeld",
      email: "esty@family.example",
      child_name: "Duvi",
    });
    await waitFor(() => expect(address()).toBe("/admin/users"));
  });
});

it("deletes after asking", async () => {
  const camp = office({ "DELETE /api/admin/users/f1": null });
  const user = open("/admin/users");
  await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: "Delete Chaya Lindenfeld" }));
  expect(
    screen.getByText("Are you sure you want to delete Chaya Lindenfeld? This action cannot be undone."),
  ).toBeTruthy();
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete user" }));
  expect(await screen.findByText("User Deleted")).toBeTruthy();
  expect(screen.getByText("Chaya Lindenfeld has been removed from the system")).toBeTruthy();
  expect(camp.asked("DELETE", "/api/admin/users/f1")).toHaveLength(1);
});

describe("an invitation", () => {
  const gitty = family({
    id: "f3",
    full_name: "Gitty Falkenrath",
    email: "gitty@family.example",
    logins: 0,
    invited: false,
  });
  const invite = { name: "Invite: Gitty Falkenrath" };
  const copy = { name: "Copy invitation link: Gitty Falkenrath" };

  it("is sent and copied from the row of a family that has not signed up", async () => {
    const camp = office({
      "GET /api/admin/users": list(family(), gitty, leah),
      "POST /api/admin/users/f3/invite": null,
      "POST /api/admin/users/f3/invitation-link": { url: "https://camp.example/auth?invite=t1" },
    });
    const user = open("/admin/users");
    expect((await row("Chaya Lindenfeld")).queryByRole("button", { name: /nvit/ })).toBeNull();
    expect((await row("Leah Morgenshtern")).queryByRole("button", { name: /^Invite/ })).toBeNull();
    expect((await row("Leah Morgenshtern")).getByRole("button", { name: /^Copy invitation link/ })).toBeTruthy();

    camp.answer("GET /api/admin/users", list(family(), { ...gitty, invited: true }, leah));
    await user.click(screen.getByRole("button", invite));
    expect(await screen.findByText("It is on its way to gitty@family.example.")).toBeTruthy();
    // A second press would send a second email.
    const sent = await screen.findByRole("button", { name: "Sent: Gitty Falkenrath" });
    expect(sent).toHaveProperty("disabled", true);

    await user.click(screen.getByRole("button", copy));
    expect(await screen.findByText("Link copied!")).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe("https://camp.example/auth?invite=t1");
    expect(camp.asked("POST", "/api/admin/users/f3/invite")).toHaveLength(1);
  });

  it("starts copying during the press, as phones require, before the link has arrived", async () => {
    let answer: (link: object) => void = () => undefined;
    office({
      "GET /api/admin/users": list(gitty),
      "POST /api/admin/users/f3/invitation-link": () => new Promise((resolve) => (answer = resolve)),
    });
    const user = open("/admin/users");
    const button = await screen.findByRole("button", copy);
    const write = vi.spyOn(navigator.clipboard, "write");
    fireEvent.click(button);
    expect(write).toHaveBeenCalledTimes(1);
    await waitFor(() => expect(button.getAttribute("aria-busy")).toBe("true"));
    await user.click(button);
    expect(write).toHaveBeenCalledTimes(1);
    answer({ url: "https://camp.example/auth?invite=t2" });
    expect(await screen.findByText("Link copied!")).toBeTruthy();
  });

  it("shows its link where the browser does not copy", async () => {
    office({
      "GET /api/admin/users": list(gitty),
      "POST /api/admin/users/f3/invitation-link": { url: "https://camp.example/auth?invite=t3" },
    });
    const user = open("/admin/users");
    const button = await screen.findByRole("button", copy);
    vi.spyOn(navigator.clipboard, "write").mockRejectedValue(new DOMException("No.", "NotAllowedError"));
    await user.click(button);
    const dialog = within(await screen.findByRole("dialog", { name: "Copy failed" }));
    const field = dialog.getByLabelText("Please copy the link manually.");
    expect(field).toHaveProperty("value", "https://camp.example/auth?invite=t3");
  });

  it("says when the next one can be sent, and why a link was not made", async () => {
    office({
      "GET /api/admin/users": list(gitty),
      "POST /api/admin/users/f3/invite": refuse(
        429,
        "too_many_attempts",
        "We have already emailed this address several times. Please try again in 12 minutes.",
        undefined,
        720,
      ),
      "POST /api/admin/users/f3/invitation-link": refuse(404, "not_found", "User not found."),
    });
    const user = open("/admin/users");
    await user.click(await screen.findByRole("button", invite));
    expect(await screen.findByText(/several times\. Please try again in 12 minutes\.$/)).toBeTruthy();
    expect(screen.getByRole("button", invite)).toHaveProperty("disabled", false);
    await user.click(screen.getByRole("button", copy));
    expect(await screen.findByText("User not found.")).toBeTruthy();
    expect(screen.queryByText("Link copied!")).toBeNull();
  });
});
