import { screen, within } from "@testing-library/react";
import { vi } from "vitest";
import { detail, family, leah, summary } from "./families";
import { list, server } from "./portal";
import { onDuty } from "./staff";
// Loads the lazy page here, so that this takes no time from a test.
import "../app/admin";
import "../admin/users/users";

// These tests are long, and the machine may be busy.
vi.setConfig({ testTimeout: 20_000 });

export const office = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/users": list(family(), leah),
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/users/f1": detail(),
    "GET /api/admin/users/f2": { ...leah, payments: [], emails: [] },
    ...answers,
  });
export const row = async (name: string) =>
  within((await screen.findByText(name, { selector: "td bdi" })).closest("tr")!);
export const address = () => screen.getByTestId("address").textContent;
export const patched = { ...detail(), version: 5 };
