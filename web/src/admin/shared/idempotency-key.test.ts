import { renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { useIdempotencyKey } from "./idempotency-key";

describe("the key of what a form sends", () => {
  it("stays for the same content, also when other content was tried in between", () => {
    const {
      result: { current: keyOf },
    } = renderHook(() => useIdempotencyKey());
    const first = keyOf({ title: "Campfire", is_featured: false });
    const other = keyOf({ title: "Campfire!", is_featured: false });
    expect(other).not.toBe(first);
    expect(keyOf({ title: "Campfire", is_featured: false })).toBe(first);
  });

  it("is different in the next form, whatever it contains", () => {
    const { result: one } = renderHook(() => useIdempotencyKey());
    const { result: next } = renderHook(() => useIdempotencyKey());
    expect(next.current({ title: "Campfire" })).not.toBe(one.current({ title: "Campfire" }));
  });
});
