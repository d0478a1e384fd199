import { useId, useState } from "react";
import type { Filters } from "../../lib/filters";
import { shortDate } from "../../lib/format";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Field, Select, TextInput } from "../../ui/field";
import { DayField, problemsOfDays } from "../shared/days";
import { ChosenFilters, FiltersButton } from "../shared/filter-row";
import type { Filter, Menus } from "./queries";
import { actionLabel, isRecordId, kinds, shortId, subjectLabel, topicLabel, topicOf, type Kind } from "./words";

const keys = ["who", "by", "what", "of", "record", "from", "to"] as const;
type Asked = Record<(typeof keys)[number], string>;

const kindNames = Object.keys(kinds) as Kind[];

/** Reads the filter from the URL, with its errors. */
export function readFilter(params: URLSearchParams) {
  const asked = Object.fromEntries(keys.map((key) => [key, params.get(key)?.trim() ?? ""])) as Asked;
  const kind = kindNames.find((one) => one === asked.by);
  const wrong: Partial<Record<"record" | "from" | "to", string>> = problemsOfDays(asked);
  if (asked.record && !isRecordId(asked.record)) wrong.record = "Please enter a whole record id, or leave it empty.";
  const filter: Filter = {
    ...(kind ? { actor_kind: kind } : {}),
    ...(asked.who ? { actor: asked.who } : {}),
    ...(asked.what ? { action: asked.what } : {}),
    ...(asked.of ? { subject_kind: asked.of } : {}),
    ...(asked.record ? { subject_id: asked.record } : {}),
    ...(asked.from ? { from: asked.from } : {}),
    ...(asked.to ? { to: asked.to } : {}),
  };
  return { asked, filter, wrong, count: Object.keys(filter).length };
}

/** The active filters in words. */
const saidOf = (
  { actor_kind, actor, action, subject_kind, subject_id, from, to }: Filter,
  menus: Menus | undefined,
) => [
  actor_kind && kinds[actor_kind],
  actor && nameOf(actor),
  action && (isTopic(action, menus) ? topicLabel(action) : actionLabel(action)),
  subject_kind && `Record: ${subjectLabel(subject_kind)}`,
  subject_id && `Record ${shortId(subject_id)}`,
  from && `From ${shortDate(from)}`,
  to && `To ${shortDate(to)}`,
];

const nameOf = (actor: string) => (isRecordId(actor) ? "One account" : actor);
const isTopic = (action: string, menus: Menus | undefined) =>
  menus ? menus.actions.some((one) => topicOf(one) === action && one !== action) : !action.includes(".");

export const nothingAsked = Object.fromEntries(keys.map((key) => [key, ""]));

type Props = {
  read: ReturnType<typeof readFilter>;
  set: Filters["set"];
  menus: Menus | undefined;
  refused: Record<string, string>;
};

/** Filters by person, action, record and dates. On a phone they are collapsed behind a button. */
export function FilterBar({ read: { asked, filter, wrong, count }, set, menus, refused }: Props) {
  const panel = useId();
  const troubled = Object.keys(wrong).length > 0 || Object.keys(refused).length > 0;
  const [unfolded, setUnfolded] = useState(false);
  const open = unfolded || troubled;

  return (
    <div role="search" aria-label="Filter the audit log" className="mb-5">
      <div className="flex flex-wrap gap-2 md:hidden">
        <FiltersButton count={count} open={open} panel={panel} onToggle={() => setUnfolded(!open)} className="flex-1" />
        {count > 0 && (
          <Button look="quiet" onClick={() => set(nothingAsked)}>
            Clear
          </Button>
        )}
      </div>
      {!open && <ChosenFilters chosen={saidOf(filter, menus)} className="mt-2 md:hidden" />}
      <div
        id={panel}
        className={cx(
          "grid grid-cols-2 items-start gap-x-3 gap-y-3.5 md:grid-cols-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,1.3fr)_minmax(0,1fr)_minmax(0,1fr)_9.25rem_9.25rem]",
          open ? "max-md:mt-4" : "max-md:hidden",
        )}
      >
        <Who asked={asked} menus={menus} error={refused.actor ?? null} set={set} />
        <What asked={asked.what} menus={menus} error={refused.action ?? null} set={set} />
        <KindOfRecord asked={asked.of} menus={menus} error={refused.subject_kind ?? null} set={set} />
        <RecordId
          key={asked.record}
          asked={asked.record}
          error={wrong.record ?? null}
          onAsk={(record) => set({ record }, true)}
        />
        <DayField
          label="From"
          value={asked.from}
          error={wrong.from ?? refused.from ?? null}
          onChange={(from) => set({ from }, true)}
          className="md:col-span-2 xl:col-span-1"
        />
        <DayField
          label="To"
          value={asked.to}
          error={wrong.to ?? refused.to ?? null}
          onChange={(to) => set({ to }, true)}
          className="md:col-span-2 xl:col-span-1"
        />
      </div>
      {count > 0 && (
        <Button look="quiet" icon="close" onClick={() => set(nothingAsked)} className="mt-2 -ms-2 max-md:hidden">
          Clear filters
        </Button>
      )}
    </div>
  );
}

type MenuProps<Value> = { asked: Value; menus: Menus | undefined; error: string | null; set: Filters["set"] };

function Who({ asked, menus, error, set }: MenuProps<Asked>) {
  return (
    <Field label="Who" error={error} className="max-md:col-span-2 md:col-span-2 xl:col-span-1">
      <Select
        value={asked.who || (asked.by && `by ${asked.by}`)}
        onChange={({ target }) =>
          set(target.value.startsWith("by ") ? { who: "", by: target.value.slice(3) } : { who: target.value, by: "" })
        }
      >
        <option value="">Anybody</option>
        {kindNames.map((kind) => (
          <option key={kind} value={`by ${kind}`}>
            {kinds[kind]}
          </option>
        ))}
        <optgroup label="Staff accounts">
          {menus?.staff.map(({ id, username }) => (
            <option key={id} value={username}>
              {username}
            </option>
          ))}
          {asked.who && !menus?.staff.some(({ username }) => username === asked.who) && (
            <option value={asked.who}>{nameOf(asked.who)}</option>
          )}
        </optgroup>
      </Select>
    </Field>
  );
}

function What({ asked, menus, error, set }: MenuProps<string>) {
  const actionsOf = (topic: string) => menus?.actions.filter((action) => topicOf(action) === topic) ?? [];
  const topics = [...new Set(menus?.actions.map(topicOf))].map((topic) => [topic, actionsOf(topic)] as const);
  return (
    <Field label="What" error={error} className="max-md:col-span-2 md:col-span-2 xl:col-span-1">
      <Select value={asked} onChange={({ target }) => set({ what: target.value })}>
        <option value="">Anything</option>
        {topics.map(([topic, actions]) => (
          <optgroup key={topic} label={topicLabel(topic)}>
            {actions.length > 1 && <option value={topic}>{topicLabel(topic)}: everything</option>}
            {actions.map((action) => (
              <option key={action} value={action}>
                {actionLabel(action)}
              </option>
            ))}
          </optgroup>
        ))}
        {asked && !menus?.actions.some((action) => action === asked || topicOf(action) === asked) && (
          <option value={asked}>{actionLabel(asked)}</option>
        )}
      </Select>
    </Field>
  );
}

function KindOfRecord({ asked, menus, error, set }: MenuProps<string>) {
  return (
    <Field label="Kind of record" error={error} className="max-md:col-span-2 md:col-span-2 xl:col-span-1">
      <Select value={asked} onChange={({ target }) => set({ of: target.value })}>
        <option value="">Any record</option>
        {menus?.subjects.map((kind) => (
          <option key={kind} value={kind}>
            {subjectLabel(kind)}
          </option>
        ))}
        {asked && !menus?.subjects.includes(asked) && <option value={asked}>{subjectLabel(asked)}</option>}
      </Select>
    </Field>
  );
}

type RecordIdProps = { asked: string; error: string | null; onAsk: (id: string) => void };

/** Applies the filter as soon as an id is complete, or when the field loses focus. */
function RecordId({ asked, error, onAsk }: RecordIdProps) {
  const [typed, setTyped] = useState(asked);
  const ask = (text: string) => text !== asked && onAsk(text);
  return (
    <Field
      label="Record id"
      error={typed.trim() === asked ? error : null}
      className="max-md:col-span-2 md:col-span-2 xl:col-span-1"
    >
      <TextInput
        value={typed}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        placeholder="Any"
        onChange={({ target }) => {
          setTyped(target.value);
          const id = target.value.trim();
          if (id === "" || isRecordId(id)) ask(id);
        }}
        onBlur={() => ask(typed.trim())}
        onKeyDown={({ key }) => key === "Enter" && ask(typed.trim())}
      />
    </Field>
  );
}
