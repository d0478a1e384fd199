// Runs before the first paint, so that a chosen theme never flashes. Nothing chosen: the device decides.
try {
  var theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; the device's theme is then right.
}
