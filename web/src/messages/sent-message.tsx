import { useEffect, useRef } from "react";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { InlineTitle } from "../ui/inline-title";
import { OwnLines } from "../ui/own-lines";

/** What the page shows about a sent message. */
export type Sent = {
  id: string;
  email: string;
  subject: string;
  department: string;
  message: string;
  child_name: string | null;
  copyMailed: boolean;
};

/** The message as it was sent. It stays on the page until the sender wants to write another one. */
export function SentMessage({ sent, focused, onAnother }: { sent: Sent; focused: boolean; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focused) heading.current?.focus();
  }, [focused]);
  return (
    <section aria-labelledby="sent" className="sheet mt-8 grid gap-5 p-5 shadow-low sm:p-6">
      <div className="flex items-start gap-3">
        <span className="grid size-11 shrink-0 place-items-center rounded-full bg-pine-wash text-pine">
          <Icon name="check" />
        </span>
        <div>
          <h2 ref={heading} id="sent" tabIndex={-1} className="text-xl">
            Your message was sent
          </h2>
          <p className="text-muted">We'll get back to you within 24 hours during season.</p>
        </div>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 border-t border-line pt-4">
        <dt className="text-muted">To</dt>
        <dd>{sent.department}</dd>
        <dt className="text-muted">Subject</dt>
        <dd className="font-medium wrap-anywhere">
          <InlineTitle>{sent.subject}</InlineTitle>
        </dd>
        {sent.child_name && (
          <>
            <dt className="text-muted">Child</dt>
            <dd>
              <bdi>{sent.child_name}</bdi>
            </dd>
          </>
        )}
      </dl>
      <p className="rounded-md bg-sunk px-4 py-3 wrap-anywhere">
        <OwnLines text={sent.message} />
      </p>
      <p className="text-sm text-muted">
        {sent.copyMailed ? (
          <>
            A copy is on its way to <bdi className="wrap-anywhere text-ink">{sent.email}</bdi>.
          </>
        ) : (
          <>
            A short confirmation is on its way to <bdi className="wrap-anywhere text-ink">{sent.email}</bdi>. It does
            not include your message: we send copies only to people who are signed in with a confirmed email. To keep
            your message, copy it from this page.
          </>
        )}
      </p>
      <Button look="line" icon="mail" onClick={onAnother} className="justify-self-start max-sm:w-full">
        Send another message
      </Button>
    </section>
  );
}
