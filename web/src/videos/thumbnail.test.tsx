import { fireEvent, render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Thumbnail } from "./thumbnail";

const images = () => [...document.querySelectorAll("img")];

it("a picture of another site is hidden until it is loaded, so that a blocked one is never seen broken", () => {
  render(<Thumbnail url="https://i.ytimg.com/vi/abc/maxresdefault.jpg" />);
  const [placeholder, picture] = images();
  expect(placeholder?.getAttribute("src")).toBe("/art/placeholder.svg");
  expect(picture?.className).toContain("opacity-0");
  fireEvent.error(picture!);
  fireEvent.error(images()[1]!);
  expect(images().map((image) => image.getAttribute("src"))).toEqual(["/art/placeholder.svg"]);
});

it("shows it once it is loaded, and the portal's own pictures at once", () => {
  render(<Thumbnail url="https://drive.example/thumbnail.jpg" />);
  fireEvent.load(images()[1]!);
  expect(images()).toHaveLength(1);
  expect(images()[0]?.className).not.toContain("opacity-0");
  render(<Thumbnail url="/media/thumbnails/v1" />);
  expect(images()).toHaveLength(2);
});
