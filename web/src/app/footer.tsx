import { lazy, Suspense, type ReactNode } from "react";
import { useSite } from "../api/queries";
import { ErrorBoundary } from "./error-boundary";
import { Logo } from "./logo";
import { legalLinks, quickLinks, supportLinks } from "./nav";
import { ThemeSwitch } from "./theme";
import { Link } from "../lib/navigation";
import { telephone } from "../lib/telephone";

const StayUpdated = lazy(() => import("../subscribers/stay-updated"));

const linkLook = "inline-flex min-h-9 items-center wrap-anywhere text-ink no-underline hover:underline";

export function Footer() {
  const site = useSite();
  return (
    <footer className="mt-auto flow-root text-[0.95rem]">
      {/* The line of trees is on the upper edge of the footer. */}
      <div aria-hidden="true" className="treeline mt-section h-16 bg-sunk" />
      <div className="-mt-px bg-sunk">
        <div className="wrap">
          <div className="flex flex-wrap gap-x-6 gap-y-8 pt-10 pb-8 md:grid md:grid-cols-[1fr_1fr_1.6fr] lg:grid-cols-[1.5fr_0.9fr_1.2fr_1.6fr]">
            <div className="col-span-full w-full lg:col-span-1">
              <Logo />
              <p className="mt-3 max-w-[34ch] text-muted">A friendly hub for daily updates and progress reports.</p>
            </div>
            <Column title="Quick Links">
              {quickLinks.map(({ label, to }) => (
                <li key={label}>
                  <Link to={to} className={linkLook}>
                    {label}
                  </Link>
                </li>
              ))}
            </Column>
            <Column title="Support">
              {supportLinks.map(({ label, to }) => (
                <li key={label}>
                  <Link to={to} className={linkLook}>
                    {label}
                  </Link>
                </li>
              ))}
              {site?.contact_email && (
                <li>
                  <a href={`mailto:${site.contact_email}`} className={linkLook}>
                    <span>
                      {/* Lets the address break after the @ before it breaks at a hyphen. */}
                      {site.contact_email.split(/(?<=@)/).map((part) => (
                        <span key={part} className="inline-block max-w-full wrap-anywhere">
                          {part}
                        </span>
                      ))}
                    </span>
                  </a>
                </li>
              )}
              {site?.contact_phone && (
                <li>
                  <a href={telephone(site.contact_phone)} className={linkLook}>
                    <bdi dir="ltr" className="tabular-nums">
                      {site.contact_phone}
                    </bdi>
                  </a>
                </li>
              )}
            </Column>
            <section aria-labelledby="stay-updated-title" className="w-full min-w-0">
              <h2 id="stay-updated-title" className="mb-2 text-[1.05rem]">
                Stay Updated
              </h2>
              <p id="stay-updated" className="mb-2.5 text-sm text-muted">
                Our newsletter. We’ll email you to confirm first.
              </p>
              <div className="min-h-12">
                <ErrorBoundary small>
                  <Suspense>
                    <StayUpdated describedBy="stay-updated" />
                  </Suspense>
                </ErrorBoundary>
              </div>
            </section>
          </div>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t border-line py-4 text-sm text-muted">
            {site && (
              <span>
                © {site.current_year} {site.site_name}
              </span>
            )}
            {legalLinks.map(({ label, to }) => (
              <Link key={to} to={to} className="link">
                {label}
              </Link>
            ))}
            <span className="flex max-w-full flex-wrap items-center gap-x-3 md:ms-auto">
              Theme <ThemeSwitch />
            </span>
          </div>
        </div>
      </div>
    </footer>
  );
}

function Column({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0 grow">
      <h2 className="mb-2 text-[1.05rem]">{title}</h2>
      <ul>{children}</ul>
    </div>
  );
}
