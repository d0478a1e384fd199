import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { adminVideo, counts, dashboard, kornbluh, onDuty } from "../../test/staff";

const address = () => screen.getByTestId("address").textContent;
const nobody = {
  "GET /api/admin/session": { staff: null },
  "GET /api/admin/videos": list(),
  "GET /api/admin/videos/counts": counts,
  "GET /api/admin/dashboard": dashboard,
};
const wrong = "Invalid username or password. Please check your credentials and try again.";

async function signIn(user: ReturnType<typeof open>) {
  await user.type(await screen.findByLabelText("Username"), "kornbluh");
  await user.type(screen.getByLabelText("Password"), "visiting-day");
  await user.click(screen.getByRole("button", { name: "Sign In" }));
}

describe("the staff sign-in", () => {
  it("leads to the dashboard, with a welcome", async () => {
    const camp = server({ ...nobody, "POST /api/admin/auth/sign-in": { staff: kornbluh } });
    const user = open("/admin/login");
    await screen.findByLabelText("Username");
    camp.answer("GET /api/admin/session", { staff: kornbluh });
    await signIn(user);
    expect(await screen.findByRole("heading", { name: "Admin Dashboard" })).toBeTruthy();
    expect(screen.getByText("Login Successful")).toBeTruthy();
    expect(screen.getByText("Welcome kornbluh!")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/auth/sign-in")[0]?.body).toEqual({
      username: "kornbluh",
      password: "visiting-day",
    });
  });

  it("leads back to the requested page, but never out of the staff area", async () => {
    server({ ...nobody, "GET /api/admin/videos/years": list() });
    const user = open("/admin/gallery");
    await screen.findByLabelText("Username");
    expect(address()).toBe("/admin/login?next=%2Fadmin%2Fgallery");
    server({ ...onDuty, "GET /api/admin/videos/years": list(), "POST /api/admin/auth/sign-in": { staff: kornbluh } });
    await signIn(user);
    expect(await screen.findByRole("heading", { name: "Gallery Management" })).toBeTruthy();
  });

  it.each(["//evil.example/admin/x", "/profile", "/admin/login", "https://evil.example/admin/"])(
    "does not follow %s",
    async (next) => {
      server({ ...onDuty, "GET /api/admin/videos": list() });
      open(`/admin/login?next=${encodeURIComponent(next)}`);
      expect(await screen.findByRole("heading", { name: "Admin Dashboard" })).toBeTruthy();
      expect(address()).toBe("/admin/dashboard");
    },
  );

  it("asks for what is missing before asking the server", async () => {
    const camp = server(nobody);
    const user = open("/admin/login");
    await user.click(await screen.findByRole("button", { name: "Sign In" }));
    expect(screen.getByText("Please enter your username.")).toBeTruthy();
    expect(screen.getByText("Please enter your password.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Username"));
    expect(camp.asked("POST", "/api/admin/auth/sign-in")).toHaveLength(0);
  });

  it("says when the credentials are wrong, and keeps them", async () => {
    server({ ...nobody, "POST /api/admin/auth/sign-in": refuse(401, "invalid_credentials", wrong) });
    const user = open("/admin/login");
    await signIn(user);
    expect(await screen.findByText(wrong)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Username").value).toBe("kornbluh");
    expect(screen.queryByLabelText("Code")).toBeNull();
  });

  it("asks for a code when the account has a second factor", async () => {
    const camp = server({
      ...nobody,
      "POST /api/admin/auth/sign-in": refuse(401, "second_factor_required", "Please enter the code."),
    });
    const user = open("/admin/login");
    await signIn(user);
    const code = await screen.findByLabelText("Code");
    expect(document.activeElement).toBe(code);
    expect(screen.queryByRole("alert")).toBeNull();

    camp.answer(
      "POST /api/admin/auth/sign-in",
      refuse(401, "invalid_credentials", "This code is incorrect or was already used."),
    );
    await user.type(code, "000000");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByText("This code is incorrect or was already used.")).toBeTruthy();
    expect(code.getAttribute("aria-invalid")).toBe("true");

    camp.answer("POST /api/admin/auth/sign-in", { staff: kornbluh });
    camp.answer("GET /api/admin/session", { staff: kornbluh });
    await user.clear(code);
    await user.type(code, "123456");
    await user.click(screen.getByRole("button", { name: "Sign In" }));
    expect(await screen.findByText("Welcome kornbluh!")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/auth/sign-in").at(-1)?.body.code).toBe("123456");
  });

  it("sets up the authenticator app that the camp asks for, and shows the recovery codes once", async () => {
    const camp = server({
      ...nobody,
      "GET /api/admin/session": { staff: { ...kornbluh, two_factor_required: true } },
      "POST /api/admin/two-factor": {
        secret: "ABCD EFGH IJ",
        otpauth_url: "otpauth://totp/x",
        qr_path: "M0 0h1v1z",
        qr_size: 21,
      },
      "POST /api/admin/two-factor/confirm": { recovery_codes: ["aaaa-bbbb", "cccc-dddd"] },
    });
    const user = open("/admin/reports");
    await user.type(await screen.findByLabelText("Your password"), "pine lake lantern");
    await user.click(screen.getByRole("button", { name: "Continue" }));
    expect(await screen.findByRole("img", { name: "QR code for your authenticator app" })).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/two-factor")[0]?.body).toEqual({ current_password: "pine lake lantern" });
    expect(screen.getByText("ABCD EFGH IJ")).toBeTruthy();
    camp.answer("GET /api/admin/session", { staff: { ...kornbluh, two_factor_required: true, two_factor: true } });
    await user.type(screen.getByLabelText("First code"), "123 456");
    await user.click(screen.getByRole("button", { name: "Turn on two-factor" }));
    expect(await screen.findByText("aaaa-bbbb")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/two-factor/confirm")[0]?.body).toEqual({ code: "123456" });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Continue" }).disabled).toBe(true);
    await user.click(screen.getByLabelText("I saved my recovery codes"));
    await user.click(screen.getByRole("button", { name: "Continue" }));
    expect(await screen.findByRole("heading", { name: "Report Management" })).toBeTruthy();
  });
});

describe("the staff area", () => {
  const inside = { ...onDuty, "GET /api/admin/videos": list(adminVideo()) };

  it("shows who is signed in, and the pages that exist with their counts", async () => {
    server(inside);
    open("/admin/reports");
    const side = within((await screen.findAllByRole("complementary", { name: "Staff area" }))[0]!);
    const own = side.getByRole("link", { name: /kornbluh\s*Owner · Account/ });
    expect(own.getAttribute("href")).toBe("/admin/account");
    expect(await side.findByRole("link", { name: /Reports\s*3 drafts/ })).toBeTruthy();
    expect(side.getByRole("link", { name: /Gallery\s*340/ })).toBeTruthy();
    expect(side.getByRole("link", { name: "View the site" }).getAttribute("href")).toBe("/");
  });

  it("shows an unknown address within its own layout", async () => {
    server(inside);
    open("/admin/nowhere");
    expect(await screen.findByRole("heading", { name: "404" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Return to Dashboard" })).toBeTruthy();
  });

  it("is left by Sign Out", async () => {
    const camp = server({ ...inside, "POST /api/admin/auth/sign-out": null });
    const user = open("/admin/reports");
    await screen.findByRole("heading", { name: "Report Management" });
    camp.answer("GET /api/admin/session", { staff: null });
    await user.click(screen.getAllByRole("button", { name: "Sign Out" })[0]!);
    expect(await screen.findByText("Signed Out")).toBeTruthy();
    expect(await screen.findByLabelText("Username")).toBeTruthy();
    expect(address()).toBe("/admin/login");
  });

  it("asks to sign in again over the page when the session ends, and nothing typed is lost", async () => {
    const camp = server({
      ...inside,
      "POST /api/admin/videos": refuse(401, "staff_required", "Please sign in to the staff area."),
    });
    const user = open("/admin/reports?action=upload");
    await user.type(await screen.findByLabelText("Title"), "Trip to the ridge");
    await user.type(screen.getByLabelText("Video URL"), "https://youtu.be/dQw4w9WgXcQ");
    camp.answer("GET /api/admin/session", { staff: null });
    await user.click(await screen.findByRole("button", { name: "Publish and notify 212 people" }));
    const door = within(await screen.findByRole("dialog", { name: "Please sign in again" }));
    expect(door.getByLabelText<HTMLInputElement>("Username").value).toBe("kornbluh");

    camp.answer("POST /api/admin/auth/sign-in", { staff: kornbluh });
    camp.answer("GET /api/admin/session", { staff: kornbluh });
    await user.type(door.getByLabelText("Password"), "visiting-day");
    await user.click(door.getByRole("button", { name: "Sign In" }));
    await expect.poll(() => screen.queryByRole("dialog", { name: "Please sign in again" })).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>("Title").value).toBe("Trip to the ridge");
    expect(address()).toBe("/admin/reports?action=upload");
  });

  it.each([
    ["a question", "/admin/messages?view=newsletters"],
    ["a form in a page", "/admin/settings"],
  ])("leaves nothing about the ended session in %s", async (_, page) => {
    const refused = refuse(401, "staff_required", "Please sign in to the staff area.");
    const camp = server({
      ...inside,
      "GET /api/admin/letters": list(),
      "GET /api/admin/subscribers": list(),
      "POST /api/admin/letters": ({ body }: { body: { preview: boolean } }) =>
        body.preview ? { recipients: 138, id: null } : refused,
      "GET /api/admin/settings": list({
        key: "siteName",
        value: "Camp Pine Lake",
        default: "Camp Pine Lake",
        group: "general",
        kind: "line",
        min: 1,
        max: 60,
        choices: [],
        help: "The camp's name",
        unavailable: null,
        problem: null,
      }),
      "PATCH /api/admin/settings": refused,
    });
    const user = open(page);
    if (page.endsWith("newsletters")) {
      await user.type(await screen.findByLabelText("Subject"), "Visiting day");
      await user.type(screen.getByLabelText("Newsletter"), "Come early.");
      await user.click(await screen.findByRole("button", { name: "Send newsletter to 138 people" }));
      camp.answer("GET /api/admin/session", { staff: null });
      await user.click(screen.getByRole("button", { name: "Send newsletter" }));
    } else {
      await user.type(await screen.findByLabelText("Camp name"), "!");
      camp.answer("GET /api/admin/session", { staff: null });
      await user.click(screen.getByRole("button", { name: "Save general settings" }));
    }
    const door = within(await screen.findByRole("dialog", { name: "Please sign in again" }));
    camp.answer("POST /api/admin/auth/sign-in", { staff: kornbluh });
    camp.answer("GET /api/admin/session", { staff: kornbluh });
    await user.type(door.getByLabelText("Password"), "visiting-day");
    await user.click(door.getByRole("button", { name: "Sign In" }));
    await expect.poll(() => screen.queryByRole("dialog", { name: "Please sign in again" })).toBeNull();
    expect(screen.queryByText("Please sign in to the staff area.")).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("says so when it cannot be opened, instead of asking for a password", async () => {
    server({ ...inside, "GET /api/admin/session": refuse(500, "internal", "Something went wrong.") });
    open("/admin/reports");
    expect(await screen.findByText("The staff area could not be opened")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });
});
