import { screen, within } from "@testing-library/react";
import { list, open, server } from "./portal";
import { adminVideo, draftVideo, onDuty, scheduledVideo } from "./staff";

export const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/videos": list(scheduledVideo(), draftVideo(), adminVideo()),
    "GET /api/admin/videos/v1/deliveries": { queued: 0, collected: 0, sent: 209, failed: 3, suppressed: 1 },
    "POST /api/admin/videos/check-link": {
      video_type: "youtube",
      video_url: "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
      thumbnail_url: "https://i.ytimg.com/vi/dQw4w9WgXcQ/maxresdefault.jpg",
    },
    ...answers,
  });

export const row = async (name: RegExp) =>
  within((await screen.findByRole("heading", { name, level: 3 })).closest("li")!);
export const address = () => screen.getByTestId("address").textContent;
export const edit = async (user: ReturnType<typeof open>, name: RegExp) => {
  await user.click((await row(name)).getByRole("button", { name: /^Edit/ }));
  return within(await screen.findByRole("dialog", { name: "Edit video" }));
};
