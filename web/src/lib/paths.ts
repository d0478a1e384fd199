/** Every URL of the portal. All links use these. */
export const paths = {
  home: "/",
  currentVideos: "/current-videos",
  pastVideos: "/past-videos",
  video: (id: string) => `/video/${encodeURIComponent(id)}`,
  /** Opens the video and starts it, if it is the camp's own file and the browser allows it. */
  play: (id: string) => `/video/${encodeURIComponent(id)}?play=1`,
  /** Plays the video from this time. */
  videoAt: (id: string, seconds: number) => `/video/${encodeURIComponent(id)}?t=${seconds}`,
  about: "/about",
  faq: "/faq",
  contact: "/contact",
  /** The contact form, with this product as its subject. */
  order: (product: string) => `/contact?product=${encodeURIComponent(product)}`,
  contactAbout: (subject: string) => `/contact?subject=${encodeURIComponent(subject)}`,
  store: "/store",
  privacy: "/privacy",
  terms: "/terms",
  auth: (back?: string) => (back && back !== "/" ? `/auth?next=${encodeURIComponent(back)}` : "/auth"),
  signUp: (back?: string) => `/auth?mode=create${back ? `&next=${encodeURIComponent(back)}` : ""}`,
  verify: "/auth/verify",
  forgot: "/auth/forgot",
  reset: "/auth/reset",
  unsubscribe: "/unsubscribe",
  updates: "/updates",
  update: (id: string) => `/updates/${encodeURIComponent(id)}`,
  profile: "/profile",
  staffSignIn: "/admin/login",
} as const;
