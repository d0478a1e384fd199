import { afterEach } from "vitest";
import { cleanup } from "@testing-library/react";
import { dismissToasts } from "../ui/toast";

afterEach(() => {
  cleanup();
  dismissToasts();
  document.head.querySelectorAll("meta").forEach((tag) => tag.remove());
});
