// Runs before the first paint, so that the page never flashes in the wrong theme. If no theme was chosen, the device
// decides.
try {
  var theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be disabled. Then the device's theme applies.
}

// Remembers the last button that was clicked before the scripts loaded, and clicks it again once they have, unless
// something else was clicked in between.
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
  // The page may have replaced the button with another one.
  for (var button of pressed.isConnected ? [pressed] : document.querySelectorAll("#root button")) {
    if (words(button) === words(pressed)) return button.click();
  }
};

// The scripts are requested only after the first paint. Otherwise they would compete with it on a slow connection.
addEventListener("DOMContentLoaded", function () {
  var scripts = document.getElementById("scripts");
  function load() {
    document.head.append(scripts.content);
  }
  if (!scripts) return;
  // A page in the background is never painted.
  if (document.hidden) return load();
  try {
    new PerformanceObserver(load).observe({ type: "paint", buffered: true });
  } catch {
    // In a browser that does not report paints, the timeout below starts the scripts.
  }
  setTimeout(load, 500);
});
