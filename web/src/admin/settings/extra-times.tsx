import { useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useAction } from "../../api/use-action";
import { explain } from "../../lib/forms";
import { campTime, count, fullDate } from "../../lib/format";
import { Button, IconButton } from "../../ui/button";
import { Checkbox, Field, FieldError, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { readCalendar, type ExtraTime } from "./queries";

type Props = {
  /** A list of {@link ExtraTime} as JSON. */
  value: string;
  label: string;
  hint: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

const parseExtraTimes = (value: string) => JSON.parse(value || "[]") as ExtraTime[];
const written = (times: ExtraTime[]) => JSON.stringify(times.toSorted((a, b) => a.from.localeCompare(b.from)));

/** The camp's own quiet times. They are added one by one or from a calendar file, and saved with the form. */
export function ExtraTimes({ value, label, hint, error, onChange }: Props) {
  const id = useId();
  const times = parseExtraTimes(value);
  const known = new Set(times.map((time) => JSON.stringify(time)));
  const add = (more: ExtraTime[]) => {
    const fresh = more.filter((time) => !known.has(JSON.stringify(time)));
    onChange(written([...times, ...fresh]));
    return fresh.length;
  };

  return (
    <div role="group" aria-labelledby={id} className="grid content-start gap-3 md:col-span-2">
      <div className="grid gap-1">
        <p id={id} className="text-sm font-medium">
          {label}
        </p>
        <p className="text-xs text-muted">{hint}</p>
      </div>
      {times.length > 0 ? (
        <ul className="grid gap-1 divide-y divide-line">
          {times.map((time, i) => (
            <li key={JSON.stringify(time)} className="flex items-center gap-3">
              <p className="min-w-0 flex-1 wrap-anywhere">
                <bdi className="font-medium">{time.name}</bdi> <span className="text-muted">{spanOf(time)}</span>
              </p>
              <IconButton
                icon="trash"
                label={`Remove ${time.name}, ${spanOf(time)}`}
                danger
                onClick={() => onChange(written(times.filter((_, other) => other !== i)))}
              />
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">None yet.</p>
      )}
      {error && (
        <div role="alert">
          <FieldError>{error}</FieldError>
        </div>
      )}
      <AddTime onAdd={(time) => add([time])} />
      <AddFile onAdd={add} />
    </div>
  );
}

/** "July 23, 2026", "August 2, 2026 to August 4, 2026", "July 27, 2026, 2:00 PM to 4:30 PM". */
export function spanOf({ from, to }: ExtraTime) {
  if (from === to) return fullDate(from);
  const [firstDay = "", start] = from.split("T");
  const [lastDay = "", end] = to.split("T");
  if (!start || !end) return `${fullDate(from)} to ${fullDate(to)}`;
  const last = firstDay === lastDay ? "" : `${fullDate(lastDay)}, `;
  return `${fullDate(firstDay)}, ${clockTime(start)} to ${last}${clockTime(end)}`;
}

/** "14:00" as "2:00 PM". */
const clockTime = (time: string) => campTime(`2000-01-01T${time}:00Z`, "UTC");

const nothing = { from: "", to: "", start: "", end: "", name: "" };
type Typed = typeof nothing;
type Problem = { at: Exclude<keyof Typed, "name">; sentence: string };

function problemOf({ from, to, start, end }: Typed, hours: boolean): Problem | null {
  if (!from) return { at: "from", sentence: "Please choose the first day." };
  if (to && to < from) return { at: "to", sentence: "The last day is before the first." };
  if (!hours) return null;
  if (!start) return { at: "start", sentence: "Please enter when it begins." };
  if (!end) return { at: "end", sentence: "Please enter when it ends." };
  if ((to || from) === from && end <= start) return { at: "end", sentence: "The end must be after the start." };
  return null;
}

/** What is typed for a new date, and what is wrong with it. */
function useNewTime(onAdd: (time: ExtraTime) => void) {
  const [typed, setTyped] = useState(nothing);
  const [hours, setHours] = useState(false);
  const [refused, setRefused] = useState(false);
  const inputs = useRef<Partial<Record<Problem["at"], HTMLInputElement | null>>>({});
  const problem = problemOf(typed, hours);

  // An unfinished date would be lost if the settings were saved without it.
  const waits = [typed.from, typed.to, typed.name, hours && typed.start, hours && typed.end].some(Boolean);
  const at = problem?.at ?? "from";
  const reminder = problem
    ? `${problem.sentence} To save without this date, clear these fields.`
    : "Please press “Add date” first, or clear these fields.";
  useEffect(() => {
    for (const [name, input] of Object.entries(inputs.current))
      input?.setCustomValidity(waits && name === at ? reminder : "");
  }, [waits, at, reminder]);

  function set(change: Partial<Typed>) {
    setTyped((now) => ({ ...now, ...change }));
    setRefused(false);
  }

  function add() {
    // To scripts, an incomplete date looks empty. The browser itself says what is wrong.
    const incomplete = Object.values(inputs.current).find((input) => input?.validity.badInput);
    if (incomplete) return incomplete.reportValidity();
    if (problem) {
      // Updates synchronously, so that the field is marked invalid before it gets the focus.
      flushSync(() => setRefused(true));
      return inputs.current[problem.at]?.focus();
    }
    const last = typed.to || typed.from;
    onAdd({
      from: hours ? `${typed.from}T${typed.start}` : typed.from,
      to: hours ? `${last}T${typed.end}` : last,
      name: typed.name.trim() || "Quiet time",
    });
    set(nothing);
  }

  const errorAt = (name: Problem["at"]) => (refused && problem?.at === name ? problem.sentence : null);
  return { typed, set, hours, setHours, inputs, add, errorAt, refuse: () => setRefused(true) };
}

function AddTime({ onAdd }: { onAdd: (time: ExtraTime) => void }) {
  const { typed, set, hours, setHours, inputs, add, errorAt, refuse } = useNewTime(onAdd);
  const field = (name: Problem["at"], type: "date" | "time", label: string, optional = false) => (
    <Field label={label} optional={optional} error={errorAt(name)}>
      <TextInput
        ref={(input) => {
          inputs.current[name] = input;
        }}
        type={type}
        value={typed[name]}
        onChange={(event) => set({ [name]: event.target.value })}
        onInvalid={refuse}
      />
    </Field>
  );

  return (
    <div className="grid items-start gap-4 rounded-md bg-sunk p-4 sm:grid-cols-2">
      {field("from", "date", "First day")}
      {field("to", "date", "Last day", true)}
      <Checkbox
        label="Only certain hours"
        hint="Otherwise it begins the evening before, like Yom Tov."
        checked={hours}
        onChange={(event) => setHours(event.target.checked)}
        className="sm:col-span-2"
      />
      {hours && (
        <>
          {field("start", "time", "From")}
          {field("end", "time", "Until")}
        </>
      )}
      <Field label="Name" optional className="sm:col-span-2">
        <TextInput
          dir="auto"
          maxLength={60}
          autoComplete="off"
          value={typed.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Button look="line" icon="plus" onClick={add} className="justify-self-start">
        Add date
      </Button>
    </div>
  );
}

const largest = 200_000;

function AddFile({ onAdd }: { onAdd: (times: ExtraTime[]) => number }) {
  const id = useId();
  const read = useAction({
    mutationFn: async (file: File) => {
      if (file.size > largest) throw new Error("This file is larger than 200 KB.");
      return readCalendar(await file.text());
    },
    onSuccess: ({ dates, repeating, past, unusable }) => {
      const added = onAdd(dates);
      const left = [
        repeating > 0 && `${count(repeating, "repeating event")}`,
        past > 0 && `${count(past, "past event")}`,
        unusable > 0 && `${count(unusable, "event")} without a usable length or time zone`,
      ].filter(Boolean);
      toast({
        title: `${count(added, "date")} added`,
        description: `${added > 0 ? "Save to keep them." : "Nothing new in this file."}${left.length > 0 ? ` Left out: ${left.join(", ")}.` : ""}`,
      });
    },
  });
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Calendar file (.ics)
      </label>
      <input
        id={id}
        type="file"
        accept=".ics,text/calendar"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) read.mutate(file);
          event.target.value = "";
        }}
        className="min-h-tap w-full rounded-md border border-edge bg-surface p-1.5 text-sm file:me-3 file:min-h-8 file:rounded-sm file:border-0 file:bg-pine-wash file:px-3 file:font-medium file:text-pine"
      />
      {read.isError && (
        <div role="alert">
          <FieldError>{explain(read.error)}</FieldError>
        </div>
      )}
    </div>
  );
}
