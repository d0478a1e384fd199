import { useRef, useState, type MouseEvent } from "react";
import { Button } from "../../ui/button";
import { toast } from "../../ui/toast";
import { useStaff } from "./session";

/**
 * For a form that staff can email to themselves before it is sent to others. "Send me a test" checks and submits the
 * form like its own button, and `isTest` tells the two apart.
 */
export function useTestMail() {
  const asked = useRef(false);
  const [shown, setShown] = useState(false);
  const email = useStaff()?.email;
  const ask = (test: boolean) => {
    asked.current = test;
    setShown(test);
  };
  return {
    /** Whether the last press was for a test. For event handlers. */
    isTest: () => asked.current,
    /** The same, for rendering. */
    testing: shown,
    /** For the form's own submit button, also when Enter presses it. */
    onSubmitClick: () => ask(false),
    onTestClick(event: MouseEvent<HTMLButtonElement>) {
      ask(true);
      event.currentTarget.form?.requestSubmit();
    },
    sent: () => toast({ title: "Test Sent", description: email ? `It is on its way to ${email}.` : undefined }),
  };
}

type ButtonProps = { busy: boolean; test: ReturnType<typeof useTestMail>; className?: string };

export const TestMailButton = ({ busy, test, className }: ButtonProps) => (
  <Button look="line" busy={busy} onClick={test.onTestClick} className={className}>
    {busy && test.testing ? "Sending test..." : "Send me a test"}
  </Button>
);
