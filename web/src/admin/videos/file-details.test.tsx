import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open, refuse } from "../../test/portal";
import { desk, edit } from "../../test/reports-page";
import { adminVideo } from "../../test/staff";
import { list } from "../../test/portal";
import { upload } from "../../test/uploads";

const posters = [1, 2, 3].map((n) => `/media/videos/v1/u1/poster-${n}.jpg`);
const own = adminVideo({
  video_url: "/media/videos/v1",
  video_type: "upload",
  duration_seconds: 372,
  posters,
  poster: 0,
  upload: upload({ video_id: "v1", state: "ready" }),
});
const answer = { video: own, notified: 0 };

async function opened(answers: Record<string, unknown> = {}, video = own) {
  const camp = desk({ "GET /api/admin/videos": list(video), "PATCH /api/admin/videos/v1": answer, ...answers });
  const user = open("/admin/reports");
  const panel = await edit(user, /Color War/);
  await user.click(panel.getByText("Picture, chapters, captions and more"));
  return { camp, user, panel };
}

describe("the details of a file of the camp", () => {
  it("are chosen in the panel and saved with it", async () => {
    const { camp, user, panel } = await opened();
    expect(panel.getByText("One of them was chosen for you.")).toBeTruthy();
    await user.click(panel.getByRole("radio", { name: "Picture 2 of 3" }));
    await user.type(panel.getByLabelText(/^Chapters/), "0:42 Bunk 7");
    await user.click(panel.getByRole("checkbox", { name: "Families may download it" }));
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await screen.findByText("Video updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/videos/v1")[0]?.body).toEqual({
      version: 3,
      chapters: "0:42 Bunk 7",
      is_downloadable: true,
      poster: 2,
    });
  });

  it("show beside the chapters what is wrong with a line", async () => {
    const message = "Line 1: please begin with a time, such as 0:42 Bunk 7.";
    const problem = refuse(422, "validation", "Please check the form.", [{ field: "chapters", message }]);
    const { user, panel } = await opened({ "PATCH /api/admin/videos/v1": problem });
    await user.type(panel.getByLabelText(/^Chapters/), "Bunk 7");
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await panel.findByText(message)).toBeTruthy();
    // The section stays open while the line is corrected, even after it was collapsed once.
    const details = panel.getByText("Picture, chapters, captions and more").closest("details")!;
    await user.click(panel.getByText("Picture, chapters, captions and more"));
    expect(details.open).toBe(false);
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    await waitFor(() => expect(details.open).toBe(true));
    await user.type(panel.getByLabelText(/^Chapters/), "s");
    expect(panel.queryByText(message)).toBeNull();
    expect(details.open).toBe(true);
  });

  it("appear in an open panel once the file is ready, and nothing that was typed is lost", async () => {
    const converting = upload({ video_id: "v1", state: "converting", progress: 97 });
    const unready = adminVideo({ ...own, posters: [], poster: null, upload: converting });
    const { camp, user, panel } = await opened({ "GET /api/admin/uploads": list(converting) }, unready);
    expect(panel.queryByRole("radio", { name: "Picture 2 of 3" })).toBeNull();
    await user.type(panel.getByLabelText(/^Chapters/), "0:42 Bunk 7");
    camp.answer("GET /api/admin/uploads", list());
    camp.answer("GET /api/admin/videos/v1", { ...own, version: 4 });
    await waitFor(() => expect(panel.getByRole("radio", { name: "Picture 2 of 3" })).toBeTruthy(), { timeout: 10_000 });
    await user.click(panel.getByRole("button", { name: "Update Video" }));
    expect(await screen.findByText("Video updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/videos/v1")[0]?.body).toEqual({ version: 4, chapters: "0:42 Bunk 7" });
  });

  it("ask nothing about a picture of one's own, which is saved already", async () => {
    const { user, panel } = await opened({
      "PUT /api/admin/videos/v1/picture": {
        ...own,
        thumbnail_url: "/media/thumbnails/v1?picture=p1",
        has_own_picture: true,
        poster: null,
      },
    });
    const input = screen.getByRole("dialog").querySelector<HTMLInputElement>('input[accept^="image/"]')!;
    await user.upload(input, new File(["picture"], "lake.jpg", { type: "image/jpeg" }));
    await panel.findByRole("img", { name: "Chosen by the camp" });
    await user.click(panel.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("accept the camp's own picture, which is saved at once and can be removed", async () => {
    const thumbnail_url = "/media/thumbnails/v1?picture=p1";
    const { camp, user, panel } = await opened({
      "PUT /api/admin/videos/v1/picture": { ...own, thumbnail_url, has_own_picture: true, poster: null },
      "DELETE /api/admin/videos/v1/picture": { ...own, poster: 0 },
    });
    const input = screen.getByRole("dialog").querySelector<HTMLInputElement>('input[accept^="image/"]')!;
    await user.upload(input, new File(["picture"], "lake.jpg", { type: "image/jpeg" }));
    expect((await panel.findByRole<HTMLImageElement>("img", { name: "Chosen by the camp" })).src).toContain(
      thumbnail_url,
    );
    expect(camp.asked("PUT", "/api/admin/videos/v1/picture")).toHaveLength(1);
    await user.click(panel.getByRole("button", { name: "Remove it" }));
    await waitFor(() => expect(panel.queryByRole("img", { name: "Chosen by the camp" })).toBeNull());
    expect(panel.getByText("One of them was chosen for you.")).toBeTruthy();
  });

  it("say what is wrong with a picture", async () => {
    const message = "This is not a valid image file.";
    const { user, panel } = await opened({
      "PUT /api/admin/videos/v1/picture": refuse(422, "validation", "Please check.", [{ field: "file", message }]),
    });
    const input = screen.getByRole("dialog").querySelector<HTMLInputElement>('input[accept^="image/"]')!;
    await user.upload(input, new File(["text"], "lake.jpg", { type: "image/jpeg" }));
    expect(await panel.findByText(message)).toBeTruthy();
  });

  it("are not offered for a link", async () => {
    desk();
    const user = open("/admin/reports");
    const panel = await edit(user, /Color War/);
    expect(panel.queryByText("Picture, chapters, captions and more")).toBeNull();
  });
});

describe("captions", () => {
  it("of two languages are sent at the same time", async () => {
    const answers = new Map<string, (saved: unknown) => void>();
    const slowly = (language: string) => () => new Promise((done) => answers.set(language, done));
    await opened({
      "PUT /api/admin/videos/v1/captions/en": slowly("en"),
      "PUT /api/admin/videos/v1/captions/yi": slowly("yi"),
    });
    const group = within(screen.getByRole("group", { name: /^Captions/ }));
    const [english, , yiddish] = group.getAllByRole("listitem").map((row) => row.querySelector("input")!);
    const file = new File(["WEBVTT"], "captions.vtt", { type: "text/vtt" });
    fireEvent.change(english!, { target: { files: [file] } });
    fireEvent.change(yiddish!, { target: { files: [file] } });
    await waitFor(() => expect(answers.size).toBe(2));
    const saved = (language: string, cues: number) => ({ language, cues, updated_at: "2026-07-29T12:00:00Z" });
    answers.get("en")!(saved("en", 11));
    expect(await group.findByText("11 captions")).toBeTruthy();
    answers.get("yi")!(saved("yi", 22));
    expect(await group.findByText("22 captions")).toBeTruthy();
    expect(group.getByText("11 captions")).toBeTruthy();
  });

  it("are saved as soon as a file is chosen, and can be removed", async () => {
    const saved = { language: "yi", cues: 212, updated_at: "2026-07-30T00:41:00Z" };
    const { camp, user, panel } = await opened({
      "PUT /api/admin/videos/v1/captions/yi": saved,
      "DELETE /api/admin/videos/v1/captions/yi": null,
    });
    const group = within(panel.getByRole("group", { name: /^Captions/ }));
    expect(group.getAllByText("None")).toHaveLength(3);
    const row = group.getByText("Yiddish").closest("li")!;
    fireEvent.change(row.querySelector("input")!, {
      target: { files: [new File(["1\n00:00:01,000 --> 00:00:02,000\nx\n"], "lake.srt")] },
    });
    expect(await group.findByText("212 captions")).toBeTruthy();
    const call = camp.asked("PUT", "/api/admin/videos/v1/captions/yi")[0];
    expect(call?.headers.get("content-type")).toBe("text/vtt");
    expect(call?.body).toContain("00:00:01,000");
    await user.click(group.getByRole("button", { name: "Remove captions in Yiddish" }));
    const question = within(await screen.findByRole("dialog", { name: "Remove captions?" }));
    await user.click(question.getByRole("button", { name: "Remove captions" }));
    expect(await group.findAllByText("None")).toHaveLength(3);
    expect(camp.asked("DELETE", "/api/admin/videos/v1/captions/yi")).toHaveLength(1);
  });

  it("say what is wrong with a file", async () => {
    const message = "There are no captions in this file.";
    const { panel } = await opened({
      "PUT /api/admin/videos/v1/captions/en": refuse(422, "validation", "Please check the form.", [
        { field: "file", message },
      ]),
    });
    const group = within(panel.getByRole("group", { name: /^Captions/ }));
    const row = group.getByText("English").closest("li")!;
    fireEvent.change(row.querySelector("input")!, { target: { files: [new File(["x"], "letter.txt")] } });
    expect(await group.findByText(message)).toBeTruthy();
  });
});

describe("trimming", () => {
  it("asks first, and then cuts the video", async () => {
    const { camp, user, panel } = await opened({ "POST /api/admin/videos/v1/trim": own });
    const start = panel.getByLabelText("Start at");
    expect(panel.getByLabelText("End at")).toHaveProperty("value", "6:12");
    await user.click(panel.getByRole("button", { name: "Trim the video" }));
    expect(panel.getByText("Please enter a later start or an earlier end.")).toBeTruthy();
    await user.clear(start);
    await user.type(start, "0:12");
    await user.click(panel.getByRole("button", { name: "Trim the video" }));
    const question = within(await screen.findByRole("dialog", { name: "Trim this video?" }));
    expect(question.getByText(/before 0:12 and after 6:12 is deleted/)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/v1/trim")).toHaveLength(0);
    await user.click(question.getByRole("button", { name: "Trim the video" }));
    expect(await screen.findByText(/^The video is being trimmed/)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/v1/trim")[0]?.body).toEqual({ start_seconds: 12, end_seconds: 372 });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("waits until other changes are saved", async () => {
    const { camp, user, panel } = await opened({ "POST /api/admin/videos/v1/trim": own });
    await user.type(panel.getByLabelText(/^Chapters/), "0:00 Lineup");
    await user.clear(panel.getByLabelText("Start at"));
    await user.type(panel.getByLabelText("Start at"), "0:12");
    await user.click(panel.getByRole("button", { name: "Trim the video" }));
    expect(panel.getByText(/^Please save your other changes first/)).toBeTruthy();
    expect(screen.queryByRole("dialog", { name: "Trim this video?" })).toBeNull();
    expect(camp.asked("POST", "/api/admin/videos/v1/trim")).toHaveLength(0);
  });

  it("accepts only times", async () => {
    const { user, panel } = await opened();
    const end = panel.getByLabelText("End at");
    for (const [typed, said] of [
      ["soon", "Please enter times such as 0:42."],
      ["0:00", "The end must be after the start."],
    ] as const) {
      await user.clear(end);
      await user.type(end, typed);
      await user.click(panel.getByRole("button", { name: "Trim the video" }));
      expect(panel.getByText(said)).toBeTruthy();
    }
  });
});
