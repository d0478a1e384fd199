import { Field, TextInput } from "../../ui/field";

type Asked = { from: string; to: string };

export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** What is wrong with the first and last day in the URL. Empty if both can be used. */
export function problemsOfDays(asked: Asked) {
  const wrong: Partial<Record<keyof Asked, string>> = {};
  for (const key of ["from", "to"] as const) {
    const year = Number(asked[key].slice(0, 4));
    if (asked[key] && (!isDay(asked[key]) || year < 1900 || year > 2200))
      wrong[key] = "Please choose a day between 1900 and 2200.";
  }
  if (asked.from && asked.to && !wrong.from && !wrong.to && asked.to < asked.from)
    wrong.to = "The last day is before the first.";
  return wrong;
}

type Props = {
  label: string;
  value: string;
  error: string | null;
  onChange: (day: string) => void;
  className?: string;
};

/** A day to filter by. */
export const DayField = ({ label, value, error, onChange, className }: Props) => (
  <Field label={label} error={error} {...(className ? { className } : {})}>
    <TextInput
      type="date"
      min="1900-01-01"
      max="2200-12-31"
      value={isDay(value) ? value : ""}
      onChange={({ target }) => onChange(target.value)}
      className="px-2.5"
    />
  </Field>
);
