import { act, render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { QueryClientProvider } from "@tanstack/react-query";
import { vi } from "vitest";
import type { Comment, LiveUpdate, Profile, SessionUser, Site, Video, VideoCard } from "../api/client";
import { makeQueryClient } from "../api/queries";
import { Sitemap } from "../app/routes";
import { Toaster } from "../ui/toaster";
import { navigate, Navigation, usePathname, useSearch } from "../lib/navigation";

export const site: Site = {
  site_name: "Camp Pine Lake",
  site_description: "A friendly hub for daily updates and progress reports.",
  contact_email: "office@camp.example",
  contact_phone: "(845) 555-0142",
  timezone: "America/New_York",
  utc_offsets: [
    { from: "2026-01-01T05:00:00Z", until: "2026-03-08T07:00:00Z", minutes: -300, name: "EST" },
    { from: "2026-03-08T07:00:00Z", until: "2026-11-01T06:00:00Z", minutes: -240, name: "EDT" },
    { from: "2026-11-01T06:00:00Z", until: "2027-01-01T05:00:00Z", minutes: -300, name: "EST" },
  ],
  access: "everyone",
  registrations_open: true,
  require_email_verification: true,
  password_min_length: 8,
  push_enabled: true,
  current_year: 2026,
  today: "2026-07-29",
  posting_time_text: "Next update: Midnight",
  next_video_at: null,
  pictures: { logo: null, hero: [] },
  style_sheet: null,
};

export const chaya: SessionUser = {
  id: "u1",
  email: "chaya@family.example",
  email_verified: true,
  full_name: "Chaya Lindenfeld",
  display_name: "Chaya Lindenfeld",
  user_type: "parent",
  can_comment: true,
  family: true,
  awaiting_approval: false,
  welcome_popup_shown: true,
};

export const card = (change: Partial<VideoCard> = {}): VideoCard => ({
  id: "v1",
  title: "Color War breaks out",
  description: "The sirens went at supper.",
  video_type: "upload",
  thumbnail_url: null,
  upload_date: "2026-07-29",
  year: 2026,
  is_featured: false,
  published_at: "2026-07-30T00:41:00Z",
  view_count: 128,
  like_count: 45,
  comment_count: 1,
  duration_seconds: 372,
  latest: false,
  archive: false,
  is_new: false,
  restricted: false,
  ...change,
});

export const video = (change: Partial<Video> = {}): Video => ({
  ...card(),
  video_url: "/media/videos/v1",
  content_type: "video/mp4",
  hls_url: null,
  previews_url: null,
  captions: [],
  chapters: [],
  download_url: null,
  resume_seconds: null,
  liked: false,
  previous: null,
  next: null,
  ...change,
});

export const comment = (change: Partial<Comment> = {}): Comment => ({
  id: "c1",
  author_name: "Rivky Brachfeld",
  content: "We could hear them in the song.",
  created_at: new Date(Date.now() - 12 * 60_000).toISOString(),
  mine: false,
  held: false,
  ...change,
});

export const update = (change: Partial<LiveUpdate> = {}): LiveUpdate => ({
  id: "n1",
  title: "Package room closes at 5",
  message: "Anything later is handed out on Friday.",
  author: "Mail room",
  priority: "medium",
  created_at: new Date(Date.now() - 59 * 60_000).toISOString(),
  pinned_until: null,
  ...change,
});

export const family = (change: Partial<Profile> = {}): Profile => ({
  full_name: "Chaya Lindenfeld",
  child_name: "Yanky and Shloimy",
  email: "chaya@family.example",
  secondary_email: null,
  secondary_email_verified: false,
  user_type: "parent",
  daily_video_email: true,
  camp_updates_email: false,
  email_notifications: true,
  late_video_note: null,
  daily_digest: false,
  digest_hour: 21,
  welcome_popup_shown: true,
  suppressed: false,
  address_in_family: true,
  other_addresses: [],
  switched_off: [],
  ...change,
});

export const list = <Item,>(...items: Item[]) => ({ items, next: null as string | null });

type Call = { method: string; path: string; query: Record<string, string>; headers: Headers; body: any };
type Answer = unknown | ((call: Call) => unknown);

class Refusal {
  constructor(
    readonly problem: {
      status: number;
      code: string;
      detail: string;
      errors?: { field: string; message: string }[];
      retry_after?: number;
    },
  ) {}
}

export const refuse = (
  status: number,
  code: string,
  detail = "No.",
  errors?: { field: string; message: string }[],
  retry_after?: number,
) => new Refusal({ status, code, detail, ...(errors ? { errors } : {}), ...(retry_after ? { retry_after } : {}) });

export const unreachable = Symbol("the network is down");
export const never = Symbol("no answer yet");
/** Fails with an error that nobody has words for. */
export const strangely = () => {
  throw new DOMException("gone", "AbortError");
};

/** A fake server with a few responses by "METHOD /path". Later ones replace earlier ones. */
export function server(answers: Record<string, Answer>) {
  const known: Record<string, Answer> = {
    "GET /api/site": site,
    "GET /api/session": { user: null },
    "GET /api/videos": list(),
    "GET /api/videos/years": list(),
    "GET /api/live-updates": list(),
    "GET /api/profile": family(),
    ...answers,
  };
  const calls: Call[] = [];

  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const text = await request.text();
    const call = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body:
        text && /^(text|image)\//.test(request.headers.get("content-type") ?? "")
          ? text
          : text
            ? JSON.parse(text)
            : undefined,
    };
    calls.push(call);
    let answer = known[`${call.method} ${call.path}`];
    if (typeof answer === "function") answer = await answer(call);
    if (answer === never) return new Promise(() => undefined);
    if (answer === unreachable) throw new TypeError("Failed to fetch");
    if (answer === undefined && !(`${call.method} ${call.path}` in known))
      answer = refuse(404, "not_found", "Not found");
    if (answer instanceof Response) return answer;
    if (answer instanceof Refusal) {
      const body = { type: "about:blank", title: "No", request_id: "r1", ...answer.problem };
      return new Response(JSON.stringify(body), {
        status: answer.problem.status,
        headers: { "content-type": "application/problem+json" },
      });
    }
    if (answer === null || answer === undefined) return new Response(null, { status: 204 });
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  });

  return {
    calls,
    asked: (method: string, path: string) => calls.filter((call) => call.method === method && call.path === path),
    answer: (line: string, answer: Answer) => {
      known[line] = answer;
    },
  };
}

/** Opens a URL of the portal, as a browser would. */
export function open(address: string) {
  const client = makeQueryClient();
  history.pushState(null, "", address);
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retryDelay: 1 } });
  render(
    <QueryClientProvider client={client}>
      <Navigation>
        <Sitemap />
        <Address />
        <Toaster onFollow={navigate} />
      </Navigation>
    </QueryClientProvider>,
  );
  return userEvent.setup({ advanceTimers: (ms) => (vi.isFakeTimers() ? vi.advanceTimersByTime(ms) : undefined) });
}

function Address() {
  const pathname = usePathname();
  const search = useSearch();
  return <output data-testid="address">{pathname + search}</output>;
}

/** Presses the browser's Back button. */
export const back = () => act(() => history.back());
