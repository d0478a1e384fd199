import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { open, refuse, server } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";

const video = "01a19ecb-8360-74d7-a24c-a27b5b93cfec";
const entry = (id: string, change: object) => ({ id, at: "2026-07-29T23:15:00Z", actor_kind: "staff", actor_id: "s1", actor_name: "kornbluh", action: "video.edit", subject_kind: "video", subject_id: video, details: "null", ...change });
const camp = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/audit": ({ query }: { query: Record<string, string> }) =>
      query.cursor
        ? { items: [entry("a3", { actor_kind: "operator", actor_id: null, actor_name: null, action: "seed", subject_id: null })], next: null }
        : {
            items: [
              entry("a1", { details: '{"title":{"before":"Old","after":"New"}}' }),
              entry("a2", { action: "settings.set", subject_id: null, details: '{"key":"sessionTimeout","before":30,"after":45}' }),
            ],
            next: "c",
          },
    ...answers,
  });

it("tells who did what, with before and after, and loads more", async () => {
  camp();
  const user = open("/admin/audit");
  expect((await screen.findByText("Video: edit")).closest("li")!.textContent).toMatch(/Title: before Old → , after New/);
  expect(await screen.findAllByText("kornbluh", { selector: "li bdi" })).toHaveLength(2);
  expect(screen.getByText("Session timeout (minutes):").closest("li")!.textContent).toMatch(/before 30 → , after 45/);
  await user.click(screen.getByRole("button", { name: "Load more" }));
  expect((await screen.findByText("Seed")).closest("p")!.textContent).toBe("Seed by the command line");
});

it("is filtered by record, in the address bar", async () => {
  const portal = camp();
  const user = open("/admin/audit");
  await user.click(await screen.findByRole("link", { name: video }));
  expect(screen.getByTestId("address").textContent).toBe(`/admin/audit?record=${video}`);
  await waitFor(() => expect(portal.asked("GET", "/api/admin/audit").at(-1)?.query.subject_id).toBe(video));
  await user.clear(screen.getByLabelText("Record"));
  await user.type(screen.getByLabelText("Record"), "12");
  await user.click(screen.getByRole("button", { name: "Show" }));
  expect(await screen.findByText("Please enter a whole record id, or leave it empty.")).toBeTruthy();
});

it("offers another try after a failure", async () => {
  camp({ "GET /api/admin/audit": refuse(400, "x", "Not now.") });
  open("/admin/audit");
  expect(await screen.findByText("Failed to load the audit log")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
});

it("is an owner's business", async () => {
  const portal = camp({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
  open("/admin/audit");
  expect(await screen.findByText("Only owners can see this page")).toBeTruthy();
  expect(portal.asked("GET", "/api/admin/audit")).toEqual([]);
});
