import type { Family, FamilyDetail, Payment, Plan, Summary } from "../admin/users/queries";

export const plan = (change: Partial<Plan> = {}): Plan => ({
  total_amount: 280_000,
  paid_amount: 168_000,
  remaining_amount: 112_000,
  credit: 0,
  is_fully_paid: false,
  due_date: "2026-08-31",
  percent: 60,
  badge: "payment_due",
  version: 1,
  ...change,
});

export const family = (change: Partial<Family> = {}): Family => ({
  id: "f1",
  full_name: "Chaya Lindenfeld",
  child_name: "Yanky and Shloimy",
  email: "chaya@family.example",
  secondary_email: null,
  user_type: "parent",
  logins: 1,
  invited: true,
  approved_at: "2026-06-01T00:00:00Z",
  refused_at: null,
  suppressed: false,
  email_notifications: true,
  daily_video_email: true,
  camp_updates_email: false,
  stopped: [],
  plan: plan(),
  created_at: "2026-06-01T00:00:00Z",
  version: 4,
  ...change,
});

export const leah = family({
  id: "f2",
  full_name: "Leah Morgenshtern",
  child_name: "",
  email: null,
  logins: 0,
  invited: false,
  plan: null,
  version: 1,
});

export const payment = (change: Partial<Payment> = {}): Payment => ({
  id: "p1",
  kind: "payment",
  amount: 168_000,
  payment_date: "2026-07-01",
  notes: "Check 114",
  staff_notes: null,
  created_at: "2026-07-01T12:00:00Z",
  voided: false,
  void_of: null,
  recorded_by: "kornbluh",
  ...change,
});

export const detail = (change: Partial<FamilyDetail> = {}): FamilyDetail => ({
  ...family(),
  payments: [payment()],
  emails: [{ email: "chaya@family.example", kind: "primary", user_id: null, verified: true, stopped: [] }],
  reminders: { last_sent_at: null, next_at: null },
  ...change,
});

export const summary: Summary = {
  total_users: 132,
  paid_in_full: 61,
  total_revenue: 31_846_000,
  overdue: 19,
  to_approve: 3,
  no_plan: 14,
  due: 52,
  currency: "USD",
  default_plan_amount: 310_000,
};
