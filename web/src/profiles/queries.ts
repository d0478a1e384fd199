import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, send, type Profile, type ProfilePatch } from "../api/client";

export const profileQuery = queryOptions({
  queryKey: ["profile"],
  queryFn: ({ signal }) => send(api.GET("/api/profile", { signal })),
});

export const saveProfile = (body: ProfilePatch) => send(api.PATCH("/api/profile", { body }));

export const askSecondEmailAgain = () => send(api.POST("/api/profile/second-email/resend"));

export const favoritesQuery = infiniteQueryOptions({
  queryKey: ["favorites"],
  queryFn: ({ pageParam, signal }) =>
    send(
      api.GET("/api/profile/favorites", {
        params: { query: { limit: 24, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next,
  select: ({ pages }) => pages.flatMap((page) => page.items),
});

export type Preferences = Pick<Profile, "daily_video_email" | "camp_updates_email" | "email_notifications">;

export const categories = [
  { key: "daily_video_email", kind: "daily_videos", label: "Daily videos", hint: "When a new video is published" },
  {
    key: "camp_updates_email",
    kind: "camp_updates",
    label: "Camp updates",
    hint: "Short announcements through the day",
  },
  {
    key: "email_notifications",
    kind: "general",
    label: "Newsletters from camp",
    hint: "From the office, now and then",
  },
] as const satisfies {
  key: keyof Preferences;
  kind: Profile["switched_off"][number];
  label: string;
  hint: string;
}[];

/** Whether the camp currently sends this kind of email to nobody. */
export const isPaused = ({ switched_off }: Profile, { kind }: (typeof categories)[number]) =>
  switched_off.includes(kind);
