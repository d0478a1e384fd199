import { useState } from "react";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { ConfirmDialog, Dialog } from "./dialog";
import { Drawer } from "./drawer";

let wishes: string[] = [];
beforeEach(() => {
  wishes = [];
});

/** A form that asks before it closes, as a dialog and as a drawer. */
function Form({ as: Frame }: { as: typeof Drawer }) {
  const [asking, setAsking] = useState(false);
  return (
    <Frame
      title="Form"
      onClose={() => {
        wishes.push("form");
        setAsking(true);
      }}
    >
      <input type="file" aria-label="Video" />
      {asking && (
        <ConfirmDialog
          title="Leave without saving?"
          name="Form"
          action="Discard"
          onConfirm={() => undefined}
          onClose={() => {
            wishes.push("question");
            setAsking(false);
          }}
        />
      )}
    </Frame>
  );
}

/** Only a file field's cancel event bubbles. */
const cancel = (element: Element) =>
  fireEvent(element, new Event("cancel", { bubbles: element instanceof HTMLInputElement, cancelable: true }));
/** The second Back in a row: the browser closes the dialog and only reports it afterwards. */
const shut = (dialog: HTMLElement) => act(async () => (dialog as HTMLDialogElement).close());
const form = () => screen.getByRole("dialog", { name: "Form" });
const question = () => screen.queryByRole("dialog", { name: "Leave without saving?" });

it.each([
  ["dialog", Dialog],
  ["drawer", Drawer],
])("a canceled file chooser does not close the %s around it", (_name, frame) => {
  render(<Form as={frame} />);
  cancel(screen.getByLabelText("Video"));
  expect(wishes).toEqual([]);
});

it.each([
  ["dialog", Dialog],
  ["drawer", Drawer],
])("Back in a question leads back to the %s below it", async (_name, frame) => {
  render(<Form as={frame} />);
  cancel(form());
  expect(question()).toBeTruthy();
  cancel(question()!);
  expect(question()).toBeNull();
  expect(wishes).toEqual(["form", "question"]);

  cancel(form());
  await shut(question()!);
  expect(question()).toBeNull();
  expect(form()).toHaveProperty("open", true);
});

it.each([
  ["dialog", Dialog],
  ["drawer", Drawer],
])("a %s that the browser closes is open again, and asks", async (_name, frame) => {
  render(<Form as={frame} />);
  await shut(form());
  expect(form()).toHaveProperty("open", true);
  expect(question()).toBeTruthy();
  expect(wishes).toEqual(["form"]);
});
