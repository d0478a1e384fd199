import { useId } from "react";
import { useQuery } from "@tanstack/react-query";
import { Select, TextInput } from "../../ui/field";
import { placesQuery } from "./queries";

type Props = {
  name: string;
  value: string;
  disabled: boolean;
  onChange: (value: string) => void;
};

/** A place from the list, or latitude and longitude. */
export function PlaceInput({ onChange, ...rest }: Props) {
  const id = useId();
  const places = useQuery(placesQuery).data ?? [];
  return (
    <>
      <TextInput
        {...rest}
        list={`${id}-places`}
        autoComplete="off"
        spellCheck={false}
        maxLength={60}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-places`}>
        {places.map((place) => (
          <option key={place}>{place}</option>
        ))}
      </datalist>
    </>
  );
}

const nightfalls: Record<string, string> = {
  "7.08 degrees": "Sun 7.08° below the horizon",
  "8.5 degrees": "Sun 8.5° below the horizon",
  "42 minutes": "42 minutes after sunset",
  "50 minutes": "50 minutes after sunset",
  "60 minutes": "60 minutes after sunset",
  "72 minutes": "72 minutes after sunset",
};

/** The customary choices. Values set from the command line are kept. */
export const NightfallSelect = ({ value, onChange, ...rest }: Props) => (
  <Select {...rest} value={value} onChange={(event) => onChange(event.target.value)}>
    {!(value in nightfalls) && <option value={value}>{value}</option>}
    {Object.entries(nightfalls).map(([choice, text]) => (
      <option key={choice} value={choice}>
        {text}
      </option>
    ))}
  </Select>
);

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** A time in every week: "Friday 18:00". */
export function WeekTimeInput({ name, value, disabled, label, onChange }: Props & { label: string }) {
  const id = useId();
  const [day = "", time = ""] = value.split(" ");
  return (
    <div className="grid grid-cols-2 gap-3">
      <Select
        name={name}
        value={day}
        disabled={disabled}
        onChange={(event) => onChange(`${event.target.value} ${time}`)}
      >
        {days.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </Select>
      <TextInput
        id={`${id}-time`}
        type="time"
        aria-label={`${label}: time`}
        value={time}
        disabled={disabled}
        onChange={(event) => onChange(`${day} ${event.target.value}`)}
      />
    </div>
  );
}
