/** What had the focus is gone with its row: the page takes it over. */
export const keepFocus = () =>
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  }, 100);
