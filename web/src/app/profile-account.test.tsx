import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { navigate } from "../lib/navigation";
import { refuse } from "../test/portal";
import { profile, section } from "../test/profile-page";

describe("the account", () => {
  it("can be signed out of, which leads home", async () => {
    const { user } = profile({ "POST /api/auth/sign-out": null });
    const main = within(await screen.findByRole("main"));
    await user.click(await main.findByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Signed Out")).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
    // Opening the page after that leads to the sign-in page.
    await act(() => navigate("/profile"));
    await waitFor(() => expect(screen.getByTestId("address").textContent).toContain("/auth"));
  });

  it("says when signing out failed", async () => {
    const { user } = profile({ "POST /api/auth/sign-out": refuse(500, "internal") });
    await user.click(await within(await screen.findByRole("main")).findByRole("button", { name: "Sign Out" }));
    expect(await screen.findByText("Failed to sign out. Please try again.")).toBeTruthy();
  });

  it("lists its devices, ends one, and ends all after asking", async () => {
    const { camp, user } = profile({ "DELETE /api/auth/sessions/s2": null, "POST /api/auth/sessions/end-all": null });
    const sessions = await section("Where you are signed in");
    expect(await sessions.findByText("This device")).toBeTruthy();
    await user.click(sessions.getByRole("button", { name: /^Sign Out Computer/ }));
    await waitFor(() => expect(camp.asked("DELETE", "/api/auth/sessions/s2")).toHaveLength(1));
    await user.click(sessions.getByRole("button", { name: "Sign Out Everywhere" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sign out everywhere?" }));
    expect(camp.asked("POST", "/api/auth/sessions/end-all")).toHaveLength(0);
    await user.click(dialog.getByRole("button", { name: "Sign Out Everywhere" }));
    expect(await screen.findByText("You are signed out on every device.")).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
  });

  it("changes its password, and says what was wrong beside the field", async () => {
    const wrong = "This is not your password.";
    const { camp, user } = profile({
      "POST /api/auth/password": refuse(422, "validation", wrong, [{ field: "current_password", message: wrong }]),
    });
    await user.click(await screen.findByRole("button", { name: "Change password" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change password" }));
    await user.type(dialog.getByLabelText("Current password"), "guess");
    await user.type(dialog.getByLabelText("New password"), "better words");
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await dialog.findByText(wrong)).toBeTruthy();
    camp.answer("POST /api/auth/password", null);
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await screen.findByText("Password changed")).toBeTruthy();
  });

  it("gives all its data as a file", async () => {
    profile();
    const link = await screen.findByRole("link", { name: "Download my data" });
    expect(link.getAttribute("href")).toBe("/api/profile/download");
    expect(link.hasAttribute("download")).toBe(true);
  });

  it("is deleted with the password, and says that the family record stays with the camp", async () => {
    const { camp, user } = profile({ "POST /api/auth/delete-account": null });
    await user.click(await screen.findByRole("button", { name: "Delete my account" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Delete my account" }));
    expect(dialog.getByText(/The camp keeps the family record with its/)).toBeTruthy();
    await user.type(dialog.getByLabelText("Your password"), "secret words");
    await user.click(dialog.getByRole("button", { name: "Delete my account" }));
    expect(await screen.findByText("Account deleted")).toBeTruthy();
    expect(camp.asked("POST", "/api/auth/delete-account")[0]?.body).toEqual({ current_password: "secret words" });
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/"));
  });
});
