import { afterEach, beforeEach, vi } from "vitest";
import { cleanup, configure } from "@testing-library/react";
import { dismissToasts } from "../ui/toast";

configure({ asyncUtilTimeout: 30_000 });

beforeEach(() => {
  vi.spyOn(window, "scrollTo").mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  dismissToasts();
  sessionStorage.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.head.querySelectorAll("meta").forEach((tag) => tag.remove());
});
