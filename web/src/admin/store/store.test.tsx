import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { onDuty } from "../../test/staff";
import { summary } from "../../test/families";
import { acceptFiles } from "./pictures";
import type { AdminProduct } from "./queries";

const image = (n: number) => ({
  id: `i${n}`,
  image_url: `/media/products/i${n}`,
  thumb_url: `/media/products/i${n}/thumb`,
  alt_text: `Camp cap, picture ${n}`,
  display_order: n - 1,
});

const cap = (change: Partial<AdminProduct> = {}): AdminProduct => ({
  id: "p1",
  title: "Camp cap",
  description: "Green, with the lantern.",
  price: 1850,
  category: "clothing",
  stock_quantity: 12,
  is_new: true,
  is_bestseller: false,
  is_featured: false,
  images: [image(1), image(2)],
  is_active: true,
  created_by: "kornbluh",
  created_at: "2026-07-29T12:00:00Z",
  version: 2,
  ...change,
});
const mug = cap({
  id: "p2",
  title: "Enamel mug",
  category: "accessories",
  price: 1200,
  stock_quantity: 0,
  is_active: false,
  is_featured: true,
  is_new: false,
  images: [],
});

const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/products": list(cap(), mug),
    "GET /api/admin/products/stats": { total: 2, active: 1, featured: 1, total_stock: 1_234 },
    ...answers,
  });

/** Answers uploads over XMLHttpRequest. Each file gets the next response. */
function pictureServer(...answers: { status: number; body: unknown }[]) {
  const sent: { path: string; file: File }[] = [];
  class Request {
    status = 0;
    responseText = "";
    timeout = 0;
    path = "";
    upload = { addEventListener: () => undefined };
    #heard: Record<string, () => void> = {};
    open(_method: string, path: string) {
      this.path = path;
    }
    setRequestHeader() {}
    getResponseHeader = () => null;
    addEventListener(name: string, heard: () => void) {
      this.#heard[name] = heard;
    }
    send(file: File) {
      sent.push({ path: this.path, file });
      const answer = answers[sent.length - 1];
      if (answer) Object.assign(this, { status: answer.status, responseText: JSON.stringify(answer.body) });
      setTimeout(() => this.#heard[answer ? "load" : "error"]?.());
    }
  }
  vi.stubGlobal("XMLHttpRequest", Request);
  return sent;
}
afterEach(() => vi.unstubAllGlobals());

const photo = (name: string, type = "image/jpeg", size = 3) => new File([new Uint8Array(size)], name, { type });
const cardOf = async (name: string) =>
  within((await screen.findByRole("heading", { name, level: 3 })).closest("article")!);
const address = () => screen.getByTestId("address").textContent;
const add = async (user: ReturnType<typeof open>) => {
  await user.click(await screen.findByRole("button", { name: "Add New Product" }));
  return within(await screen.findByRole("dialog", { name: "Add New Product" }));
};
const edit = async (user: ReturnType<typeof open>, name: string) => {
  await user.click((await cardOf(name)).getByRole("button", { name: `Edit ${name}` }));
  return within(await screen.findByRole("dialog", { name: "Edit Product" }));
};

describe("the products", () => {
  it("show their price, stock and badges, and whether families see them", async () => {
    desk();
    open("/admin/store");
    const first = await cardOf("Camp cap");
    for (const text of ["Clothing", "Active", "New", "$18.50", "12 in stock"])
      expect(first.getByText(text)).toBeTruthy();
    expect(first.getByRole("img").getAttribute("src")).toBe("/media/products/i1/thumb");
    const second = await cardOf("Enamel mug");
    for (const text of ["Accessories", "Hidden", "$12", "Out of stock"]) expect(second.getByText(text)).toBeTruthy();
    expect(second.getByRole("switch", { name: /^Featured/ })).toHaveProperty("checked", true);
    const figures = within(screen.getByLabelText("Figures", { selector: "dl" }));
    for (const label of ["Total Products", "Active Products", "Featured", "Total Stock"])
      expect(figures.getByText(label)).toBeTruthy();
    expect(await figures.findByText("1,234")).toBeTruthy();
  });

  it("is filtered by category and searched, in the address bar", async () => {
    const camp = desk();
    const user = open("/admin/store");
    const buttons = within(await screen.findByRole("group", { name: "Filter by category" }));
    expect(buttons.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
      "All",
      "Clothing",
      "Accessories",
      "Equipment",
      "Memorabilia",
      "Digital",
    ]);
    await user.click(buttons.getByRole("button", { name: "Equipment" }));
    expect(address()).toBe("/admin/store?category=equipment");
    camp.answer("GET /api/admin/products", list());
    await user.keyboard("/");
    await user.keyboard("lantern");
    expect(await screen.findByText("No products found matching your criteria.")).toBeTruthy();
    expect(address()).toBe("/admin/store?category=equipment&q=lantern");
    expect(camp.asked("GET", "/api/admin/products").at(-1)?.query).toMatchObject({
      category: "equipment",
      q: "lantern",
    });
    camp.answer("GET /api/admin/products", list(cap()));
    await user.click(screen.getByRole("button", { name: "Show all products" }));
    expect(await cardOf("Camp cap")).toBeTruthy();
    expect(address()).toBe("/admin/store");
  });

  it("does not show a failure as an empty store", async () => {
    const camp = desk({ "GET /api/admin/products": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/store");
    expect(await screen.findByText("Failed to load products")).toBeTruthy();
    camp.answer("GET /api/admin/products", list(cap()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await cardOf("Camp cap")).toBeTruthy();
  });

  it("two switches right after each other are both saved, the second on top of the first", async () => {
    const camp = desk({ "PATCH /api/admin/products/p1": cap({ version: 3 }) });
    const user = open("/admin/store");
    const card = await cardOf("Camp cap");
    await user.click(card.getByRole("switch", { name: /^Featured/ }));
    await user.click(card.getByRole("button", { name: /^Hide/ }));
    expect(await screen.findByText("Camp cap is hidden from the store.")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/products/p1").map(({ body }) => body)).toEqual([
      { version: 2, is_featured: true },
      { version: 3, is_active: false },
    ]);
  });

  it("features, hides and shows, each with the version that was looked at", async () => {
    const camp = desk({ "PATCH /api/admin/products/p1": cap(), "PATCH /api/admin/products/p2": mug });
    const user = open("/admin/store");
    await user.click((await cardOf("Camp cap")).getByRole("switch", { name: /^Featured/ }));
    expect(await screen.findByText("Product Updated")).toBeTruthy();
    expect(screen.getByText("Camp cap is featured.")).toBeTruthy();
    await user.click((await cardOf("Camp cap")).getByRole("button", { name: /^Hide/ }));
    expect(await screen.findByText("Camp cap is hidden from the store.")).toBeTruthy();
    await user.click((await cardOf("Enamel mug")).getByRole("button", { name: /^Show/ }));
    expect(await screen.findByText("Enamel mug is shown in the store.")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/products/p1").map(({ body }) => body)).toEqual([
      { version: 2, is_featured: true },
      { version: 2, is_active: false },
    ]);
    camp.answer("PATCH /api/admin/products/p1", refuse(500, "internal"));
    await user.click((await cardOf("Camp cap")).getByRole("button", { name: /^Hide/ }));
    expect(await screen.findByText("Failed to update product. Please try again.")).toBeTruthy();
  });

  it("asks by name before deleting", async () => {
    const camp = desk({ "DELETE /api/admin/products/p1": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/store");
    await user.click((await cardOf("Camp cap")).getByRole("button", { name: "Delete Camp cap" }));
    const question = within(await screen.findByRole("dialog", { name: "Delete this product?" }));
    expect(question.getByText("Camp cap")).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Delete product" }));
    expect(await screen.findByText("Failed to delete product. Please try again.")).toBeTruthy();
    camp.answer("DELETE /api/admin/products/p1", null);
    await user.click(question.getByRole("button", { name: "Delete product" }));
    expect(await screen.findByText("Product Deleted")).toBeTruthy();
    expect(screen.getByText("Product has been removed from the store.")).toBeTruthy();
  });
});

describe("a new product", () => {
  it("says what is missing, in the portal's words, and focuses the first field", async () => {
    const camp = desk();
    const user = open("/admin/store");
    const panel = await add(user);
    await user.click(panel.getByRole("button", { name: "Add Product" }));
    expect(await screen.findByText("Missing Information")).toBeTruthy();
    expect(screen.getAllByText("Please fill in all required fields.")).toHaveLength(5);
    expect(document.activeElement).toBe(panel.getByLabelText("Product Title"));
    await user.type(panel.getByLabelText("Product Title"), "Whistle");
    await user.type(panel.getByLabelText("Price"), "-3");
    await user.type(panel.getByLabelText("Stock Quantity"), "2.5");
    await user.selectOptions(panel.getByLabelText("Category"), "Equipment");
    await user.click(panel.getByRole("button", { name: "Add Product" }));
    expect(panel.getByText("Please enter a price from 0 to 1,000,000.")).toBeTruthy();
    expect(panel.getByText("Please enter a stock from 0 to 1,000,000.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/products")).toHaveLength(0);
  });

  it("is added with its pictures, one after the other", async () => {
    const made = cap({ id: "p9", title: "Whistle", images: [], version: 1 });
    const camp = desk({ "POST /api/admin/products": made });
    const sent = pictureServer(
      { status: 201, body: { ...made, images: [image(1)] } },
      { status: 201, body: { ...made, images: [image(1), image(2)] } },
    );
    const user = open("/admin/store?category=equipment");
    const panel = await add(user);
    await user.type(panel.getByLabelText("Product Title"), "  Whistle ");
    await user.type(panel.getByLabelText("Price"), "4.5");
    await user.type(panel.getByLabelText("Stock Quantity"), "1,200");
    await user.upload(panel.getByLabelText(/Choose pictures/), [photo("a.jpg"), photo("b.png", "image/png")]);
    expect(panel.getAllByRole("listitem")).toHaveLength(2);
    await user.click(panel.getByRole("checkbox", { name: "Bestseller" }));
    await user.click(panel.getByRole("button", { name: "Add Product" }));
    expect(await screen.findByText("Product Added")).toBeTruthy();
    expect(screen.getByText("Whistle has been added to the store with 2 images.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/products")[0]?.body).toEqual({
      title: "Whistle",
      description: "",
      price: 450,
      category: "equipment",
      stock_quantity: 1_200,
      is_new: false,
      is_bestseller: true,
      is_featured: false,
    });
    expect(sent.map(({ path, file }) => [path, file.name])).toEqual([
      ["/api/admin/products/p9/images", "a.jpg"],
      ["/api/admin/products/p9/images", "b.png"],
    ]);
    expect(camp.asked("PUT", "/api/admin/products/p9/images/order")).toHaveLength(0);
  });

  it("keeps what was typed when it fails", async () => {
    desk({ "POST /api/admin/products": refuse(503, "busy", "The camp's server is busy.") });
    const user = open("/admin/store?category=digital");
    const panel = await add(user);
    await user.type(panel.getByLabelText("Product Title"), "Song book");
    await user.type(panel.getByLabelText("Price"), "0");
    await user.type(panel.getByLabelText("Stock Quantity"), "0");
    await user.click(panel.getByRole("button", { name: "Add Product" }));
    expect(await screen.findByText("Failed to add product. Please try again.")).toBeTruthy();
    expect(panel.getByText("The camp's server is busy.")).toBeTruthy();
    expect(panel.getByLabelText("Product Title")).toHaveProperty("value", "Song book");
  });

  it("is not added twice when only a picture failed", async () => {
    const made = cap({ id: "p9", title: "Whistle", images: [], version: 1 });
    const camp = desk({ "POST /api/admin/products": made });
    const problem = { code: "validation", status: 422, detail: "Please choose a JPEG, PNG or WebP picture." };
    const sent = pictureServer(
      { status: 422, body: problem },
      { status: 201, body: { ...made, images: [image(1)], version: 2 } },
    );
    const user = open("/admin/store?category=equipment");
    const panel = await add(user);
    await user.type(panel.getByLabelText("Product Title"), "Whistle");
    await user.type(panel.getByLabelText("Price"), "18.50");
    await user.type(panel.getByLabelText("Stock Quantity"), "12");
    await user.upload(panel.getByLabelText(/Choose pictures/), [photo("a.jpg")]);
    await user.click(panel.getByRole("button", { name: "Add Product" }));
    expect(await panel.findByText("Please choose a JPEG, PNG or WebP picture.")).toBeTruthy();
    expect(panel.getByText(/^The product is saved, but not all its pictures\./)).toBeTruthy();
    camp.answer("PATCH /api/admin/products/p9", { ...made, version: 2 });
    await user.click(panel.getByRole("button", { name: "Save Product" }));
    expect(await screen.findByText("Whistle has been added to the store with 1 image.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/products")).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });
});

describe("the pictures of a product", () => {
  it("are at most four, of an image type, of at most 10 MB each", () => {
    const { taken, refused } = acceptFiles(
      [
        photo("a.jpg"),
        photo("notes.pdf", "application/pdf"),
        photo("drawing.svg", "image/svg+xml"),
        photo("big.png", "image/png", 10 * 1024 * 1024 + 1),
        photo("b.webp", "image/webp"),
      ],
      3,
    );
    expect(taken.map(({ name }) => name)).toEqual(["a.jpg"]);
    expect(refused).toEqual([
      { title: "Invalid file type", description: "notes.pdf is not a valid image file." },
      { title: "Invalid file type", description: "drawing.svg is not a valid image file." },
      { title: "File too large", description: "big.png is larger than 10MB." },
      { title: "Too many images", description: "You can only upload up to 4 images per product." },
    ]);
    expect(acceptFiles([photo("a.jpg", "image/jpeg", 10 * 1024 * 1024)], 3).refused).toEqual([]);
    expect(acceptFiles([photo("IMG_0042.HEIC", "")], 3).refused[0]?.description).toBe(
      "IMG_0042.HEIC is not a valid image file. Please save the photo as JPEG, and choose that file.",
    );
  });

  it("say so when they are picked, and no more can be picked at four", async () => {
    desk();
    const user = open("/admin/store");
    const panel = await edit(user, "Camp cap");
    const input = panel.getByLabelText(/Choose pictures/);
    await user.upload(input, [photo("a.jpg"), photo("b.jpg"), photo("c.jpg")]);
    expect(await screen.findByText("Too many images")).toBeTruthy();
    expect(panel.getByText("You can only upload up to 4 images per product.")).toBeTruthy();
    expect(within(panel.getByRole("list", { name: "Pictures" })).getAllByRole("listitem")).toHaveLength(4);
    expect(input).toHaveProperty("disabled", true);
    await user.click(panel.getByRole("button", { name: "Remove b.jpg" }));
    expect(input).toHaveProperty("disabled", false);
  });

  it("are sorted by keyboard, removed, and sent when the form is saved", async () => {
    const three = cap({ images: [image(1), image(2), image(3)] });
    const camp = desk({
      "GET /api/admin/products": list(three, mug),
      "PATCH /api/admin/products/p1": { ...three, version: 3 },
      "DELETE /api/admin/products/p1/images/i2": null,
      "PUT /api/admin/products/p1/images/order": cap({ images: [image(3), image(1)] }),
    });
    const user = open("/admin/store");
    const panel = await edit(user, "Camp cap");
    panel.getByRole("button", { name: "Move Camp cap, picture 3 forward" }).focus();
    await user.keyboard("{Enter}");
    await user.keyboard("{Enter}");
    expect(panel.getByText("Camp cap, picture 3: now number 1 of 3.")).toBeTruthy();
    await user.click(panel.getByRole("button", { name: "Remove Camp cap, picture 2" }));
    expect(camp.asked("DELETE", "/api/admin/products/p1/images/i2")).toHaveLength(0);
    await user.click(panel.getByRole("button", { name: "Save Product" }));
    expect(await screen.findByText("Product Updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/products/p1")[0]?.body).toEqual({ version: 2 });
    expect(camp.asked("DELETE", "/api/admin/products/p1/images/i2")).toHaveLength(1);
    expect(camp.asked("PUT", "/api/admin/products/p1/images/order")[0]?.body).toEqual({ ids: ["i3", "i1"] });
  });
});

describe("a product that two people edit", () => {
  it("keeps what was typed, and merges what the other person did", async () => {
    const camp = desk({ "PATCH /api/admin/products/p1": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/store");
    const panel = await edit(user, "Camp cap");
    await user.type(panel.getByLabelText("Product Title"), " in green");
    await user.click(panel.getByRole("button", { name: "Save Product" }));
    expect(await panel.findByText(/Someone else changed this product/)).toBeTruthy();
    const theirs = cap({ version: 5, price: 2000, images: [image(2), image(3)] });
    camp.answer("GET /api/admin/products/p1", theirs);
    camp.answer("PATCH /api/admin/products/p1", { ...theirs, version: 6 });
    await user.click(panel.getByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(panel.getByLabelText("Price")).toHaveProperty("value", "20.00"));
    expect(panel.getByLabelText("Product Title")).toHaveProperty("value", "Camp cap in green");
    expect(panel.getAllByRole("img").map((img) => img.getAttribute("src"))).toEqual([
      "/media/products/i2/thumb",
      "/media/products/i3/thumb",
    ]);
    await user.click(panel.getByRole("button", { name: "Save Product" }));
    expect(await screen.findByText("Product Updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/products/p1").at(-1)?.body).toEqual({
      version: 5,
      title: "Camp cap in green",
    });
  });

  it("does not throw away what was typed without asking", async () => {
    desk();
    const user = open("/admin/store");
    const panel = await edit(user, "Enamel mug");
    await user.click(panel.getByRole("checkbox", { name: "New" }));
    await user.click(panel.getByRole("button", { name: "Cancel" }));
    await user.click(
      within(await screen.findByRole("dialog", { name: "Leave without saving?" })).getByRole("button", {
        name: "Discard",
      }),
    );
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});
