import { act } from "@testing-library/react";
import { vi } from "vitest";

/** The server's end of every event stream that the page opened. */
export function eventLine() {
  const lines: Line[] = [];

  class Line extends EventTarget {
    closed = false;
    constructor(readonly url: string) {
      super();
      lines.push(this);
    }
    close() {
      this.closed = true;
    }
  }
  vi.stubGlobal("EventSource", Line);

  const open = () => lines.filter((line) => !line.closed);
  return {
    lines,
    open,
    /** Tells the page that the stream is connected. */
    hello(id: number) {
      act(() => {
        open().at(-1)?.dispatchEvent(new Event("open"));
        this.tell("hello", { id }, String(id));
      });
    },
    tell(event: string, data: unknown, id = "") {
      act(
        () =>
          void open()
            .at(-1)
            ?.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data), lastEventId: id })),
      );
    },
    cut() {
      act(() => void open().at(-1)?.dispatchEvent(new Event("error")));
    },
  };
}
