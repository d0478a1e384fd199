// Opens a parent's profile page for tests.
import { screen, within } from "@testing-library/react";
import type { FamilyPayment, PaymentPlan } from "../api/client";
import { chaya, family, list, open, server } from "./portal";

export const plan: PaymentPlan = {
  total_amount: 532_000,
  paid_amount: 319_200,
  remaining_amount: 212_800,
  credit: 0,
  is_fully_paid: false,
  due_date: "2026-08-14",
  percent: 60,
  badge: "payment_due",
  version: 1,
};
export const payment = (change: Partial<FamilyPayment> = {}): FamilyPayment => ({
  id: "p1",
  kind: "payment",
  amount: 120_000,
  payment_date: "2026-07-06",
  notes: "Check",
  created_at: "2026-07-06T12:00:00Z",
  voided: false,
  void_of: null,
  ...change,
});
const devices = list(
  {
    id: "s1",
    device: "phone",
    current: true,
    created_at: "2026-07-01T12:00:00Z",
    last_seen_at: "2026-07-29T12:00:00Z",
  },
  {
    id: "s2",
    device: "computer",
    current: false,
    created_at: "2026-06-01T12:00:00Z",
    last_seen_at: "2026-07-20T12:00:00Z",
  },
);

export function profile(answers: Record<string, unknown> = {}) {
  const camp = server({
    "GET /api/session": { user: chaya },
    "GET /api/profile": family(),
    "GET /api/profile/payments": { plan, items: [payment()], currency: "USD", payment_instructions: "" },
    "GET /api/profile/favorites": list(),
    "GET /api/auth/sessions": devices,
    ...answers,
  });
  return { camp, user: open("/profile") };
}

export const section = async (name: string) => within(await screen.findByRole("region", { name }));
export const field = async (name: RegExp | string) => (await screen.findByLabelText(name)) as HTMLInputElement;
