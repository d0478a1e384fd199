// Leads whoever clicks a notification to what it tells of. It keeps nothing and answers no requests; the browser only
// has it while somebody has switched notifications on.
self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { href } = new URL(event.notification.data.path, self.location.origin);
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((pages) => {
      const there = pages.find(({ url }) => url.split(/[?#]/)[0] === href);
      // A page where something else stands may hold half a comment, so it stays as it is.
      return there ? there.focus() : self.clients.openWindow(href);
    }),
  );
});
