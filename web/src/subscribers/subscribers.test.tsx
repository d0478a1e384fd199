import { act, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { open, refuse, server } from "../test/portal";

const box = async () => within(await screen.findByRole("contentinfo"));

it("the owner of an address entered in the footer is asked to confirm", async () => {
  const camp = server({ "POST /api/subscribe": null });
  const user = open("/nowhere");
  const footer = await box();
  expect(footer.getByRole("heading", { name: "Stay Updated" })).toBeTruthy();
  await user.type(await footer.findByPlaceholderText("Your email address"), "bubby@family.example");
  await user.click(footer.getByRole("button", { name: "Subscribe" }));
  expect((await footer.findByRole("status")).textContent).toContain("bubby@family.example");
  expect(camp.asked("POST", "/api/subscribe")[0]?.body).toEqual({ email: "bubby@family.example" });
});

it("a wrong address is reported beside the box, and stays in it", async () => {
  server({
    "POST /api/subscribe": refuse(422, "validation", "No.", [
      { field: "email", message: "Please enter a valid email address." },
    ]),
  });
  const user = open("/nowhere");
  const footer = await box();
  const address = await footer.findByPlaceholderText<HTMLInputElement>("Your email address");
  await user.click(footer.getByRole("button", { name: "Subscribe" }));
  expect(footer.getByText("Please enter your email.")).toBeTruthy();
  await user.type(address, "bubby@");
  await user.click(footer.getByRole("button", { name: "Subscribe" }));
  expect(await footer.findByText("Please enter a valid email address.")).toBeTruthy();
  expect(address.value).toBe("bubby@");
  expect(document.activeElement).toBe(address);
});

it("only pressing the button adds somebody to the list", async () => {
  const camp = server({ "POST /api/subscribe/confirm": null });
  open("/subscribe/confirm?token=abc");
  const yes = await screen.findByRole("button", { name: "Yes, sign me up" });
  expect(camp.asked("POST", "/api/subscribe/confirm")).toHaveLength(0);
  // A double click is faster than a render.
  act(() => [yes, yes].forEach((button) => button.click()));
  expect(await screen.findByRole("heading", { name: "You are on the list" })).toBeTruthy();
  expect(camp.asked("POST", "/api/subscribe/confirm").map(({ body }) => body)).toEqual([{ token: "abc" }]);
});

it("a used link says so, and so does an incomplete one", async () => {
  server({
    "POST /api/subscribe/confirm": refuse(
      410,
      "gone",
      "This link was already used or has expired. Please sign up again.",
    ),
  });
  const user = open("/subscribe/confirm?token=abc");
  await user.click(await screen.findByRole("button", { name: "Yes, sign me up" }));
  expect(await screen.findByText("This link was already used or has expired. Please sign up again.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Yes, sign me up" })).toBeNull();
});

it("a link without its token is told apart", async () => {
  server({});
  open("/subscribe/confirm");
  expect(await screen.findByText(/This link is incomplete/)).toBeTruthy();
});
