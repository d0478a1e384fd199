import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { adminVideo, onDuty } from "../../test/staff";

const link = "https://www.dropbox.com/scl/fi/a1/day-1.mp4?rlkey=k&dl=0";
const direct = "https://www.dropbox.com/scl/fi/a1/day-1.mp4?rlkey=k&raw=1";
const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/videos": list(adminVideo()),
    "POST /api/admin/videos/check-link": { video_type: "upload", video_url: direct, thumbnail_url: null },
    "POST /api/admin/videos": { video: adminVideo({ id: "v9" }), notified: 0 },
    ...answers,
  });

const player = () => screen.getByLabelText<HTMLVideoElement>("The video of this link", { selector: "video" });
const failed = "When you tried this link, the video did not start. Families could not watch it.";

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
});

async function paste(user: ReturnType<typeof open>, url = link) {
  await user.type(await screen.findByLabelText("Title"), "Day one");
  await user.type(screen.getByLabelText("Video URL"), url);
}

/** Fires the event that a browser fires once it can read a file. */
function load(width: number) {
  Object.defineProperty(player(), "videoWidth", { value: width, configurable: true });
  fireEvent.loadedMetadata(player());
}

it("staff preview a link in the families' player, and are told that it plays", async () => {
  const camp = desk();
  const user = open("/admin/reports?action=upload");
  await paste(user);
  await user.click(await screen.findByRole("button", { name: "Try it" }));
  expect(player().getAttribute("src")).toBe(direct);
  expect(screen.getByText("Loading the video...")).toBeTruthy();
  load(1280);
  expect(screen.getByText("The video started. This is the player families see.")).toBeTruthy();
  expect(screen.queryByText(failed)).toBeNull();
  expect(camp.calls.filter(({ path }) => path.endsWith("/views"))).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Close the player" }));
  expect(screen.getByRole("button", { name: "Try it" })).toBeTruthy();
});

it("a failed preview is shown beside the button, prevents nothing, and applies to that link only", async () => {
  const camp = desk();
  const user = open("/admin/reports?action=upload");
  await paste(user);
  await user.click(await screen.findByRole("button", { name: "Try it" }));
  fireEvent.error(player());
  expect(
    screen.getByText(
      /^The video did not start, so families could not watch it\. Please check that the link opens the file/,
    ),
  ).toBeTruthy();
  expect(screen.getByText(failed)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  load(0);
  expect(screen.getByText("When you tried this link, only the sound played.")).toBeTruthy();
  fireEvent.error(player());
  await user.type(screen.getByLabelText("Video URL"), "x");
  expect(screen.queryByText(failed)).toBeNull();
  await user.type(screen.getByLabelText("Video URL"), "{Backspace}");
  expect(screen.getByText(failed)).toBeTruthy();
  await user.click(
    within(screen.getByRole("region", { name: "New report" })).getByRole("button", { name: /^Publish/ }),
  );
  await waitFor(() => expect(camp.asked("POST", "/api/admin/videos")[0]?.body.video_url).toBe(link));
});

it("a video that does not start in time counts as failed", async () => {
  desk();
  const user = open("/admin/reports?action=upload");
  await paste(user);
  const button = await screen.findByRole("button", { name: "Try it" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  fireEvent.click(button);
  await act(() => vi.advanceTimersByTimeAsync(15_100));
  expect(screen.getByText(/^The video has not started after 15 seconds\./)).toBeTruthy();
  expect(screen.getByText(failed)).toBeTruthy();
});

it("an embed is shown with what to do when it does not play", async () => {
  desk({
    "POST /api/admin/videos/check-link": {
      video_type: "google_drive",
      video_url: "https://drive.google.com/file/d/1/preview",
      thumbnail_url: null,
    },
  });
  const user = open("/admin/reports?action=upload");
  await paste(user, "https://drive.google.com/open?id=1");
  await user.click(await screen.findByRole("button", { name: "Try it" }));
  expect(screen.getByTitle("The video of this link").getAttribute("src")).toBe(
    "https://drive.google.com/file/d/1/preview",
  );
  expect(screen.getByText(/set it to “Anyone with the link”/)).toBeTruthy();
});

it("the edit drawer and the gallery dialog offer it too, also for what is saved", async () => {
  desk({ "GET /api/admin/videos": list(adminVideo({ video_type: "upload", video_url: "/media/videos/v1" })) });
  const user = open("/admin/reports");
  await user.click(await screen.findByRole("button", { name: /^Edit/ }));
  const drawer = within(await screen.findByRole("dialog", { name: "Edit video" }));
  await user.click(drawer.getByRole("button", { name: "Try it" }));
  expect(player().getAttribute("src")).toBe("/media/videos/v1");
  fireEvent.error(player());
  expect(drawer.getByText(failed)).toBeTruthy();
});

it("a link that opens a page is refused in the server's words, and there is nothing to try", async () => {
  const sentence =
    "Please enter a valid URL. OneDrive links open a page, not the video itself. Please put the video on YouTube.";
  desk({
    "POST /api/admin/videos/check-link": refuse(422, "validation", sentence, [
      { field: "video_url", message: sentence },
    ]),
  });
  const user = open("/admin/reports?action=upload");
  await paste(user, "https://1drv.ms/v/s!x");
  await user.tab();
  expect(await screen.findByText(sentence)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Try it" })).toBeNull();
});
