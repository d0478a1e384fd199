import type { components, paths } from "./schema.gen";

/**
 * Routes that the server's document does not name yet, in its own form. What the document comes to name goes from here.
 */
type Problem = { content: { "application/problem+json": components["schemas"]["Problem"] } };
type Part = { cursor?: string; limit?: number };
type Get<Answer, Parameters = { query?: never; header?: never; path?: never; cookie?: never }> = {
  get: { parameters: Parameters; responses: { 200: { content: { "application/json": Answer } }; 401: Problem; 403: Problem; 404: Problem } };
};
type Page<Item> = { items: Item[]; next?: string | null };

export type LiveUpdate = {
  id: string;
  title: string;
  message: string;
  author: string;
  priority: "low" | "medium" | "high";
  created_at: string;
  pinned: boolean;
};

export type PaymentPlan = {
  total_amount: number;
  paid_amount: number;
  remaining_amount: number;
  credit: number;
  is_fully_paid: boolean;
  due_date?: string | null;
  percent: number;
  badge: "paid_in_full" | "payment_due" | "overdue" | "no_plan";
  version: number;
};

export type Payment = {
  id: string;
  kind: "payment" | "adjustment" | "refund" | "void";
  amount: number;
  payment_date: string;
  notes?: string | null;
  created_at: string;
  voided: boolean;
  void_of?: string | null;
  recorded_by?: string | null;
};

export type AllPaths = paths & {
  "/api/live-updates": Get<Page<LiveUpdate>, { query?: Part }>;
  "/api/live-updates/{id}": Get<LiveUpdate & { withdrawn: boolean }, { path: { id: string } }>;
  "/api/profile/payments": Get<{ plan?: PaymentPlan | null; items: Payment[]; currency: string }>;
};
