/** Every address of the portal. All links use it. */
export const paths = {
  home: "/",
  currentVideos: "/current-videos",
  pastVideos: "/past-videos",
  video: (id: string) => `/video/${encodeURIComponent(id)}`,
  /** Opens the video and starts it, where it is a file of the camp and the browser allows it. */
  play: (id: string) => `/video/${encodeURIComponent(id)}?play=1`,
  /** Plays the video from there. */
  videoAt: (id: string, seconds: number) => `/video/${encodeURIComponent(id)}?t=${seconds}`,
  about: "/about",
  faq: "/faq",
  contact: "/contact",
  /** The contact form, its subject already about this product. */
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
