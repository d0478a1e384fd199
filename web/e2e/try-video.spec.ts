import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { createServer as createHttpServer, type Server } from "node:http";
import { join } from "node:path";
import { call, expect, parent, posted, staff, test, toast } from "./support/camp";
import type { AdminVideo } from "./support/camp";
import type { Page } from "@playwright/test";

const film = readFileSync(join(import.meta.dirname, "../../core/src/seed/media/lake.mp4"));
const failed = "When you tried this link, the video did not start.";
const posts = async (page: Page) =>
  (await call<{ items: AdminVideo[] }>(page.request, "GET", "/api/admin/videos")).items;

test.describe("Staff preview a video before publishing it", () => {
  let elsewhere: Server;
  let host: string;

  // Starts another server with a video, and with a page whose URL looks like a video.
  test.beforeAll(async () => {
    elsewhere = createHttpServer((request, answer) => {
      const isFilm = request.url?.startsWith("/lake.mp4");
      answer.writeHead(200, { "content-type": isFilm ? "video/mp4" : "text/html" });
      answer.end(isFilm ? film : "<!doctype html><title>Share</title>");
    });
    await new Promise<void>((done) => elsewhere.listen(0, "127.0.0.1", done));
    host = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  });
  test.afterAll(() => new Promise((done) => elsewhere.close(done)));

  test("in the upload form, in the edit drawer and in the gallery, without publishing anything", async ({
    page,
    camp,
    somebody,
  }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await staff(page, camp);
    await page.goto("/admin/reports?action=upload");
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("Swim relay");

    // A page whose URL looks like a video does not play. The form says so, but can still be saved.
    await form.getByLabel("Video URL").fill(`${host}/share.mp4`);
    await form.getByRole("button", { name: "Try it" }).click();
    await expect(form.getByText("The video did not start, so families could not watch it.")).toBeVisible();
    await expect(form.getByText(failed)).toBeVisible();
    await expect(form.getByRole("button", { name: /^Publish/ })).toBeEnabled();

    await form.getByLabel("Video URL").fill(`${host}/lake.mp4`);
    await expect(form.getByText(failed)).toBeHidden();
    await form.getByRole("button", { name: "Try it" }).click();
    await expect(form.getByText("The video started. This is the player families see.")).toBeVisible();
    expect(await form.locator("video").evaluate((video: HTMLVideoElement) => video.videoWidth)).toBeGreaterThan(0);
    expect(await posts(page)).toEqual([]);
    expect(await camp.mailsTo("chaya@family.example", /Swim/)).toEqual([]);

    await form.getByRole("button", { name: /^Publish/ }).click();
    await expect(toast(page)).toContainText("Video uploaded successfully");
    await camp.mailTo("chaya@family.example", /Swim relay/);

    await page.getByRole("button", { name: "Edit Swim relay" }).click();
    const drawer = page.getByRole("dialog", { name: "Edit video" });
    await drawer.getByRole("button", { name: "Try it" }).click();
    await expect(drawer.getByText("The video started. This is the player families see.")).toBeVisible();
    await drawer.getByRole("button", { name: "Close the player" }).click();
    await drawer.getByRole("button", { name: "Cancel" }).click();

    await page.goto("/admin/gallery");
    await page.getByRole("button", { name: "Add Gallery Video" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add Gallery Video" });
    await dialog
      .getByLabel("Google Drive Video URL")
      .fill("https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/view");
    await dialog.getByRole("button", { name: "Try it" }).click();
    await expect(dialog.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
    await expect(dialog.getByText("set it to “Anyone with the link”")).toBeVisible();
    expect((await posts(page))[0]!.view_count, "a try is no view").toBe(0);
  });

  test("an unreachable file host is reported, and share links say what to do", async ({ page, camp }) => {
    await staff(page, camp);
    await posted(page, { title: "Campfire" });
    await page.goto("/admin/reports?action=upload");
    const form = page.getByRole("region", { name: "New report" });
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, "127.0.0.1", done));
    const away = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/lake.mp4`;
    await new Promise((done) => closed.close(done));
    await form.getByLabel("Video URL").fill(away);
    await form.getByRole("button", { name: "Try it" }).click();
    await expect(form.getByText(failed)).toBeVisible();

    await form.getByLabel("Video URL").fill("https://1drv.ms/v/s!AbCdEf");
    await form.getByLabel("Title").click();
    await expect(form.getByText("OneDrive links open a page, not the video itself.")).toBeVisible();
    await expect(form.getByRole("button", { name: "Try it" })).toBeHidden();
  });
});
