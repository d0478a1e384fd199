import { useEffect, useRef, type ReactNode } from "react";
import { useSite } from "../../api/queries";
import { count } from "../../lib/format";
import { Field, Select, TextArea, TextInput } from "../../ui/field";
import { focusOnMount } from "../../ui/focus";
import { scheduleTime, zoneName } from "../shared/words";
import { endOfDay, pinDays, type FormValues } from "./form-values";
import type { Priority } from "./queries";

type Props = {
  values: FormValues;
  /** When the update's current pin ends. */
  pinnedUntil?: string | null | undefined;
  set: (change: Partial<FormValues>) => void;
  errors: Record<string, string>;
  focus: boolean;
  /** More fields, next to the pin. */
  children?: ReactNode;
};

/** The fields of an update, the same for a new and an existing one. */
export function UpdateFields({ values, pinnedUntil, set, errors, focus, children }: Props) {
  const site = useSite();
  const title = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) focusOnMount(title.current);
  }, [focus]);

  return (
    <>
      <Field label="Title" error={errors.title}>
        <TextInput
          ref={title}
          name="title"
          dir="auto"
          maxLength={200}
          autoComplete="off"
          value={values.title}
          onChange={(event) => set({ title: event.target.value })}
          required
        />
      </Field>
      <Field label="Message" error={errors.message}>
        <TextArea
          name="message"
          dir="auto"
          rows={4}
          maxLength={5_000}
          value={values.message}
          onChange={(event) => set({ message: event.target.value })}
          required
        />
      </Field>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <Field label="Author" error={errors.author} hint="Who it is from, such as “Camp office”.">
          <TextInput
            name="author"
            dir="auto"
            maxLength={100}
            autoComplete="off"
            value={values.author}
            onChange={(event) => set({ author: event.target.value })}
            required
          />
        </Field>
        <Field label="Priority" error={errors.priority} hint="High stays first for 24 hours, with a badge.">
          <Select
            name="priority"
            value={values.priority}
            onChange={(event) => set({ priority: event.target.value as Priority })}
          >
            <option value="low">Low</option>
            <option value="medium">Medium</option>
            <option value="high">High</option>
          </Select>
        </Field>
        <Field label="Hide after" optional error={errors.expires_at} hint="It becomes inactive on its own.">
          <TextInput
            name="expires_at"
            type="date"
            min={site?.today}
            value={values.date}
            onChange={(event) =>
              set({ date: event.target.value, time: event.target.value ? values.time || endOfDay : "" })
            }
          />
        </Field>
        <Field label="Time" optional hint={site && `Camp time (${zoneName(site.timezone)})`}>
          <TextInput
            name="expires_time"
            type="time"
            value={values.time}
            disabled={!values.date}
            onChange={(event) => set({ time: event.target.value })}
          />
        </Field>
        <Field
          label="Pin to the top"
          error={errors["pin_days"]}
          hint="It stays above newer ones, but below High Priority ones of the last 24 hours."
        >
          <Select name="pin_days" value={values.pin} onChange={(event) => set({ pin: event.target.value })}>
            <option value="">Not pinned</option>
            {pinnedUntil && <option value="keep">Until {scheduleTime(pinnedUntil, site?.timezone ?? "UTC")}</option>}
            {pinDays.map((days) => (
              <option key={days} value={days}>
                {pinnedUntil ? `${count(days, "day")} from now` : `For ${count(days, "day")}`}
              </option>
            ))}
          </Select>
        </Field>
        {children}
      </div>
    </>
  );
}
