import { cleanup, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { back, chaya, open, refuse, server, unreachable } from "../test/portal";

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

async function fillIn(user: ReturnType<typeof open>) {
  await user.type(await screen.findByLabelText("Your Name"), "Rivky Brachfeld");
  await user.type(field("Email"), "rivky@family.example");
  await user.click(field("Parent"));
  await user.type(screen.getByLabelText(/Child's Name/), "Moishe");
  await user.click(field("Video team"));
  await user.type(field("Subject"), "The trip");
  await user.type(field("Message"), "Is there a longer one?");
}

const send = () => screen.getByRole("button", { name: "Send Message" });

const received = { copy_mailed: false };

it("a message goes to the camp, stays readable on the page, and another one begins empty", async () => {
  const camp = server({ "POST /api/contact": received });
  const user = open("/contact");
  await fillIn(user);
  await user.click(send());
  expect(await screen.findByText("Message Sent!")).toBeTruthy();
  expect(screen.getAllByText("We'll get back to you within 24 hours during season.")).toBeTruthy();
  expect(camp.asked("POST", "/api/contact").map((call) => call.body)).toEqual([
    {
      name: "Rivky Brachfeld",
      email: "rivky@family.example",
      child_name: "Moishe",
      subject: "The trip",
      user_type: "parent",
      department: "video_team",
      message: "Is there a longer one?",
      website: "",
    },
  ]);
  const sent = await screen.findByRole("region", { name: "Your message was sent" });
  for (const words of ["The trip", "Is there a longer one?", "Video team", "Moishe"])
    expect(sent.textContent).toContain(words);
  expect(sent.textContent).toContain(
    "A short confirmation is on its way to rivky@family.example. It does not include your message",
  );
  expect(document.activeElement?.textContent).toBe("Your message was sent");

  await user.click(screen.getAllByRole("link", { name: "FAQ" })[0]!);
  await screen.findByRole("heading", { level: 1, name: /FAQ|Questions/ });
  back();
  expect((await screen.findByRole("region", { name: "Your message was sent" })).textContent).toContain(
    "Is there a longer one?",
  );
  await user.click(screen.getByRole("button", { name: "Send another message" }));
  await waitFor(() => expect(document.activeElement).toBe(field("Subject")));
  expect([field("Your Name").value, field("Subject").value, field("Message").value]).toEqual(["", "", ""]);
  expect(field("Parent").checked).toBe(false);
});

it("half-typed text survives a link, Back, a reload and signing in, and is deleted at sign-out", async () => {
  const camp = server({ "POST /api/auth/sign-out": null });
  const user = open("/contact");
  await fillIn(user);
  await user.click(screen.getAllByRole("link", { name: "FAQ" })[0]!);
  await screen.findByRole("heading", { level: 1, name: /FAQ|Questions/ });
  back();
  expect((await screen.findByLabelText<HTMLInputElement>("Message")).value).toBe("Is there a longer one?");
  expect([
    field("Your Name").value,
    field("Subject").value,
    field("Parent").checked,
    field("Video team").checked,
  ]).toEqual(["Rivky Brachfeld", "The trip", true, true]);
  cleanup();
  camp.answer("GET /api/session", { user: chaya });
  const again = open("/contact");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  await waitFor(() => expect(field("Message").value).toBe("Is there a longer one?"));
  // An order has a separate text.
  cleanup();
  open("/contact?product=Camp%20cap");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  expect(field("Message").value).toBe("");
  cleanup();
  open("/contact");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  await again.click(screen.getByRole("button", { name: "Sign Out" }));
  await waitFor(() => expect(field("Message").value).toBe(""));
  expect(Object.keys(sessionStorage)).toEqual([]);
});

it("what one person typed while signed in is not shown to the next", async () => {
  const camp = server({ "GET /api/session": { user: chaya } });
  const user = open("/contact");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  await user.type(field("Message"), "For the office only");
  cleanup();
  camp.answer("GET /api/session", { user: { ...chaya, id: "u2", full_name: "Rivky", display_name: "Rivky" } });
  open("/contact");
  await screen.findByRole("link", { name: /Rivky/ });
  await waitFor(() => expect(field("Message").value).toBe(""));
});

it("the page says when a copy was mailed", async () => {
  server({ "GET /api/session": { user: chaya }, "POST /api/contact": { copy_mailed: true } });
  const user = open("/contact");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  await user.click(field("Camp staff"));
  await user.type(field("Subject"), "A package");
  await user.type(field("Message"), "It is on its way.");
  await user.click(send());
  expect((await screen.findByRole("region", { name: "Your message was sent" })).textContent).toContain(
    "A copy is on its way to chaya@family.example.",
  );
});

it("nothing is lost when the message does not arrive", async () => {
  const camp = server({ "POST /api/contact": unreachable });
  const user = open("/contact");
  await fillIn(user);
  await user.click(send());
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.queryByText("Message Sent!")).toBeNull();
  expect(field("Message").value).toBe("Is there a longer one?");

  camp.answer(
    "POST /api/contact",
    refuse(422, "validation", "Please enter a valid email address.", [
      { field: "email", message: "Please enter a valid email address." },
    ]),
  );
  await user.click(send());
  expect(await screen.findByText("Please enter a valid email address.")).toBeTruthy();
  expect(document.activeElement).toBe(field("Email"));

  camp.answer("POST /api/contact", refuse(429, "too_many_requests", "Too many messages.", undefined, 40));
  await user.click(send());
  expect(
    await screen.findByText(
      /You have sent several messages in the last hour\. You can send the next one in 40 seconds\. What you wrote stays here\./,
    ),
  ).toBeTruthy();
});

it("everything but the child's name is required, each said beside its field", async () => {
  const camp = server({});
  const user = open("/contact");
  await screen.findByRole("heading", { name: "Contact Us", level: 1 });
  await user.click(send());
  for (const sentence of [
    "Please enter your name.",
    "Please enter your email.",
    "Please choose parent or guest.",
    "Please choose who should read it.",
    "Please enter a subject.",
    "Please write a message first.",
  ]) {
    expect(screen.getByText(sentence)).toBeTruthy();
  }
  expect(document.activeElement).toBe(field("Your Name"));
  expect(camp.asked("POST", "/api/contact")).toHaveLength(0);
});

it("the address may bring the subject, or the product that it is about", async () => {
  server({});
  open("/contact?subject=About%20Visiting%20Day");
  expect((await screen.findByLabelText<HTMLInputElement>("Subject")).value).toBe("About Visiting Day");
});

it("an order begins with the product, goes to the staff, and is over when it is sent", async () => {
  const camp = server({ "POST /api/contact": received });
  const user = open("/contact?product=Camp%20cap");
  expect((await screen.findByLabelText<HTMLInputElement>("Subject")).value).toBe("Order: Camp cap");
  expect(field("Camp staff").checked).toBe(true);
  await user.type(field("Your Name"), "Rivky");
  await user.type(field("Email"), "rivky@family.example");
  await user.click(field("Guest"));
  await user.type(field("Message"), "Two, please.");
  await user.click(send());
  expect(await screen.findByText("Message Sent!")).toBeTruthy();
  expect(camp.asked("POST", "/api/contact")[0]?.body).toMatchObject({
    subject: "Order: Camp cap",
    department: "staff",
    child_name: null,
  });
  await user.click(await screen.findByRole("button", { name: "Send another message" }));
  await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/contact"));
  expect(field("Subject").value).toBe("");
  expect(field("Camp staff").checked).toBe(false);
});

it("signed-in people need not say who they are", async () => {
  server({ "GET /api/session": { user: chaya } });
  open("/contact");
  await screen.findByRole("link", { name: /Chaya Lindenfeld/ });
  expect(field("Your Name").value).toBe("Chaya Lindenfeld");
  expect(field("Email").value).toBe("chaya@family.example");
  expect(field("Parent").checked).toBe(true);
});

it("the trap for bots is hidden from people", async () => {
  server({});
  open("/contact");
  await screen.findByLabelText("Subject");
  const trap = document.querySelector<HTMLInputElement>("[name=website]");
  expect(trap?.tabIndex).toBe(-1);
  expect(trap?.closest("[aria-hidden=true]")).toBeTruthy();
  expect(screen.queryByRole("textbox", { name: /Website/ })).toBeNull();
});
