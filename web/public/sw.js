// Opens the page that a clicked notification is about. It caches nothing and answers no requests. The browser has it
// only while somebody has notifications turned on.
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { href } = new URL(event.notification.data.path, self.location.origin);
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((pages) => {
      const there = pages.find(({ url }) => url.split(/[?#]/)[0] === href);
      // Other pages stay as they are, because they may hold a half-written comment.
      return there ? there.focus() : self.clients.openWindow(href);
    }),
  );
});
