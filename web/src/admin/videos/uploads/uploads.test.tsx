import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { never, list, open, refuse } from "../../../test/portal";
import { address, desk, edit, row } from "../../../test/reports-page";
import { adminVideo, draftVideo, onDuty, scheduledVideo } from "../../../test/staff";
import { created, FakeSender, film, upload, uploads } from "../../../test/uploads";
import { forget } from "./transfers";

vi.mock("tus-js-client", async () => ({ Upload: (await import("../../../test/uploads")).FakeSender }));

beforeEach(() => {
  FakeSender.all = [];
  let next = 0;
  answers["POST /api/admin/uploads"] = () => created(`u${++next}`)();
});
afterEach(() => act(() => ["u1", "u2", "u3"].forEach(forget)));

const answers: Record<string, unknown> = {};
const camp = (more: Record<string, unknown> = {}) => desk({ "GET /api/admin/uploads": uploads(), ...answers, ...more });
const panel = async () => within(await screen.findByRole("region", { name: "Uploads" }));
const form = async () => within(await screen.findByRole("region", { name: "New report" }));
const fileInput = (part: HTMLElement) => part.querySelector<HTMLInputElement>("input[type=file]")!;
const sending = (count = 1) =>
  waitFor(() => expect(FakeSender.all.filter(({ running }) => running)).toHaveLength(count));

async function choose(user: ReturnType<typeof open>, ...files: File[]) {
  const region = await screen.findByRole("region", { name: "New report" });
  await user.upload(fileInput(region), files);
}

function drop(...files: File[]) {
  const dataTransfer = { types: ["Files"], files };
  fireEvent(window, Object.assign(new Event("dragenter"), { dataTransfer }));
  expect(screen.getByText("Drop the videos here to upload them")).toBeTruthy();
  fireEvent(window, Object.assign(new Event("drop", { cancelable: true }), { dataTransfer }));
}

const noRoom = "There is not enough room for this file. It is 4 MB, and 0 bytes of the 40 GB for videos are free.";

describe("a file that staff choose", () => {
  it("is on its way while the form is filled in, and the report can be published before it is there", async () => {
    const video = scheduledVideo({ id: "v9", publishes_when_ready: true, upload: upload() });
    const server = camp({ "POST /api/admin/videos": { video, notified: 0 } });
    const user = open("/admin/reports?action=upload");
    await choose(user, film("קאלער וואר.mp4"));
    await sending();
    const announced = server.asked("POST", "/api/admin/uploads")[0]!;
    expect(announced.headers.get("tus-resumable")).toBe("1.0.0");
    expect(announced.headers.get("upload-length")).toBe("4000000");
    const name = /filename (\S+?),/.exec(announced.headers.get("upload-metadata")!)![1]!;
    expect(new TextDecoder().decode(Uint8Array.from(atob(name), (c) => c.charCodeAt(0)))).toBe("קאלער וואר.mp4");
    expect(FakeSender.last.options.uploadUrl).toBe("http://camp.test/api/admin/uploads/u1");

    FakeSender.last.progress(1_720_000);
    const report = await form();
    expect(report.getByText("1.7 of 4 MB")).toBeTruthy();
    expect(report.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("43");
    expect(report.queryByLabelText("Video URL")).toBeNull();
    // The form already shows the upload.
    expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull();

    await user.type(report.getByLabelText("Title"), "Color War breaks out");
    await user.click(report.getByRole("button", { name: "Publish when it is ready and notify 212 people" }));
    expect(
      await screen.findByText(
        "Video saved. Families see it as soon as its file is ready. Its file is still uploading: please keep this page open until it has arrived.",
      ),
    ).toBeTruthy();
    expect(server.asked("POST", "/api/admin/videos")[0]?.body).toEqual({
      title: "Color War breaks out",
      upload_id: "u1",
      description: null,
      upload_date: "2026-07-29",
      status: "published",
      is_featured: false,
    });
    expect(FakeSender.last.running).toBe(true);
    expect((await panel()).getByText("1.7 of 4 MB")).toBeTruthy();
  });

  it("shows the speed and the time left", async () => {
    camp();
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    const now = vi.spyOn(Date, "now");
    now.mockReturnValue(1_000);
    FakeSender.last.progress(1_000_000);
    now.mockReturnValue(3_000);
    FakeSender.last.progress(2_000_000);
    expect((await form()).getByText("2 of 4 MB, 500 KB/s, a few seconds left")).toBeTruthy();
  });

  it("is refused in the server's words, and the link is still offered", async () => {
    camp({ "POST /api/admin/uploads": refuse(422, "validation", "No.", [{ field: "file", message: noRoom }]) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    const report = await form();
    expect(await report.findByText(noRoom)).toBeTruthy();
    expect(report.getByLabelText("Video URL")).toBeTruthy();
    expect(FakeSender.all).toHaveLength(0);
  });

  it("that is empty or not a video is refused before anything is sent", async () => {
    const server = camp();
    open("/admin/reports");
    await screen.findByRole("button", { name: "Upload New Report" });
    drop(film("menu.pdf", 10, "application/pdf"), film("nothing.mp4", 0));
    expect(await screen.findByText("“menu.pdf” is not a video.")).toBeTruthy();
    expect(await screen.findByText("“nothing.mp4” is empty.")).toBeTruthy();
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(0);
    expect(address()).toBe("/admin/reports");
  });

  it("dropped on the page opens the form with it; the next one waits for its turn and for its title", async () => {
    camp();
    const user = open("/admin/reports");
    await screen.findByRole("button", { name: "Upload New Report" });
    drop(film("one.mp4"), film("two.mp4", 5_000_000));
    await sending();
    expect((await form()).getByText("one.mp4", { selector: "bdi" })).toBeTruthy();
    const shown = await panel();
    expect(shown.getByText("Waiting for its turn, 5 MB")).toBeTruthy();
    FakeSender.last.arrive();
    await sending();
    expect(FakeSender.last.file.name).toBe("two.mp4");
    await user.click((await panel()).getByRole("link", { name: "Add title to two.mp4" }));
    expect(await (await form()).findByText("two.mp4", { selector: "bdi" })).toBeTruthy();
    expect(address()).toBe("/admin/reports?action=upload");
  });

  it("can be paused, resumed and canceled", async () => {
    const server = camp({ "DELETE /api/admin/uploads/u1": null });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    FakeSender.last.progress(1_720_000);
    const report = await form();
    await user.click(report.getByRole("button", { name: /^Pause upload/ }));
    expect(report.getByText("Paused at 1.7 of 4 MB")).toBeTruthy();
    expect(FakeSender.last.running).toBe(false);
    await user.click(report.getByRole("button", { name: /^Resume upload/ }));
    await sending();
    expect(FakeSender.all).toHaveLength(2);
    await user.click(report.getByRole("button", { name: "Cancel Color War.mp4" }));
    const question = within(screen.getByRole("dialog", { name: "Cancel this upload?" }));
    expect(question.getByText("Color War.mp4")).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Cancel upload" }));
    await waitFor(() => expect(server.asked("DELETE", "/api/admin/uploads/u1")).toHaveLength(1));
    expect(FakeSender.last.running).toBe(false);
    expect(await report.findByLabelText("Video URL")).toBeTruthy();
  });

  it("continues by itself after a lost connection", async () => {
    camp();
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    FakeSender.last.progress(1_720_000);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await FakeSender.last.fail();
    expect(screen.getByText("No connection at 1.7 of 4 MB. It goes on by itself.")).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(1_100));
    vi.useRealTimers();
    await sending();
    expect(FakeSender.all).toHaveLength(2);
    await FakeSender.last.fail(503);
    act(() => void dispatchEvent(new Event("online")));
    await sending();
    expect(FakeSender.all).toHaveLength(3);
  });

  it("does not hold up the next one when something goes wrong", async () => {
    camp();
    open("/admin/reports");
    await screen.findByRole("button", { name: "Upload New Report" });
    drop(film("one.mp4"), film("two.mp4", 5_000_000));
    await sending();
    await FakeSender.last.fail(503);
    await sending();
    expect(FakeSender.last.file.name).toBe("two.mp4");
  });

  it("waits for a new sign-in when the session has ended", async () => {
    const server = camp();
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    FakeSender.last.progress(1_720_000);
    server.answer("GET /api/admin/session", { staff: null });
    await FakeSender.last.fail(401, { code: "staff_required", detail: "Please sign in.", status: 401 });
    expect(await screen.findByRole("dialog", { name: "Please sign in again" })).toBeTruthy();
    expect(screen.getByText(/^Stopped at 1\.7 of 4 MB\. It goes on once you have signed in again\.$/)).toBeTruthy();
    server.answer("GET /api/admin/session", onDuty["GET /api/admin/session"]);
    server.answer("POST /api/admin/auth/sign-in", onDuty["GET /api/admin/session"]);
    const dialog = within(screen.getByRole("dialog", { name: "Please sign in again" }));
    await user.type(dialog.getByLabelText("Password"), "lantern over the lake");
    await user.click(dialog.getByRole("button", { name: "Sign In" }));
    await sending();
    expect(FakeSender.all).toHaveLength(2);
  });

  it("is not offered any more once a report was saved with it", async () => {
    const ready = upload({ state: "ready" });
    const server = camp({
      "GET /api/admin/uploads": uploads(ready),
      "POST /api/admin/videos": () => {
        server.answer("GET /api/admin/uploads", uploads());
        return { video: adminVideo({ id: "v9", upload: ready }), notified: 0 };
      },
    });
    const user = open("/admin/reports?action=upload&file=u1");
    const report = await form();
    expect(await report.findByText("Ready, 4 MB")).toBeTruthy();
    await user.type(report.getByLabelText("Title"), "Color War");
    const asked = (path: string) => server.asked("GET", path).length;
    const before = { videos: asked("/api/admin/videos"), uploads: asked("/api/admin/uploads") };
    await user.click(report.getByRole("button", { name: /^Publish/ }));
    expect(await screen.findByText(/^Video uploaded successfully/)).toBeTruthy();
    await waitFor(() => expect(asked("/api/admin/videos")).toBeGreaterThan(before.videos));
    expect(asked("/api/admin/uploads"), "together with the list of videos").toBeGreaterThan(before.uploads);
    await waitFor(() => expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull());
    expect(screen.queryByRole("link", { name: /^Add title/ })).toBeNull();
  });

  it("that is refused after it arrived says why", async () => {
    const server = camp({ "DELETE /api/admin/uploads/u1": null });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    await FakeSender.last.fail(422, { code: "validation", detail: "This is a text file, not a video.", status: 422 });
    const shown = within(await screen.findByRole("region", { name: "New report" }));
    expect(await shown.findByText("This is a text file, not a video.")).toBeTruthy();
    // Only a file that the server accepted can be converted again.
    expect(shown.queryByRole("button", { name: /^Retry/ })).toBeNull();
    const opened = vi.spyOn(HTMLInputElement.prototype, "click");
    await user.click(shown.getByRole("button", { name: "Choose another video" }));
    expect(opened.mock.contexts.map((input) => (input as HTMLInputElement).type)).toEqual(["file"]);
    opened.mockRestore();
    await choose(user, film("Swim.mp4"));
    await sending();
    expect(await shown.findByText("Swim.mp4", { selector: "bdi" })).toBeTruthy();
    await waitFor(() => expect(server.asked("DELETE", "/api/admin/uploads/u1")).toHaveLength(1));
    expect(screen.queryByText("Color War.mp4", { selector: "bdi" })).toBeNull();
  });

  it("that is refused can be replaced by a link", async () => {
    const server = camp({ "DELETE /api/admin/uploads/u1": null });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    await FakeSender.last.fail(422, { code: "validation", detail: "This is a text file, not a video.", status: 422 });
    const shown = await form();
    await user.click(await shown.findByRole("button", { name: "Use a link instead" }));
    expect(shown.getByRole("button", { name: "Choose a video" })).toBeTruthy();
    expect(shown.queryByRole("button", { name: /^Use Color War/ })).toBeNull();
    await waitFor(() => expect(server.asked("DELETE", "/api/admin/uploads/u1")).toHaveLength(1));
    expect(screen.queryByText("Color War.mp4", { selector: "bdi" })).toBeNull();
  });

  it("that has arrived is not asked for again, although what the server said of it is older", async () => {
    const server = camp({ "GET /api/admin/uploads": uploads(upload({ id: "u1", received_bytes: 1_600_000 })) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    server.answer("GET /api/admin/uploads", never);
    FakeSender.last.arrive();
    const shown = within(await screen.findByRole("region", { name: "New report" }));
    expect(await shown.findByText("It has arrived and waits to be converted.")).toBeTruthy();
    expect(shown.queryByText(/Choose the same file/)).toBeNull();
  });

  it("stays on its way on other pages, and closing the tab warns", async () => {
    camp({ "GET /api/admin/videos/years": list() });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    FakeSender.last.progress(1_720_000);
    await user.click(screen.getAllByRole("link", { name: /^Gallery/ })[0]!);
    expect((await panel()).getByText("1.7 of 4 MB")).toBeTruthy();
    const closing = new Event("beforeunload", { cancelable: true });
    dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);
    FakeSender.last.arrive();
    expect(await screen.findByText("Color War.mp4 has arrived")).toBeTruthy();
    const after = new Event("beforeunload", { cancelable: true });
    dispatchEvent(after);
    expect(after.defaultPrevented).toBe(false);
  });
});

describe("after a reload", () => {
  it("an unfinished upload asks for the same file and goes on from there", async () => {
    const server = camp({ "GET /api/admin/uploads": uploads(upload()) });
    const user = open("/admin/dashboard");
    const shown = await panel();
    expect(shown.getByText("Stopped at 43%, 1.7 of 4 MB. Choose the same file again to go on.")).toBeTruthy();
    const input = fileInput(screen.getByRole("region", { name: "Uploads" }));
    await user.upload(input, film("another.mp4"));
    expect(await screen.findByText("This is another file. Please choose “Color War.mp4” (4 MB).")).toBeTruthy();
    expect(FakeSender.all).toHaveLength(0);
    await user.upload(input, film());
    await sending();
    expect(FakeSender.last.options.uploadUrl).toBe("http://camp.test/api/admin/uploads/u1");
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(0);
  });

  it("the same file chosen in the form goes on too", async () => {
    const server = camp({ "GET /api/admin/uploads": uploads(upload()) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(0);
  });

  it("the file of a saved video is that video's, and the same one is sent again", async () => {
    const server = camp({ "GET /api/admin/uploads": uploads(upload({ id: "u0", video_id: "v1" })) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    await sending();
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(1);
    expect(FakeSender.last.options.uploadUrl).toBe("http://camp.test/api/admin/uploads/u1");
  });

  it("a file is known again by what can be seen of its name", async () => {
    const name = "קאלער וואר ".repeat(30).trim();
    const server = camp({ "GET /api/admin/uploads": uploads(upload({ file_name: name.slice(0, 200) })) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film(`\u200f${name}.mp4`));
    await sending();
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(0);
  });

  it("a file that arrived already is not sent a second time", async () => {
    const server = camp({ "GET /api/admin/uploads": uploads(upload({ state: "converting", progress: 12 })) });
    const user = open("/admin/reports?action=upload");
    await choose(user, film());
    expect(await (await form()).findByText("Converting for phones and computers, 12%")).toBeTruthy();
    expect(server.asked("POST", "/api/admin/uploads")).toHaveLength(0);
    expect(FakeSender.all).toHaveLength(0);
  });

  it("a file without a title can be used for a report, or deleted", async () => {
    const ready = upload({
      state: "ready",
      uploaded_by: "brikwald",
      renditions: [{ width: 1280, height: 720, size_bytes: 1 }],
    });
    const server = camp({ "GET /api/admin/uploads": uploads(ready), "DELETE /api/admin/uploads/u1": null });
    const user = open("/admin/reports?action=upload");
    await user.click(await (await form()).findByRole("button", { name: "Use Color War.mp4" }));
    const report = await form();
    expect(report.getByText("Ready in 720p, 4 MB")).toBeTruthy();
    expect(report.getByRole("button", { name: "Publish and notify 212 people" })).toBeTruthy();
    await user.click(report.getByRole("button", { name: "Use a link instead" }));
    await user.click((await panel()).getByRole("button", { name: "Delete Color War.mp4" }));
    expect(screen.getByText(/uploaded it, maybe for a form that is open/).textContent).toContain("brikwald");
    server.answer("GET /api/admin/uploads", uploads());
    await user.click(screen.getByRole("button", { name: "Delete file" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Uploads" })).toBeNull());
    expect(server.asked("DELETE", "/api/admin/uploads/u1")).toHaveLength(1);
  });

  it("a file that another tab is sending is not offered to be sent here", async () => {
    const done = upload({ id: "u2", file_name: "Sports.mp4", state: "ready" });
    const server = camp({ "GET /api/admin/uploads": uploads(upload(), done), "DELETE /api/admin/uploads/u2": null });
    const user = open("/admin/dashboard");
    const shown = await panel();
    expect(shown.getByText("Stopped at 43%, 1.7 of 4 MB. Choose the same file again to go on.")).toBeTruthy();
    await user.click(shown.getByRole("button", { name: "Delete Sports.mp4" }));
    server.answer("GET /api/admin/uploads", uploads(upload({ received_bytes: 2_000_000 })));
    await user.click(screen.getByRole("button", { name: "Delete file" }));
    expect(await shown.findByText("50% has arrived. It is being sent from another device or tab.")).toBeTruthy();
  });
});

describe("the list of videos", () => {
  it("says how far each file is and when its video appears", async () => {
    camp({
      "GET /api/admin/videos": list(
        draftVideo({ id: "a", title: "Swim relay", upload: upload({ id: "x1", video_id: "a" }) }),
        scheduledVideo({
          id: "b",
          title: "Campfire",
          publishes_when_ready: true,
          upload: upload({ id: "x2", video_id: "b", state: "converting", progress: 12 }),
        }),
        draftVideo({ id: "c", title: "Hike", upload: upload({ id: "x3", video_id: "c", state: "waiting" }) }),
        adminVideo({ id: "d", title: "Siyum", upload: upload({ id: "x4", video_id: "d", state: "ready" }) }),
        adminVideo({
          id: "e",
          title: "Overnight",
          upload: upload({ id: "x5", video_id: "e", state: "converting", progress: 20, is_trim: true }),
        }),
      ),
    });
    open("/admin/reports");
    expect((await row(/Swim relay/)).getByText("Uploading 43%")).toBeTruthy();
    const campfire = await row(/Campfire/);
    expect(campfire.getByText("Converting 12%")).toBeTruthy();
    expect(campfire.getByText("Publishes when it is ready")).toBeTruthy();
    expect(campfire.getByText("As soon as it is ready")).toBeTruthy();
    expect(campfire.queryByText("Scheduled")).toBeNull();
    expect(campfire.queryByRole("link", { name: /^Open/ })).toBeNull();
    expect((await row(/Hike/)).getByText("Waiting to be converted")).toBeTruthy();
    expect((await row(/Overnight/)).getByText("Trimming 20%")).toBeTruthy();
    const siyum = await row(/Siyum/);
    expect(siyum.getByText("Published")).toBeTruthy();
    expect(siyum.queryByText("Ready")).toBeNull();
    expect(siyum.getByRole("link", { name: /^Open/ })).toBeTruthy();
  });

  it("shows why a conversion failed, and tries it again", async () => {
    const failed = upload({
      id: "x1",
      video_id: "a",
      state: "failed",
      problem: "The file ends too early.",
      can_retry: true,
    });
    const server = camp({
      "GET /api/admin/videos": list(draftVideo({ id: "a", title: "Swim relay", upload: failed })),
      "POST /api/admin/uploads/x1/retry": { ...failed, state: "waiting" },
    });
    const user = open("/admin/reports");
    const relay = await row(/Swim relay/);
    expect(relay.getByText("Failed")).toBeTruthy();
    expect(relay.getByText(/The file ends too early\./)).toBeTruthy();
    await user.click(relay.getByRole("button", { name: "Retry Swim relay" }));
    expect(await screen.findByText("The file is being tried again")).toBeTruthy();
    expect(server.asked("POST", "/api/admin/uploads/x1/retry")).toHaveLength(1);
  });
});

describe("a new file for a video", () => {
  it("takes the place of the old one, and nothing else changes", async () => {
    const own = { video_type: "upload" as const, video_url: "/media/videos/v1" };
    const ready = upload({
      id: "x9",
      video_id: "v1",
      state: "ready",
      renditions: [{ width: 1920, height: 1080, size_bytes: 1 }],
    });
    const server = camp({
      "GET /api/admin/videos": list(adminVideo({ ...own, upload: ready })),
      "PATCH /api/admin/videos/v1": { video: adminVideo(own), notified: 0 },
    });
    const user = open("/admin/reports");
    const drawer = await edit(user, /Color War/);
    expect(drawer.getByText("Ready in 1080p, 4 MB")).toBeTruthy();
    expect(drawer.queryByLabelText("Video URL")).toBeNull();
    expect(drawer.getByRole("button", { name: "Replace the file" })).toBeTruthy();
    await user.upload(fileInput(screen.getByRole("dialog")), film("better.mp4"));
    await sending();
    expect(await drawer.findByText("better.mp4", { selector: "bdi" })).toBeTruthy();
    await user.click(drawer.getByRole("button", { name: "Update Video" }));
    await waitFor(() =>
      expect(server.asked("PATCH", "/api/admin/videos/v1")[0]?.body).toEqual({ version: 3, upload_id: "u1" }),
    );
  });

  it("of an earlier summer is added from a file", async () => {
    const server = camp({
      "GET /api/admin/videos/years": list(),
      "POST /api/admin/gallery": { video: adminVideo({ id: "g9", upload: upload() }), notified: 0 },
    });
    const user = open("/admin/gallery");
    await screen.findByRole("button", { name: "Add Gallery Video" });
    drop(film());
    const dialog = within(await screen.findByRole("dialog", { name: "Add Gallery Video" }));
    expect(await dialog.findByText("Color War.mp4", { selector: "bdi" })).toBeTruthy();
    await user.type(dialog.getByLabelText("Video Title"), "Siyum");
    await user.click(dialog.getByRole("button", { name: "Publish when it is ready" }));
    await waitFor(() => expect(server.asked("POST", "/api/admin/gallery")[0]?.body).toMatchObject({ upload_id: "u1" }));
    expect(server.asked("POST", "/api/admin/gallery")[0]?.body).not.toHaveProperty("video_url");
  });
});
