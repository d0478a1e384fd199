import { useEffect, useRef } from "react";
import { useSite } from "../../api/queries";
import { Checkbox, Field, Select, TextArea, TextInput } from "../../ui/field";
import { focusOnMount } from "../shared/focus";
import { zoneName } from "../shared/words";
import { endOfDay, type Draft } from "./draft";
import type { Priority } from "./queries";

type Props = { draft: Draft; set: (change: Partial<Draft>) => void; errors: Record<string, string>; focus: boolean };

/** The fields of an update, alike for a new one and for one that is edited. */
export function UpdateFields({ draft, set, errors, focus }: Props) {
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
          value={draft.title}
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
          value={draft.message}
          onChange={(event) => set({ message: event.target.value })}
          required
        />
      </Field>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <Field label="Author" error={errors.author} hint="Whom families read it from, such as “Camp office”.">
          <TextInput
            name="author"
            dir="auto"
            maxLength={100}
            autoComplete="off"
            value={draft.author}
            onChange={(event) => set({ author: event.target.value })}
            required
          />
        </Field>
        <Field label="Priority" error={errors.priority} hint="High stands out with a badge of its own.">
          <Select
            name="priority"
            value={draft.priority}
            onChange={(event) => set({ priority: event.target.value as Priority })}
          >
            <option value="low">Low</option>
            <option value="medium">Medium</option>
            <option value="high">High</option>
          </Select>
        </Field>
        <Field label="Hide after" optional error={errors.expires_at} hint="It becomes inactive by itself.">
          <TextInput
            name="expires_at"
            type="date"
            min={site?.today}
            value={draft.date}
            onChange={(event) =>
              set({ date: event.target.value, time: event.target.value ? draft.time || endOfDay : "" })
            }
          />
        </Field>
        <Field label="Time" optional hint={site && `Camp time (${zoneName(site.timezone)})`}>
          <TextInput
            name="expires_time"
            type="time"
            value={draft.time}
            disabled={!draft.date}
            onChange={(event) => set({ time: event.target.value })}
          />
        </Field>
      </div>
      <Checkbox
        name="pinned"
        label="Pin to the top"
        hint="It stands above newer updates."
        checked={draft.pinned}
        onChange={(event) => set({ pinned: event.target.checked })}
      />
    </>
  );
}
