import { describe, expect, it } from "vitest";

import { paths } from "./paths";
import { safeNext } from "./safe-next";

describe("safeNext", () => {
  it("keeps paths of the portal", () => {
    for (const next of ["/profile", "/?q=lake#top", "/videos/1?from=/x"]) expect(safeNext(next)).toBe(next);
  });

  it("leads home instead of to another site", () => {
    const foreign = ["https://evil.example", "//evil.example", "\\\\evil.example", "javascript:alert(1)"];
    const hidden = [
      "/.//evil.example",
      "/.\\\\evil.example",
      "/x/..//evil.example",
      "/..//evil.example",
      ".//\\evil.example",
    ];
    for (const next of [null, "", "/auth", ...foreign, ...hidden]) expect(safeNext(next)).toBe(paths.home);
  });
});
