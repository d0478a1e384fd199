import type { Dashboard } from "../admin/shared/dashboard-query";
import type { AdminVideo, Staff } from "../api/client";

export const kornbluh: Staff = {
  id: "s1",
  username: "kornbluh",
  email: "kornbluh@camp.example",
  role: "owner",
  two_factor: false,
  two_factor_required: false,
};

export const counts = {
  all: 34,
  published: 29,
  scheduled: 2,
  draft: 3,
  current: 34,
  archive: 340,
  failed_mails: 1,
  reported_comments: 2,
  held_comments: 0,
  recipients: 212,
};

export const adminVideo = (change: Partial<AdminVideo> = {}): AdminVideo => ({
  id: "v1",
  title: "Color War breaks out · קאלער וואר",
  description: "The sirens went at supper.",
  video_url: "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7m/preview",
  page_url: "/video/v1",
  video_type: "google_drive",
  thumbnail_url: null,
  upload_date: "2026-07-29",
  year: 2026,
  status: "published",
  scheduled_date: null,
  published_at: "2026-07-30T00:41:00Z",
  is_featured: false,
  duration_seconds: null,
  chapters: null,
  is_downloadable: false,
  captions: [],
  posters: [],
  poster: null,
  view_count: 128,
  like_count: 45,
  comment_count: 1,
  reported_comments: 0,
  held_comments: 0,
  failed_mails: 0,
  archive: false,
  announced: true,
  version: 3,
  created_at: "2026-07-30T00:41:00Z",
  updated_at: "2026-07-30T00:41:00Z",
  uploaded_by: "kornbluh",
  recipients: null,
  upload: null,
  publishes_when_ready: false,
  has_own_picture: false,
  has_no_file: false,
  ...change,
});

export const draftVideo = (change: Partial<AdminVideo> = {}) =>
  adminVideo({
    id: "v2",
    title: "Melave Malka",
    description: null,
    status: "draft",
    published_at: null,
    announced: false,
    recipients: 212,
    view_count: 0,
    ...change,
  });

export const scheduledVideo = (change: Partial<AdminVideo> = {}) =>
  draftVideo({
    id: "v3",
    title: "Grand Siyum",
    status: "scheduled",
    upload_date: "2030-07-30",
    scheduled_date: "2030-07-31T00:30:00Z",
    ...change,
  });

export const dashboard: Dashboard = {
  tiles: {
    reports: 34,
    drafts: 3,
    gallery: 340,
    comments_to_review: 2,
    users: 132,
    accounts: 5,
    live_updates: 12,
    messages_unread: 5,
    faq: 10,
    store: 24,
    views: 812,
  },
  attention: {
    unread_messages: 5,
    failed_mails: 3,
    failed_video_mails: 2,
    suppressed_addresses: 1,
    reported_comments: 2,
    held_comments: 0,
    to_approve: 1,
    overdue_plans: 19,
    failed_jobs: 0,
    next_video: { id: "v3", title: "Grand Siyum", scheduled_date: "2030-07-31T00:30:00Z" },
    late_video: null,
  },
};

const now = "2026-07-18T02:00:00Z";
/** A camp without quiet time. */
const noQuietTime = { mode: "none", window: null, publishes_at: now, mail_at: now };
const shabbos = { starts_at: "2026-07-18T00:07:00Z", ends_at: "2030-07-21T01:15:00Z", name: "Shabbos" };
/** Quiet time: emails wait until Saturday night, but a scheduled video does not. */
export const onShabbos = { mode: "quiet", window: shabbos, publishes_at: now, mail_at: shabbos.ends_at };

/** What the staff area requests on every page. */
export const onDuty = {
  "GET /api/admin/quiet-time": noQuietTime,
  "GET /api/admin/session": { staff: kornbluh },
  "GET /api/admin/videos/counts": counts,
  "GET /api/admin/dashboard": dashboard,
};
