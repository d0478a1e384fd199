import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import { useFilters } from "../../lib/filters";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Field, Select } from "../../ui/field";
import { Segmented } from "../../ui/segmented";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { toastFailure } from "../shared/error-toast";
import { Listing } from "../shared/listing";
import { useTestMail } from "../shared/send-test";
import { inScheme, withoutLinks } from "./color-scheme";
import { sampleQuery, samplesQuery, testSample, type Sample, type SampleName } from "./queries";
import { groups } from "./words";

const forms = ["light", "dark", "text"] as const;
type Form = (typeof forms)[number];
const formWords: Record<Form, string> = { light: "Light", dark: "Dark", text: "Text" };

/** Every email that the portal sends, with made-up people. */
export function Samples() {
  const { params, set } = useFilters();
  const samples = useQuery(samplesQuery);
  const [form, setForm] = useState<Form>("light");
  return (
    <>
      <h2 className="sr-only">Every email</h2>
      <Listing
        list={samples}
        what="emails"
        failed="Failed to load the emails"
        skeleton={<PreviewSkeleton />}
        empty={null}
      >
        {(items) => {
          const shown = items.find(({ name }) => name === params.get("mail")) ?? items[0];
          if (!shown) return null;
          return (
            <div className="grid gap-6 lg:grid-cols-[17rem_minmax(0,1fr)]">
              <Names items={items} shown={shown.name} onChoose={(name) => set({ mail: name })} />
              <Preview key={shown.name} name={shown.name} form={form} onForm={setForm} />
            </div>
          );
        }}
      </Listing>
    </>
  );
}

type NamesProps = { items: SampleName[]; shown: string; onChoose: (name: string) => void };

/** A list beside the preview. On a phone, a select box above it. */
function Names({ items, shown, onChoose }: NamesProps) {
  const grouped = groups.map(({ group, label }) => ({ label, mails: items.filter((item) => item.group === group) }));
  return (
    <>
      <Field label="Email" className="lg:hidden">
        <Select value={shown} onChange={(event) => onChoose(event.target.value)}>
          {grouped.map(({ label, mails }) => (
            <optgroup key={label} label={label}>
              {mails.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      </Field>
      <nav aria-label="Emails" className="sheet max-h-[46rem] overflow-y-auto p-2 max-lg:hidden">
        {grouped.map(({ label, mails }) => (
          <section key={label} aria-label={label} className="not-first:mt-3">
            <h3 className="px-3 py-1.5 text-sm font-medium text-muted">{label}</h3>
            <ul>
              {mails.map(({ name, title }) => (
                <li key={name}>
                  <Link
                    to={staffPaths.mailSample(name)}
                    aria-current={name === shown ? "true" : undefined}
                    className={cx(
                      "block rounded-md px-3 py-1.5 text-sm hover:bg-sunk",
                      "aria-[current=true]:bg-pine-wash aria-[current=true]:font-medium aria-[current=true]:text-pine",
                    )}
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </>
  );
}

type PreviewProps = { name: string; form: Form; onForm: (form: Form) => void };

function Preview({ name, form, onForm }: PreviewProps) {
  const sample = useQuery(sampleQuery(name));
  const test = useTestMail();
  const send = useAction({
    mutationFn: () => testSample(name),
    onSuccess: test.sent,
    onError: (error) => toastFailure(error, "The test could not be sent."),
  });
  if (!sample.data) {
    return sample.isError ? (
      <ErrorState
        title="Failed to load the email"
        error={sample.error}
        retrying={sample.isFetching}
        onRetry={sample.refetch}
      />
    ) : (
      <PreviewSkeleton />
    );
  }
  const { subject, from, preview } = sample.data;
  return (
    <div className="min-w-0">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <p className="text-sm text-muted wrap-anywhere">
            <bdi>{from}</bdi>
          </p>
          <p className="font-medium wrap-anywhere">
            <bdi>{subject}</bdi>
          </p>
          <p className="max-w-[70ch] text-sm text-muted wrap-anywhere">
            <bdi>{preview}</bdi>
          </p>
        </div>
        <div className="flex flex-wrap gap-3">
          <Segmented
            label="How to show it"
            value={form}
            options={forms.map((value) => ({ value, label: formWords[value] }))}
            onChange={onForm}
          />
          <Button look="line" icon="mail" busy={send.isPending} onClick={() => send.mutate()}>
            {send.isPending ? "Sending test..." : "Send me a test"}
          </Button>
        </div>
      </div>
      <Body sample={sample.data} form={form} />
      <p className="mt-3 max-w-[80ch] text-sm text-muted">
        People and amounts are invented, and the links open nothing. Colors, logo and contact details are yours, from
        the settings.
      </p>
    </div>
  );
}

/** The email as a mail program would show it. The frame runs no scripts, and its links lead nowhere. */
function Body({ sample, form }: { sample: Sample; form: Form }) {
  const { title, html, text } = sample;
  if (form === "text") {
    return (
      <pre className="sheet overflow-x-auto p-5 text-sm wrap-anywhere whitespace-pre-wrap" dir="auto">
        {text}
      </pre>
    );
  }
  return (
    <iframe
      title={`Preview: ${title}`}
      sandbox=""
      srcDoc={withoutLinks(inScheme(html, form))}
      // Focusable, so that the keyboard can scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="sheet block h-[46rem] max-h-[80dvh] w-full p-0"
    />
  );
}

const PreviewSkeleton = () => (
  <Loading label="Loading the email" className="sheet grid gap-3 p-5">
    <Skeleton className="h-5 w-1/3" />
    <Skeleton className="h-7 w-2/3" />
    <Skeleton className="h-96" />
  </Loading>
);
