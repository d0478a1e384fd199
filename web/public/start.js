// Runs before the first paint, so that a chosen theme never flashes. Nothing chosen: the device decides.
try {
  var theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; the device's theme is then right.
}

// A button that is pressed before the scripts are there is pressed again once they are, unless something else was.
var pressed;
function note(event) {
  pressed = event.target.closest?.("#root button");
}
function words(button) {
  return button.getAttribute("aria-label") || button.textContent;
}
addEventListener("click", note, true);
window.started = function () {
  removeEventListener("click", note, true);
  if (!pressed) return;
  // The page may have another button in its place.
  for (var button of pressed.isConnected ? [pressed] : document.querySelectorAll("#root button")) {
    if (words(button) === words(pressed)) return button.click();
  }
};

// The scripts are requested after the first paint, with which they would compete for a slow connection.
addEventListener("DOMContentLoaded", function () {
  var scripts = document.getElementById("scripts");
  function load() {
    document.head.append(scripts.content);
  }
  if (!scripts) return;
  // Nothing is painted in the background.
  if (document.hidden) return load();
  try {
    new PerformanceObserver(load).observe({ type: "paint", buffered: true });
  } catch {
    // In a browser that does not report paints, the time below decides.
  }
  setTimeout(load, 500);
});
