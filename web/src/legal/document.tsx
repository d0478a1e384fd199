import type { ReactNode } from "react";
import { useSite } from "../api/queries";
import { useAnchor } from "../lib/anchor";
import { fullDate } from "../lib/format";
import { PageMeta } from "../lib/page";
import { telephone } from "../lib/telephone";
import { splitScripts } from "../ui/two-scripts";

export type Part = { id: string; title: string; body: ReactNode };
type Props = { title: string; description: string; updated: string; lede: ReactNode; parts: Part[] };

/** A long text in a narrow column, with a table of contents on wide screens. */
export function LegalDocument({ title, description, updated, lede, parts }: Props) {
  useAnchor();
  return (
    <div className={documentLook}>
      <PageMeta title={title} description={description} />
      <Heading title={title} updated={updated}>
        <div className="mt-5 grid gap-3 text-lg">{lede}</div>
      </Heading>
      <nav
        aria-label="On this page"
        className="sheet mt-7 p-5 lg:sticky lg:top-22 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:mt-0 lg:self-start"
      >
        <p className="mb-1 font-head text-lg">On this page</p>
        <ol className="text-sm">
          {parts.map(({ id, title: name }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                className="flex min-h-9 items-center py-1 leading-snug text-ink no-underline hover:underline"
              >
                {name}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div className="mt-10 grid max-w-[68ch] gap-10">
        {parts.map(({ id, title: name, body }) => (
          <section key={id} aria-labelledby={id} className="grid gap-3">
            <h2 id={id} className="text-xl">
              {name}
            </h2>
            {body}
          </section>
        ))}
      </div>
    </div>
  );
}

const documentLook = "wrap pt-8 lg:grid lg:grid-cols-[minmax(0,1fr)_17rem] lg:gap-x-16 lg:pt-12";

const Heading = ({ title, updated, children }: Pick<Props, "title" | "updated"> & { children?: ReactNode }) => (
  <header className="max-w-[68ch]">
    <h1>{title}</h1>
    <p className="mt-2 text-sm text-muted">
      Last updated: <time dateTime={updated}>{fullDate(updated)}</time>
    </p>
    {children}
  </header>
);

/** The document without its text, which depends on the settings. */
export const LegalShell = (props: Pick<Props, "title" | "updated">) => (
  <div className={documentLook}>
    <Heading {...props} />
  </div>
);

export const Points = ({ children }: { children: ReactNode }) => (
  <ul className="grid list-disc gap-2 ps-5 marker:text-muted">{children}</ul>
);

/** A list of terms and what is said about each. */
export const Terms = ({ children }: { children: [term: string, meaning: ReactNode][] }) => (
  <dl className="border-t border-line">
    {children.map(([term, meaning]) => (
      <div key={term} className="grid gap-x-6 gap-y-0.5 border-b border-line py-3 sm:grid-cols-[10.5rem_1fr]">
        <dt className="font-medium">{term}</dt>
        <dd>{meaning}</dd>
      </div>
    ))}
  </dl>
);

/** The camp's contact details from the settings. */
export function HowToReachUs() {
  const site = useSite();
  if (!site) return null;
  const { contact_email: email, contact_phone: phone } = site;
  return (
    <address className="not-italic">
      <strong className="font-medium">{splitScripts(site.site_name)[0]}</strong>
      {email && (
        <>
          , email{" "}
          <a href={`mailto:${email}`} className="link wrap-anywhere">
            {email}
          </a>
        </>
      )}
      {phone && (
        <>
          , phone{" "}
          <a href={telephone(phone)} className="link">
            <bdi dir="ltr" className="whitespace-nowrap tabular-nums">
              {phone}
            </bdi>
          </a>
        </>
      )}
    </address>
  );
}
