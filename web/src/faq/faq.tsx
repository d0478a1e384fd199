import { useRef, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Faq as Entry } from "../api/client";
import { useSite } from "../api/queries";
import { useAnchor } from "../lib/anchor";
import { Link } from "../lib/navigation";
import { writeHash } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { directionOf } from "../ui/direction";
import { Icon } from "../ui/icon";
import { OwnLines } from "../ui/own-lines";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/states";
import { countView, faqQuery } from "./queries";
import "../ui/more-icons";

export default function Faq() {
  const site = useSite();
  const faq = useQuery(faqQuery);
  return (
    <Page>
      <PageMeta
        title="FAQ"
        description="Frequently asked questions about the videos, notifications, access and privacy."
      />
      {faq.data ? (
        faq.data.length > 0 ? (
          <Questions entries={faq.data} />
        ) : (
          <EmptyState
            title="No questions here yet"
            text="Ask us yours. The answer may help the next family."
            picture="/art/placeholder.svg"
          />
        )
      ) : faq.isError ? (
        <ErrorState
          title="The questions could not be loaded"
          error={faq.error}
          retrying={faq.isFetching}
          onRetry={faq.refetch}
        />
      ) : (
        <Loading label="Loading questions" className="border-t border-line">
          {Array.from({ length: 10 }, (_, i) => (
            <div key={i} className="flex min-h-16 items-center border-b border-line">
              <Skeleton className={i % 2 ? "w-2/3" : "w-1/2"} />
            </div>
          ))}
        </Loading>
      )}

      <section
        aria-labelledby="still"
        className="mt-12 flex flex-wrap items-center justify-between gap-x-8 gap-y-5 rounded-lg bg-pine-wash px-5 py-6 sm:px-8"
      >
        <div className="min-w-0">
          <h2 id="still" className="text-xl">
            Still Have Questions?
          </h2>
          {site?.contact_email && (
            <p className="mt-1 text-muted">
              Or write to{" "}
              <a href={`mailto:${site.contact_email}`} className="link wrap-anywhere">
                {site.contact_email}
              </a>
            </p>
          )}
        </div>
        <Link to={paths.contact} className={buttonLook()}>
          Contact Support
        </Link>
      </section>
    </Page>
  );
}

const Page = ({ children }: { children?: ReactNode }) => (
  <div className="wrap pt-8 md:pt-12">
    <div className="mx-auto max-w-[48rem]">
      <h1>Frequently Asked Questions</h1>
      <p className="mt-3 mb-8 max-w-[52ch] text-lg text-muted">What parents ask us most, and what we answer.</p>
      {children}
    </div>
  </div>
);

/** The page without its questions. */
export const Shell = () => <Page />;

/** Only one answer is open at a time. The URL names it, so that it can be shared. */
function Questions({ entries }: { entries: Entry[] }) {
  const asked = useAnchor();
  const [followed, setFollowed] = useState(asked);
  const [open, setOpen] = useState(asked);
  const counted = useRef(new Set<string>());

  if (asked !== followed) {
    setFollowed(asked);
    setOpen(asked);
  }

  function toggled(entry: Entry, isOpen: boolean) {
    if (!isOpen) {
      // The browser also closes the entry that was open before.
      setOpen((now) => (now === entry.slug ? "" : now));
      return;
    }
    setOpen(entry.slug);
    writeHash(`#${encodeURIComponent(entry.slug)}`);
    if (counted.current.has(entry.id)) return;
    counted.current.add(entry.id);
    // A view that could not be counted is ignored.
    countView(entry.id).catch(() => counted.current.delete(entry.id));
  }

  return (
    <div className="border-t border-line">
      {entries.map((entry) => (
        <details
          key={entry.id}
          id={entry.slug}
          name="faq"
          open={open === entry.slug}
          onToggle={({ currentTarget }) => toggled(entry, currentTarget.open)}
          className="group border-b border-line"
        >
          <summary className="flex min-h-16 items-center justify-between gap-4 -mx-2.5 rounded-sm px-2.5 py-3 hover:bg-sunk">
            <h2 dir={directionOf(entry.question)} className="min-w-0 flex-1 text-[min(1.2rem,9.5vw)] leading-snug">
              {entry.question}
            </h2>
            <Icon name="down" className="text-muted transition-[rotate] group-open:rotate-180" />
          </summary>
          <div className="grid grid-cols-1 gap-3 pt-1 pb-7">
            {entry.answer.split(/\n\s*\n/).map((paragraph, i) => (
              <p key={i}>
                <OwnLines text={paragraph} className="max-w-[64ch]">
                  {(text) => <WithMailLinks text={text} />}
                </OwnLines>
              </p>
            ))}
          </div>
        </details>
      ))}
    </div>
  );
}

const address = /([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/;

/** Turns email addresses in a text into links. */
const WithMailLinks = ({ text }: { text: string }) =>
  text.split(address).map((part, i) =>
    i % 2 === 1 ? (
      <a key={i} href={`mailto:${part}`} className="link wrap-anywhere">
        {part}
      </a>
    ) : (
      part
    ),
  );
