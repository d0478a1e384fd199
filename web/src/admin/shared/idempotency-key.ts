import { useState } from "react";

/** A new key. `crypto.randomUUID` is missing on pages without https. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * The key of a request, derived from its content. A retry with the same content has the same key, so that it creates no
 * second record if only the first response was lost. Other content gets a new key.
 */
export function useIdempotencyKey() {
  const [keys] = useState(() => new Map<string, string>());
  return (content: object) => {
    const text = JSON.stringify(content);
    const key = keys.get(text) ?? newIdempotencyKey();
    keys.set(text, key);
    return key;
  };
}
