import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Product } from "../api/client";
import { open, refuse, server } from "../test/portal";

const product = (change: Partial<Product> = {}): Product => ({
  id: "p1",
  title: "Camp cap",
  description: "Green twill.",
  price: 1_850,
  category: "accessories",
  stock_quantity: 12,
  is_new: false,
  is_bestseller: false,
  is_featured: false,
  images: [],
  ...change,
});
const picture = (n: number) => ({
  id: `i${n}`,
  image_url: `/media/products/i${n}`,
  thumb_url: `/media/products/i${n}/thumb`,
  alt_text: `Camp cap ${n}`,
  display_order: n - 1,
});
const store = (items: Product[], shop_url: string | null = null, currency = "USD") => ({
  "GET /api/store": { items, next: null, currency, shop_url },
});
const card = async (name: string) =>
  within((await screen.findByRole("heading", { name, level: 3 })).closest("article")!);

it("a product shows its price, what is special about it, and how to order", async () => {
  server(
    store([
      product({ is_new: true, is_bestseller: true, is_featured: true }),
      product({ id: "p2", title: "Lantern & rope", price: 3_400, stock_quantity: 0 }),
    ]),
  );
  open("/store");
  expect(await screen.findByRole("heading", { name: "Camp Store", level: 1 })).toBeTruthy();
  const cap = await card("Camp cap");
  for (const text of ["$18.50", "New", "Bestseller", "Featured", "Accessories", "Green twill."])
    expect(cap.getByText(text)).toBeTruthy();
  expect(cap.queryByText("Out of stock")).toBeNull();
  expect(cap.getByRole("link", { name: "Contact us to order Camp cap" }).getAttribute("href")).toBe(
    "/contact?product=Camp%20cap",
  );

  const lantern = await card("Lantern & rope");
  expect(lantern.getByText("Out of stock")).toBeTruthy();
  expect(lantern.getByText("$34")).toBeTruthy();
  expect(lantern.getByRole("link").getAttribute("href")).toBe("/contact?product=Lantern%20%26%20rope");
});

it("prices are in the camp's currency", async () => {
  server(store([product()], null, "GBP"));
  open("/store");
  expect((await card("Camp cap")).getByText("£18.50")).toBeTruthy();
});

it("a product has its pictures, or a parcel that shows no particular thing", async () => {
  server(store([product(), product({ id: "p2", title: "Two sides", images: [picture(1), picture(2)] })]));
  open("/store");
  const bare = (await card("Camp cap")).getByRole("presentation");
  expect(bare.getAttribute("src")).toBe("/art/product-accessories.svg");

  const both = await card("Two sides");
  expect(both.getAllByRole("img").map((img) => img.getAttribute("alt"))).toEqual(["Camp cap 1", "Camp cap 2"]);
  expect(both.getByText("2 pictures")).toBeTruthy();
  fireEvent.error(both.getByRole("img", { name: "Camp cap 1" }));
  fireEvent.error(both.getByRole("img", { name: "Camp cap 2" }));
  expect(both.getByRole("presentation").getAttribute("src")).toBe("/art/product-accessories.svg");
});

it("more products load at the press of a button", async () => {
  const page = store([product()])["GET /api/store"];
  const camp = server({
    "GET /api/store": ({ query }: { query: { cursor?: string } }) =>
      query.cursor ? { ...page, items: [product({ id: "p2", title: "Lantern" })] } : { ...page, next: "more" },
  });
  const user = open("/store");
  await user.click(await screen.findByRole("button", { name: "Load more products" }));
  expect(await card("Lantern")).toBeTruthy();
  expect(await card("Camp cap")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Load more products" })).toBeNull();
  expect(camp.asked("GET", "/api/store")).toHaveLength(2);
});

it("an empty store says so, and a failed one offers a retry", async () => {
  const camp = server(store([]));
  open("/store");
  expect(await screen.findByText("Nothing in the store yet")).toBeTruthy();
  expect(camp.asked("GET", "/api/store")).toHaveLength(1);
});

it("a failure is told apart from an empty store", async () => {
  const camp = server({ "GET /api/store": refuse(400, "bad_request") });
  const user = open("/store");
  expect(await screen.findByText("The store could not be loaded")).toBeTruthy();
  camp.answer("GET /api/store", store([product()])["GET /api/store"]);
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await card("Camp cap")).toBeTruthy();
});

describe("the embedded shop", () => {
  const shop = "https://shop.example/camp";
  const visited = vi.fn<(url: string | URL) => void>();
  const shown = vi.fn<() => void>();

  beforeEach(() => {
    visited.mockClear();
    shown.mockClear();
    vi.spyOn(location, "assign").mockImplementation(visited);
    Element.prototype.scrollIntoView = shown;
  });

  async function shopFrame() {
    server(store([], shop));
    open("/store");
    await screen.findByRole("heading", { name: "The shop" });
    const frame = await waitFor(() => screen.getByTitle<HTMLIFrameElement>("Camp shop"));
    Object.defineProperty(frame, "contentWindow", { value: { postMessage: () => undefined } });
    return frame;
  }

  const say = (
    frame: HTMLIFrameElement,
    data: unknown,
    { origin = "https://shop.example", source = frame.contentWindow as unknown } = {},
  ) =>
    act(() => {
      const message = new Event("message");
      Object.assign(message, { origin, source, data });
      dispatchEvent(message);
    });

  it("appears after half a second, in a sandbox, without any script of its own in our page", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    server(store([], shop));
    open("/store");
    await screen.findByRole("heading", { name: "The shop" });
    expect(screen.queryByTitle("Camp shop")).toBeNull();
    act(() => vi.advanceTimersByTime(500));
    const frame = screen.getByTitle("Camp shop");
    expect(frame.getAttribute("src")).toBe(shop);
    const allowed = frame.getAttribute("sandbox")!.split(" ");
    expect(allowed).toContain("allow-same-origin");
    expect(allowed.some((word) => word.includes("top-navigation"))).toBe(false);
    expect(document.querySelectorAll("script[src]")).toHaveLength(0);
    expect(frame.closest("section")?.className).toContain("max-w-[1040px]");
  });

  it("grows and shrinks as it says, within bounds", async () => {
    const frame = await shopFrame();
    say(frame, { type: "height", height: 1_800.4 });
    expect(frame.style.height).toBe("1801px");
    say(frame, { type: "height", height: 9_000_000 });
    expect(frame.style.height).toBe("12000px");
    say(frame, { type: "height", height: -5 });
    expect(frame.style.height).toBe("480px");
    for (const height of [Number.NaN, Infinity, "900", null]) say(frame, { type: "height", height });
    expect(frame.style.height).toBe("480px");
  });

  it("is believed only from its own window and its exact origin", async () => {
    const frame = await shopFrame();
    for (const origin of [
      "https://shop.example.evil.example",
      "http://shop.example",
      "https://shop.example:8443",
      "null",
      "",
    ]) {
      say(frame, { type: "height", height: 2_000 }, { origin });
      say(frame, { type: "navigate", url: shop }, { origin });
    }
    say(frame, { type: "height", height: 2_000 }, { source: window });
    say(frame, { type: "height", height: 2_000 }, { source: null });
    expect(frame.style.height).toBe("900px");
    expect(visited).not.toHaveBeenCalled();
  });

  it("may lead only to itself", async () => {
    const frame = await shopFrame();
    for (const url of [
      "https://evil.example/",
      "javascript:alert(1)",
      "https://shop.example@evil.example/",
      "//evil.example",
      "http://shop.example/",
      7,
    ]) {
      say(frame, { type: "navigate", url });
    }
    expect(visited).not.toHaveBeenCalled();
    say(frame, { type: "navigate", url: "/cart?x=1" });
    expect(visited.mock.calls).toEqual([["https://shop.example/cart?x=1"]]);
  });

  it("scrolls into view after 200 ms", async () => {
    const frame = await shopFrame();
    vi.useFakeTimers();
    say(frame, { type: "scroll" });
    act(() => vi.advanceTimersByTime(199));
    expect(shown).not.toHaveBeenCalled();
    act(() => vi.advanceTimersByTime(1));
    expect(shown).toHaveBeenCalledTimes(1);
  });

  it.each(["http://shop.example/", "javascript:alert(1)", "http://camp.test/shop", "no address"])(
    "is never shown from %s",
    async (address) => {
      server(store([product()], address));
      open("/store");
      await card("Camp cap");
      expect(screen.queryByRole("heading", { name: "The shop" })).toBeNull();
    },
  );
});
