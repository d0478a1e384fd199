import type { Page } from "@playwright/test";
import type { components } from "../src/api/schema.gen";
import { call, expect, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { fromTelephone, photo } from "./support/photo";
import { isSound } from "./support/sound";

type Schemas = components["schemas"];

const cardOf = (page: Page, title: string) =>
  page.getByRole("article").filter({ has: page.getByRole("heading", { name: title }) });
const figure = (page: Page, label: string) =>
  page.getByLabel("Figures").locator("div").filter({ hasText: label }).getByRole("definition");
const onShow = async (page: Page) => (await call<Schemas["Store"]>(page.request, "GET", "/api/store")).items;
const jpeg = (name: string, buffer: Buffer) => ({ name, mimeType: "image/jpeg", buffer });

const product = (page: Page, change: Partial<Schemas["NewProduct"]> & { title: string }) =>
  call<{ id: string }>(page.request, "POST", "/api/admin/products", {
    price: 1_850,
    category: "clothing",
    stock_quantity: 12,
    ...change,
  });

test("a product is added with a photo without its location, hidden, reordered and deleted", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp);
  const visitor = await somebody();
  await page.goto("/admin/store");
  await expect(page.getByText("No products found matching your criteria.")).toBeVisible();
  const original = fromTelephone(photo("lake"));
  expect(original.includes("Exif")).toBe(true);

  await test.step("Miriam adds a cap with two pictures", async () => {
    await page.getByRole("button", { name: "Add First Product" }).click();
    const panel = page.getByRole("dialog", { name: "Add New Product" });
    await panel.getByLabel("Product Title").fill("Camp cap");
    await panel.getByLabel("Description").fill("Green, with the lantern.");
    await panel.getByLabel("Price").fill("18.5");
    await panel.getByLabel("Stock Quantity").fill("12");
    await panel.getByLabel("Category").selectOption("Clothing");
    await panel
      .getByLabel("Choose pictures")
      .setInputFiles([jpeg("IMG_0042.jpg", original), jpeg("campfire.jpg", photo("campfire"))]);
    const pictures = panel.getByRole("list", { name: "Pictures" });
    await expect(pictures.getByRole("listitem")).toHaveCount(2);
    // A photo taken upright is shown upright.
    await expect
      .poll(() =>
        pictures
          .getByRole("listitem")
          .first()
          .locator("img")
          .evaluate((img: HTMLImageElement) => img.naturalHeight > img.naturalWidth),
      )
      .toBe(true);
    await panel.getByLabel("New").check();
    await panel.getByRole("button", { name: "Add Product" }).click();
    await expect(toast(page)).toContainText("Product Added");
    await expect(toast(page)).toContainText("Camp cap has been added to the store with 2 images.");
    await expect(panel).toBeHidden();
    const card = cardOf(page, "Camp cap");
    for (const text of ["Clothing", "Active", "New", "$18.50", "12 in stock"]) await expect(card).toContainText(text);
    await expect(figure(page, "Total Products")).toHaveText("1");
    await expect(figure(page, "Total Stock")).toHaveText("12");
  });

  await test.step("families see it in the store, with a new, upright picture that contains no location", async () => {
    await visitor.goto("/store");
    await expect(visitor.getByRole("heading", { name: "Camp cap" })).toBeVisible();
    const [cap] = await onShow(visitor);
    expect(cap?.images).toHaveLength(2);
    for (const address of [cap!.images[0]!.image_url, cap!.images[0]!.thumb_url]) {
      const sent = await visitor.request.get(address);
      expect(sent.headers()["content-type"]).toBe("image/jpeg");
      const bytes = await sent.body();
      expect(bytes.includes("Exif")).toBe(false);
      expect(bytes.equals(original)).toBe(false);
    }
    const shown = visitor.getByRole("img", { name: "Camp cap, picture 1" });
    await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalHeight > img.naturalWidth)).toBe(true);
  });

  await test.step("the second picture comes first, by the keyboard and then by dragging", async () => {
    const before = (await onShow(visitor))[0]!.images.map(({ id }) => id);
    await cardOf(page, "Camp cap").getByRole("button", { name: "Edit Camp cap" }).click();
    const panel = page.getByRole("dialog", { name: "Edit Product" });
    await panel.getByRole("button", { name: "Move Camp cap, picture 2 forward" }).press("Enter");
    await expect(panel.getByText("Camp cap, picture 2: now number 1 of 2.")).toBeAttached();
    await panel.getByRole("button", { name: "Save Product" }).click();
    await expect(toast(page)).toContainText("Product Updated");
    await expect(panel).toBeHidden();
    expect((await onShow(visitor))[0]!.images.map(({ id }) => id)).toEqual(before.toReversed());

    await cardOf(page, "Camp cap").getByRole("button", { name: "Edit Camp cap" }).click();
    const items = panel.getByRole("list", { name: "Pictures" }).getByRole("listitem");
    await items.nth(1).dragTo(items.nth(0));
    // The numbers change once the order is saved.
    await expect(items.nth(0).getByRole("img", { name: "Camp cap, picture 2" })).toBeVisible();
    await panel.getByRole("button", { name: "Remove Camp cap, picture 1" }).click();
    await panel.getByRole("button", { name: "Save Product" }).click();
    await expect(panel).toBeHidden();
    await expect.poll(async () => (await onShow(visitor))[0]!.images.map(({ id }) => id)).toEqual([before[0]]);
  });

  await test.step("when hidden, it and its picture leave the store; shown again and featured, it comes first", async () => {
    await product(page, { title: "Enamel mug", category: "accessories" });
    const { image_url } = (await onShow(visitor)).find(({ title }) => title === "Camp cap")!.images[0]!;
    await page.reload();
    const card = cardOf(page, "Camp cap");
    await card.getByRole("button", { name: "Hide Camp cap" }).click();
    await expect(toast(page)).toContainText("Camp cap is hidden from the store.");
    await expect(card).toContainText("Hidden");
    await expect(figure(page, "Active Products")).toHaveText("1");
    await visitor.reload();
    await expect(visitor.getByRole("heading", { name: "Enamel mug" })).toBeVisible();
    await expect(visitor.getByRole("heading", { name: "Camp cap" })).toBeHidden();
    expect((await visitor.request.get(image_url)).status()).toBe(404);
    expect((await page.request.get(image_url)).status()).toBe(200);

    await card.getByRole("button", { name: "Show Camp cap" }).click();
    await expect(card).toContainText("Active");
    // The switch shows the new state as soon as the request starts.
    const featured = card.getByRole("switch", { name: "Featured Camp cap" });
    await featured.click();
    await expect(featured).toBeChecked();
    await expect(toast(page)).toContainText("Camp cap is featured.");
    await expect(figure(page, "Featured")).toHaveText("1");
    expect((await onShow(visitor)).map(({ title }) => title)).toEqual(["Camp cap", "Enamel mug"]);
  });

  await test.step("once deleted by name, it is gone for good", async () => {
    await cardOf(page, "Camp cap").getByRole("button", { name: "Delete Camp cap" }).click();
    const question = page.getByRole("dialog", { name: "Delete this product?" });
    await expect(question).toContainText("Camp cap");
    await question.getByRole("button", { name: "Delete product" }).click();
    await expect(toast(page)).toContainText("Product has been removed from the store.");
    await expect(cardOf(page, "Camp cap")).toBeHidden();
    await expect(page.getByRole("main")).toBeFocused();
    expect((await onShow(visitor)).map(({ title }) => title)).toEqual(["Enamel mug"]);
    expect((await call<{ items: unknown[] }>(page.request, "GET", "/api/admin/products")).items).toHaveLength(1);
  });
});

test("the form says what is missing or not allowed, and nothing typed is lost", async ({ page, camp }) => {
  await staff(page, camp);
  await page.goto("/admin/store");
  await page.getByRole("button", { name: "Add New Product" }).click();
  const panel = page.getByRole("dialog", { name: "Add New Product" });
  await panel.getByRole("button", { name: "Add Product" }).click();
  await expect(toast(page)).toContainText("Missing Information");
  await expect(toast(page)).toContainText("Please fill in all required fields.");
  await expect(panel.getByLabel("Product Title")).toBeFocused();

  const pick = panel.getByLabel("Choose pictures");
  await pick.setInputFiles({ name: "notes.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") });
  await expect(toast(page)).toContainText("Invalid file type");
  await expect(toast(page)).toContainText("notes.pdf is not a valid image file.");
  await pick.setInputFiles(jpeg("huge.jpg", Buffer.alloc(10 * 1024 * 1024 + 1)));
  await expect(toast(page)).toContainText("File too large");
  await expect(toast(page)).toContainText("huge.jpg is larger than 10MB.");
  await pick.setInputFiles(
    ["lake", "campfire", "swim", "hike", "siyum"].map((name) => jpeg(`${name}.jpg`, photo(name))),
  );
  await expect(toast(page)).toContainText("Too many images");
  await expect(toast(page)).toContainText("You can only upload up to 4 images per product.");
  const pictures = panel.getByRole("list", { name: "Pictures" }).getByRole("listitem");
  await expect(pictures).toHaveCount(4);
  await expect(pick).toBeDisabled();

  // The server refuses a file that only claims to be a picture. The product is kept, and the form says so.
  await panel.getByRole("button", { name: "Remove hike.jpg" }).click();
  await pick.setInputFiles(jpeg("trick.jpg", Buffer.from("<svg onload='alert(1)'/>")));
  await panel.getByLabel("Product Title").fill("Song book");
  await panel.getByLabel("Price").fill("9");
  await panel.getByLabel("Stock Quantity").fill("40");
  await panel.getByLabel("Category").selectOption("Memorabilia");
  await panel.getByRole("button", { name: "Add Product" }).click();
  await expect(panel.getByRole("alert")).toContainText("The product is saved, but not all its pictures.");
  await expect(pictures.filter({ hasText: "trick.jpg" })).toContainText("This is not a valid image file.");
  await panel.getByRole("button", { name: "Remove trick.jpg" }).click();
  await panel.getByRole("button", { name: "Save Product" }).click();
  await expect(toast(page)).toContainText("Song book has been added to the store with 3 images.");
  const [book, ...others] = await onShow(page);
  expect([book?.title, book?.images.length, others.length]).toEqual(["Song book", 3, 0]);
});

test("two staff members editing the same product do not overwrite each other", async ({ page, camp, somebody }) => {
  await staff(page, camp);
  const other = await somebody();
  await staff(other, camp, "feivel");
  await product(page, { title: "Camp cap" });
  for (const desk of [page, other]) {
    await desk.goto("/admin/store");
    await desk.getByRole("button", { name: "Edit Camp cap" }).click();
  }
  await other.getByLabel("Price").fill("20");
  await other.getByRole("button", { name: "Save Product" }).click();
  await expect(toast(other)).toContainText("Product Updated");

  await page.getByLabel("Product Title").fill("Camp cap in green");
  await page.getByRole("button", { name: "Save Product" }).click();
  await expect(page.getByRole("alert")).toContainText("Someone else changed this product while you were editing.");
  await page.getByRole("button", { name: "Reload and keep what I typed" }).click();
  await expect(page.getByLabel("Price")).toHaveValue("20.00");
  await expect(page.getByLabel("Product Title")).toHaveValue("Camp cap in green");
  await page.getByRole("button", { name: "Save Product" }).click();
  await expect(toast(page)).toContainText("Product Updated");
  expect((await onShow(page)).map(({ title, price }) => [title, price])).toEqual([["Camp cap in green", 2_000]]);
});

test("the store desk is accessible and works by keyboard alone, in both themes", async ({ page, camp }) => {
  await staff(page, camp);
  await product(page, { title: "Camp cap", is_bestseller: true });
  await product(page, { title: "Enamel mug", category: "accessories", stock_quantity: 0 });
  await page.goto("/admin/store");
  await expect(cardOf(page, "Camp cap")).toBeVisible();
  await isSound(page, "the store desk");

  await page.keyboard.press("/");
  await page.keyboard.type("mug");
  await expect(cardOf(page, "Camp cap")).toBeHidden();
  await expect(page).toHaveURL(/\?q=mug$/);
  await page.keyboard.press("Escape");
  await tabTo(page, page.getByRole("button", { name: "Clothing" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\?category=clothing$/);
  await expect(cardOf(page, "Enamel mug")).toBeHidden();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(cardOf(page, "Enamel mug")).toBeVisible();

  await tabTo(page, page.getByRole("button", { name: "Add New Product" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name: "Add New Product" });
  await expect(panel.getByLabel("Product Title")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(panel.getByText("Please fill in all required fields.").first()).toBeVisible();
  await panel
    .getByLabel("Choose pictures")
    .setInputFiles([jpeg("lake.jpg", photo("lake")), jpeg("swim.jpg", photo("swim"))]);
  await expect(panel.getByRole("list", { name: "Pictures" }).getByRole("listitem")).toHaveCount(2);
  await isSound(page, "the product dialog with complaints");
  await panel.getByLabel("Product Title").focus();
  await page.keyboard.type("Whistle");
  await tabTo(page, panel.getByLabel("Price"));
  await page.keyboard.type("4");
  await tabTo(page, panel.getByLabel("Stock Quantity"));
  await page.keyboard.type("30");
  await tabTo(page, panel.getByLabel("Category"));
  await page.keyboard.type("Equip");
  const back = panel.getByRole("button", { name: "Move lake.jpg back" });
  await tabTo(page, back);
  await page.keyboard.press("Enter");
  await expect(panel.getByText("lake.jpg: now number 2 of 2.")).toBeAttached();
  await expect(back).toBeFocused();
  await tabTo(page, panel.getByRole("button", { name: "Add Product" }));
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Whistle has been added to the store with 2 images.");
  await expect(page.getByRole("button", { name: "Add New Product" })).toBeFocused();

  const remove = page.getByRole("button", { name: "Delete Whistle" });
  await tabTo(page, remove);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Delete this product?" })).toBeVisible();
  await isSound(page, "the question before deleting a product");
  await page.keyboard.press("Escape");
  await expect(remove).toBeFocused();
});
