import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, expect, parent, staff, test, toast } from "./support/camp";
import type { AdminVideo } from "./support/camp";
import type { CDPSession, Page } from "@playwright/test";

type Listed = { items: AdminVideo[] };

/** The conversion takes minutes on a busy machine. */
const conversion = { timeout: 500_000 };

const folder = mkdtempSync(join(tmpdir(), "camp-film-"));
const film = join(folder, "Color War.mp4");

/** Makes a film of about 60 MB, which needs more than one request, in a resolution that is offered in two sizes. */
test.beforeAll(() => {
  const input = "-f lavfi -i testsrc2=size=1280x720:rate=24:duration=10 -f lavfi -i sine=440:duration=10";
  const rate = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -b:v 48M -minrate 48M -maxrate 48M -bufsize 48M";
  const made = spawnSync(
    "ffmpeg",
    [...`-v error -y ${input} ${rate} -x264-params nal-hrd=cbr -c:a aac -movflags +faststart`.split(" "), film],
    { encoding: "utf8" },
  );
  expect(made.status, made.stderr || String(made.error)).toBe(0);
  expect(statSync(film).size).toBeGreaterThan(50_000_000);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sessions = new Map<Page, CDPSession>();

/** Sets this browser's upload speed in bytes per second. At 0 it is offline. */
async function uploadAt(page: Page, uploadThroughput: number) {
  // With several sessions, the slowest limit would apply.
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: uploadThroughput === 0,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  });
}

/** Collects the URLs of a video's files and data that the browser reads. */
function addressesRead(page: Page, all: Set<string>) {
  page.context().on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (response.request().method() === "GET" && response.ok() && /^\/(media|api)\/(admin\/)?videos\/./.test(pathname))
      all.add(response.url());
  });
}

const reports = (page: Page) => page.getByRole("region", { name: "New report" });
const uploads = (page: Page) => page.getByRole("region", { name: "Uploads" });
const stateOfVideo = (video: HTMLVideoElement) => ({ time: video.currentTime, error: video.error?.message ?? null });
const lines = (video: HTMLVideoElement) => video.videoHeight;

test.describe("When only families of the camp may watch", () => {
  test.use({ settings: { access: "families" } });

  test("an upload survives a server restart and a reload, and only families can watch it", async ({
    page,
    camp,
    somebody,
  }) => {
    const desk = await somebody();
    const seen = new Set<string>();
    addressesRead(desk, seen);
    addressesRead(page, seen);
    await staff(desk, camp);
    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    const waiting = await call<{ items: { id: string }[] }>(desk.request, "GET", "/api/admin/users?filter=to_approve");
    await call(desk.request, "POST", `/api/admin/users/${waiting.items[0]?.id}/approve`);

    await test.step("it is interrupted halfway, and continues by itself", async () => {
      await desk.goto("/admin/reports?action=upload");
      await uploadAt(desk, 5_000_000);
      await reports(desk).locator("input[type=file]").setInputFiles(film);
      const progress = reports(desk).getByRole("progressbar");
      const percent = async () => Number(await progress.getAttribute("aria-valuenow"));
      await expect.poll(percent).toBeGreaterThan(15);
      await uploadAt(desk, 0);
      await expect(reports(desk)).toContainText("It goes on by itself.");
      await uploadAt(desk, 5_000_000);
      await expect.poll(percent).toBeGreaterThan(40);
      await camp.restart(3_000);
      const before = await percent();
      await expect.poll(percent).toBeGreaterThan(before);
      await desk.reload();
    });

    await test.step("after a reload the same file is picked again", async () => {
      await expect(uploads(desk)).toContainText("Choose the same file again to go on.");
      const sent: string[] = [];
      desk.on("request", (request) => request.method() === "PATCH" && sent.push(request.headers()["upload-offset"]!));
      await uploadAt(desk, 20_000_000);
      await uploads(desk).locator("input[type=file]").setInputFiles(film);
      await uploads(desk)
        .getByRole("link", { name: /^Add title/ })
        .click();
      await reports(desk).getByLabel("Title").fill("Color War breaks out");
      await reports(desk)
        .getByRole("button", { name: /^Publish when it is ready and notify/ })
        .click();
      await expect(toast(desk)).toContainText("Families see it as soon as its file is ready.");
      expect(Number(sent[0])).toBeGreaterThan(0);
    });

    let video!: AdminVideo;
    await test.step("it is converted, published and emailed", async () => {
      await expect(desk.getByText("Publishes when it is ready")).toBeVisible();
      await expect
        .poll(async () => {
          video = (await call<Listed>(desk.request, "GET", "/api/admin/videos")).items[0]!;
          return video.status;
        }, conversion)
        .toBe("published");
      expect(video.upload?.renditions.map(({ height }) => height)).toEqual([720, 480]);
      await camp.mailTo("chaya@family.example", /Color War/);
      const row = desk.getByRole("listitem").filter({ hasText: "Color War breaks out" });
      await expect(row).toContainText("Published");
      await expect(row).not.toContainText("Publishes when it is ready");
    });

    await test.step("a family plays it, seeks, and chooses its largest and smallest size", async () => {
      await page.goto(`/video/${video.id}`);
      await page.getByRole("button", { name: "Play Color War breaks out" }).click();
      const player = page.getByRole("group", { name: "Video player" });
      const element = page.locator("video");
      await expect.poll(async () => (await element.evaluate(stateOfVideo)).time).toBeGreaterThan(0.3);
      await player.getByRole("button", { name: "Pause" }).press("5");
      await expect.poll(async () => (await element.evaluate(stateOfVideo)).time).toBeGreaterThan(4.9);
      await player.getByRole("slider", { name: "Seek" }).hover();
      for (const size of [480, 720]) {
        await player.getByRole("button", { name: "Settings" }).click();
        await player.getByLabel("Quality").selectOption(`${size}p`);
        await expect.poll(() => element.evaluate(lines)).toBe(size);
        await player.getByRole("slider", { name: "Seek" }).press("2");
        await expect.poll(async () => (await element.evaluate(stateOfVideo)).time).toBeGreaterThan(1.9);
      }
      expect((await element.evaluate(stateOfVideo)).error).toBeNull();
    });

    await test.step("a stranger is refused every URL of it, in another browser and after signing out", async () => {
      const ofStaff = [...seen].filter((address) => address.includes("/api/admin/"));
      const addresses = [...seen, `${camp.url}/media/videos/${video.id}`].filter((one) => !ofStaff.includes(one));
      expect(addresses.filter((address) => /m3u8/.test(address)).length).toBeGreaterThan(1);
      expect(addresses.filter((address) => /\.mp4/.test(address)).length).toBeGreaterThan(1);
      expect(addresses.some((address) => /\.vtt/.test(address))).toBe(true);
      for (const address of addresses) expect((await page.request.get(address)).ok(), address).toBe(true);
      expect(addresses.some((address) => address.includes(`/api/videos/${video.id}`))).toBe(true);
      const areRefused = async (reader: Page) => {
        for (const address of [...addresses, ...ofStaff])
          expect([401, 403, 404], address).toContain((await reader.request.get(address)).status());
      };
      await areRefused(await somebody());
      const unapproved = await somebody();
      await parent(unapproved, camp, { name: "Rivky Adler", email: "rivky@family.example" });
      await areRefused(unapproved);
      await call(page.request, "POST", "/api/auth/sign-out");
      await areRefused(page);
    });
  });
});

test("a video plays to its end in all sizes, with captions and chapters", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await desk.goto("/admin/reports?action=upload");
  await reports(desk).locator("input[type=file]").setInputFiles(film);
  await reports(desk).getByLabel("Title").fill("Swim relay");
  await reports(desk)
    .getByRole("button", { name: /^Publish when it is ready/ })
    .click();
  let video!: AdminVideo;
  await expect
    .poll(async () => {
      video = (await call<Listed>(desk.request, "GET", "/api/admin/videos")).items[0]!;
      return video?.status;
    }, conversion)
    .toBe("published");

  await test.step("staff add captions and chapters, allow the download and choose the picture", async () => {
    await desk.getByRole("button", { name: "Edit Swim relay" }).click();
    const panel = desk.getByRole("dialog", { name: "Edit video" });
    await panel.getByText("Picture, chapters, captions and more").click();
    await panel.getByRole("radio", { name: "Picture 3 of 3" }).check();
    await panel.getByLabel("Chapters").fill("0:00 Lineup\n0:05 Bunk 7");
    await panel.getByRole("checkbox", { name: "Families may download it" }).check();
    const yiddish = panel.getByRole("listitem").filter({ hasText: "Yiddish" });
    await yiddish.locator("input[type=file]").setInputFiles({
      name: "relay.srt",
      mimeType: "application/x-subrip",
      buffer: Buffer.from("1\n00:00:00,000 --> 00:00:10,000\nאַ גוטן טאָג\n"),
    });
    await expect(yiddish).toContainText("1 caption");
    await panel.getByRole("button", { name: "Update Video" }).click();
    await expect(panel).toBeHidden();
  });

  let away = true;
  let refused = 0;
  await page.route(/\.mp4$/, (route) => (away ? (refused++, route.abort()) : route.continue()));
  await page.goto(`/video/${video.id}`);
  await page.getByRole("button", { name: "Play Swim relay" }).click();
  // The player waits for a server that is briefly down, and the video keeps its sizes.
  await expect.poll(() => refused).toBeGreaterThan(1);
  away = false;
  const element = page.locator("video");
  await expect.poll(async () => (await element.evaluate(stateOfVideo)).time).toBeGreaterThan(0.3);
  expect(await element.evaluate((media: HTMLVideoElement) => media.src)).toMatch(/^blob:/);
  const player = page.getByRole("group", { name: "Video player" });
  for (const size of [720, 480]) {
    await player.getByRole("button", { name: "Settings" }).click();
    await player.getByLabel("Quality").selectOption(`${size}p`);
    await player.getByRole("slider", { name: "Seek" }).press("0");
    await expect.poll(() => element.evaluate(lines)).toBe(size);
  }

  await test.step("a family turns captions on, jumps to a chapter and downloads the file", async () => {
    await player.getByRole("slider", { name: "Seek" }).press("c");
    const caption = player.getByText("אַ גוטן טאָג");
    await expect(caption).toBeVisible();
    expect(await caption.evaluate((text) => getComputedStyle(text.closest("p")!).direction)).toBe("rtl");
    await page.getByRole("link", { name: "0:05 Bunk 7" }).click();
    await expect.poll(async () => (await element.evaluate(stateOfVideo)).time).toBeGreaterThan(4.9);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("Swim relay.mp4");
  });

  await player.getByRole("slider", { name: "Seek" }).press("8");
  await expect.poll(() => element.evaluate((media: HTMLVideoElement) => media.ended)).toBe(true);
  // Chromium's own HLS would end earlier, because it changes the size by segment number, not by time.
  expect((await element.evaluate(stateOfVideo)).time).toBeGreaterThan(9.9);
});
