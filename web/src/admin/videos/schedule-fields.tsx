import { useSite } from "../../api/queries";
import { Field, TextInput } from "../../ui/field";
import { zoneName } from "../shared/words";

type Props = {
  date: string;
  time: string;
  onDate: (date: string) => void;
  onTime: (time: string) => void;
  error?: string | undefined;
  optional?: boolean;
  disabled?: boolean;
};

/** A date and a time in the camp's time zone. */
export function ScheduleFields({ date, time, onDate, onTime, error, optional = false, disabled = false }: Props) {
  const site = useSite();
  const [dateLabel, timeLabel] = optional ? ["Schedule Date", "Schedule Time"] : ["Scheduled Date", "Scheduled Time"];
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label={dateLabel} optional={optional} error={error}>
        <TextInput
          name="scheduled_date"
          type="date"
          min={site?.today}
          value={date}
          disabled={disabled}
          onChange={(event) => onDate(event.target.value)}
          required={!optional}
        />
      </Field>
      <Field label={timeLabel} optional={optional} hint={site && `Camp time (${zoneName(site.timezone)})`}>
        <TextInput
          name="scheduled_time"
          type="time"
          value={time}
          disabled={disabled}
          onChange={(event) => onTime(event.target.value)}
        />
      </Field>
    </div>
  );
}

export const noMoment = "Please choose a date and time.";
