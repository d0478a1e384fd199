import { expect, it } from "vitest";
import { deleteUnsent } from "./delete-unsent";

it("deletes what this browser keeps of a person, whichever page is open, and nothing when staff sign out", () => {
  localStorage.setItem("positions", '{"v1":250}');
  localStorage.setItem("waitingNotices", "[]");
  localStorage.setItem("theme", "dark");
  deleteUnsent((key) => key.startsWith("staff "));
  expect(localStorage.getItem("positions")).toBe('{"v1":250}');
  deleteUnsent();
  expect(localStorage.getItem("positions")).toBeNull();
  expect(localStorage.getItem("waitingNotices")).toBeNull();
  expect(localStorage.getItem("theme")).toBe("dark");
});
