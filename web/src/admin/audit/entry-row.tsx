import { campDateTime } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import type { Entry, Line } from "./queries";
import { actionLabel, actorLabel, fieldLabel, linkedRecord, shortId, shown, subjectLabel, type Reading } from "./words";

type Props = { entry: Entry; reading: Reading; record: string | undefined };

export function EntryRow({ entry, reading, record }: Props) {
  const { id, at, action, lines, subject_id } = entry;
  const changes = lines.filter(({ before }) => before !== undefined);
  // The name of the record comes first.
  const facts = lines
    .filter(({ before }) => before === undefined)
    .toSorted((a, b) => Number(isName(b)) - Number(isName(a)));
  return (
    <li
      aria-labelledby={`${id}-what`}
      className="grid gap-x-6 gap-y-2 border-line px-4 py-3.5 not-first:border-t lg:grid-cols-[minmax(0,19rem)_minmax(0,1fr)]"
    >
      <div className="grid content-start gap-0.5">
        <h3 id={`${id}-what`} className="font-sans text-base leading-snug">
          {actionLabel(action)}
        </h3>
        <p className="text-sm text-muted">
          by <Actor entry={entry} />
        </p>
        <time dateTime={at} className="text-sm text-muted tabular-nums">
          {campDateTime(at, reading.timeZone)}
        </time>
      </div>
      <div className="grid min-w-0 content-start gap-2">
        {changes.length > 0 && <Changes lines={changes} reading={reading} />}
        {facts.length > 0 && <Facts lines={facts} reading={reading} />}
        {(subject_id || entry.subject_name) && (
          <p className="text-sm wrap-anywhere text-muted">
            <Subject entry={entry} />
            {subject_id && (
              <>
                {" "}
                {record === subject_id ? (
                  <span>{subject_id}</span>
                ) : (
                  <Link to={staffPaths.auditOf(subject_id)} className="link">
                    <span className="sr-only">Everything about record </span>
                    {shortId(subject_id)}
                  </Link>
                )}
              </>
            )}
          </p>
        )}
      </div>
    </li>
  );
}

const isName = ({ field }: Line) => field === "title" || field === "question";

function Actor({ entry }: { entry: Entry }) {
  const { actor_name, actor_family, actor_id } = entry;
  if (actor_name) return <bdi className="font-medium text-ink">{actor_name}</bdi>;
  const label = actorLabel(entry);
  if (actor_family)
    return (
      <Link to={staffPaths.user(actor_family)} className="link">
        {label}
      </Link>
    );
  return (
    <>
      {label}
      {actor_id && ` ${shortId(actor_id)}`}
    </>
  );
}

/** The record, with a link to its page while it exists. */
function Subject({ entry }: { entry: Entry }) {
  const { subject_kind, subject_name, subject_family } = entry;
  const kind = subjectLabel(subject_kind);
  if (subject_family)
    return (
      <Link to={staffPaths.user(subject_family)} className="link">
        {kind}
        {subject_name && (
          <>
            {" "}
            <bdi>{subject_name}</bdi>
          </>
        )}
      </Link>
    );
  if (!subject_name) return <>{kind}</>;
  const page = pageOf(subject_kind, subject_name);
  return (
    <>
      {kind}{" "}
      {page ? (
        <Link to={page} className="link">
          <bdi>{subject_name}</bdi>
        </Link>
      ) : (
        <bdi>{subject_name}</bdi>
      )}
    </>
  );
}

function pageOf(kind: string, name: string) {
  const found = `?q=${encodeURIComponent(name)}`;
  switch (kind) {
    case "video":
      return staffPaths.reports + found;
    case "product":
      return staffPaths.store + found;
    case "live_update":
      return staffPaths.liveUpdates + found;
    case "faq":
      return staffPaths.faq + found;
    case "letter":
      return `${staffPaths.messages}?view=newsletters`;
    case "staff":
      return staffPaths.accounts;
    default:
      return null;
  }
}

type LinesProps = { lines: Line[]; reading: Reading };

/** Before and after side by side, or stacked on narrow screens. */
const Changes = ({ lines, reading }: LinesProps) => (
  <dl className="grid gap-1.5 text-sm">
    {lines.map(({ field, before, after }) => (
      <div key={field} className="grid gap-x-3 sm:grid-cols-[9.5rem_minmax(0,1fr)]">
        <dt className="text-muted">{fieldLabel(field)}</dt>
        <dd className="wrap-anywhere">
          <span className="sr-only">before </span>
          <bdi className="rounded-sm bg-clay-wash px-1.5 py-0.5 box-decoration-clone line-through decoration-muted">
            {shown(field, before, reading)}
          </bdi>
          <span aria-hidden="true" className="px-1 text-muted">
            →
          </span>
          <span className="sr-only">, after </span>
          <bdi className="rounded-sm bg-pine-wash px-1.5 py-0.5 box-decoration-clone">
            {shown(field, after, reading)}
          </bdi>
        </dd>
      </div>
    ))}
  </dl>
);

const Facts = ({ lines, reading }: LinesProps) => (
  <dl className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
    {lines.map((line) => {
      const to = linkedRecord(line);
      const text = shown(line.field, line.after, reading);
      return (
        <div key={line.field} className="wrap-anywhere">
          <dt className="inline text-muted">{fieldLabel(line.field)}: </dt>
          <dd className="inline">
            {to ? (
              <Link to={staffPaths.auditOf(to)} className="link">
                {text}
              </Link>
            ) : (
              <bdi>{text}</bdi>
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);
