import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { useSearchParams, writeHash } from "./address";
import { Link, navigate, Navigation, useHash, useRestored } from "./navigation";

function Page() {
  const [params, setParams] = useSearchParams();
  return (
    <>
      <output>{JSON.stringify([params.get("q"), useHash(), useRestored()])}</output>
      <button onClick={() => setParams((now) => ({ ...Object.fromEntries(now), sort: "new" }), { replace: true })}>
        Sort
      </button>
      <Link to="/faq?q=lake">Lake</Link>
    </>
  );
}

function open(address: string) {
  history.pushState(null, "", address);
  render(
    <Navigation>
      <Page />
    </Navigation>,
  );
  return userEvent.setup();
}
const shown = () => JSON.parse(screen.getByRole("status").textContent) as unknown[];

it("the query is decoded once, and changing it keeps the rest", async () => {
  const user = open("/faq?q=50%2525+%26");
  expect(shown()[0]).toBe("50%25 &");
  await user.click(screen.getByRole("button"));
  expect(location.search).toBe("?q=50%2525+%26&sort=new");
});

it("a link to the page itself takes the place of its entry in the history", async () => {
  const user = open("/faq");
  const before = history.length;
  await user.click(screen.getByRole("link"));
  expect(history.length).toBe(before + 1);
  await user.click(screen.getByRole("link"));
  expect(history.length).toBe(before + 1);
  expect(shown()[0]).toBe("lake");
});

it("only a hash that was followed counts, and Back is told from a link", async () => {
  open("/faq#one");
  expect(shown().slice(1)).toEqual(["#one", false]);
  act(() => writeHash("#two"));
  expect(location.hash).toBe("#two");
  expect(shown()[1]).toBe("#one");
  act(() => navigate("/faq?q=x#three"));
  expect(shown().slice(1)).toEqual(["#three", false]);
  act(() => history.back());
  await expect.poll(shown).toEqual([null, "#two", true]);
});
