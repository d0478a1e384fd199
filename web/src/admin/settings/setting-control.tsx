import { useMemo } from "react";
import { Field, FieldError, Select, Switch, TextArea, TextInput } from "../../ui/field";
import { Button } from "../../ui/button";
import { hourLabel } from "../../lib/hour-label";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";
import { ExtraTimes } from "./extra-times";
import { PictureSetting } from "./picture-setting";
import type { Setting } from "./queries";
import { NightfallSelect, PlaceInput, WeekTimeInput } from "./quiet-controls";
import { choiceLabel, hintOf, settingLabel, valueLabel } from "./words";

type Props = {
  setting: Setting;
  value: string | boolean;
  error: string | undefined;
  onChange: (value: string | boolean) => void;
};

/** One setting, with the control for its kind. */
export function SettingControl({ setting, value, error, onChange }: Props) {
  const { key, kind, unavailable } = setting;
  const label = settingLabel(key);
  if (kind === "picture" || kind === "pictures") return <PictureSetting setting={setting} />;
  const problem = setting.problem && <Problem setting={setting} onKeep={() => onChange(value)} />;
  if (kind === "switch") {
    const hint = (
      <>
        {setting.help}
        {unavailable && (
          <span className="mt-0.5 flex items-start gap-1.5">
            <Icon name="info" className="mt-[0.15em]" />
            Not available: {unavailable}
          </span>
        )}
      </>
    );
    return (
      <div className="grid gap-1 py-1.5">
        <Switch
          name={key}
          label={label}
          hint={hint}
          checked={value === true}
          disabled={Boolean(unavailable)}
          onChange={(e) => onChange(e.target.checked)}
        />
        {problem}
        {error && (
          <div role="alert">
            <FieldError>{error}</FieldError>
          </div>
        )}
      </div>
    );
  }
  if (kind === "extra_times") {
    return <ExtraTimes value={String(value)} label={label} hint={hintOf(setting)} error={error} onChange={onChange} />;
  }
  const long = kind === "line" && (setting.max ?? 0) > 120;
  const field = (
    <Field
      label={label}
      hint={unavailable ? `${setting.help}. Not available: ${unavailable}` : hintOf(setting)}
      error={error ?? null}
      optional={isOptional(setting)}
      className={long ? "md:col-span-2" : "content-start"}
    >
      <Control setting={setting} value={String(value)} label={label} long={long} onChange={onChange} />
    </Field>
  );
  if (!problem) return field;
  return (
    <div className={cx("grid content-start gap-1.5", long && "md:col-span-2")}>
      {field}
      {problem}
    </div>
  );
}

type ControlProps = {
  setting: Setting;
  value: string;
  label: string;
  long: boolean;
  onChange: (value: string) => void;
};

/** The control for a setting that is typed or chosen. */
function Control({ setting, value, label, long, onChange }: ControlProps) {
  const { key, kind, unavailable } = setting;
  const common = { name: key, value, disabled: Boolean(unavailable) };
  if (kind === "place") return <PlaceInput {...common} onChange={onChange} />;
  if (kind === "nightfall") return <NightfallSelect {...common} onChange={onChange} />;
  if (kind === "week_time") return <WeekTimeInput {...common} label={label} onChange={onChange} />;
  return kind === "choice" ? (
    <Select {...common} onChange={(e) => onChange(e.target.value)}>
      {setting.choices.map((choice) => (
        <option key={choice} value={choice}>
          {choiceLabel(choice, key)}
        </option>
      ))}
    </Select>
  ) : kind === "hour" ? (
    <HourSelect {...common} onChange={onChange} />
  ) : kind === "zone" ? (
    <ZoneSelect {...common} onChange={onChange} />
  ) : kind === "color" ? (
    <ColorInput {...common} builtIn={builtInColors[key] ?? "#000000"} label={label} onChange={onChange} />
  ) : long ? (
    <TextArea
      {...common}
      dir="auto"
      rows={3}
      maxLength={setting.max ?? undefined}
      onChange={(e) => onChange(e.target.value)}
    />
  ) : kind === "time" ? (
    <TextInput {...common} type="time" className="max-w-40" onChange={(e) => onChange(e.target.value)} />
  ) : kind === "number" ? (
    <TextInput
      {...common}
      inputMode="numeric"
      autoComplete="off"
      className="max-w-40 tabular-nums"
      onChange={(e) => onChange(e.target.value)}
    />
  ) : (
    <TextInput
      {...common}
      {...(kind === "email" ? { type: "email", inputMode: "email", autoComplete: "off", spellCheck: false } : {})}
      {...(kind === "https"
        ? { type: "url", inputMode: "url", autoComplete: "off", spellCheck: false, placeholder: "https://" }
        : {})}
      {...(kind === "line" ? { dir: "auto", maxLength: setting.max ?? undefined } : {})}
      onChange={(e) => onChange(e.target.value)}
    />
  );
}

const HourSelect = ({ onChange, ...rest }: Omit<ColorProps, "builtIn" | "label">) => (
  <div className="max-w-40">
    <Select {...rest} onChange={(e) => onChange(e.target.value)}>
      {Array.from({ length: 24 }, (_, hour) => (
        <option key={hour} value={hour}>
          {hourLabel(hour)}
        </option>
      ))}
    </Select>
  </div>
);

/** Says that the stored value is not allowed. The value in effect stays until somebody chooses one. */
const Problem = ({ setting, onKeep }: { setting: Setting; onKeep: () => void }) => (
  <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
    <p className="flex items-start gap-1.5 text-danger">
      <Icon name="alert" className="mt-[0.15em] shrink-0" />
      <span>
        {setting.problem} In effect now: {valueLabel(setting.value, setting.key)}. Please choose and save.
      </span>
    </p>
    <Button look="quiet" onClick={onKeep}>
      Choose this<span className="sr-only"> for {settingLabel(setting.key)}</span>
    </Button>
  </div>
);

const builtInColors: Record<string, string> = { mainColor: "#1b5a40", accentColor: "#f0ad43" };

type ColorProps = {
  name: string;
  value: string;
  builtIn: string;
  label: string;
  disabled: boolean;
  onChange: (value: string) => void;
};

/** The color as text, and the browser's color picker. */
const ColorInput = ({ name, value, builtIn, label, disabled, onChange }: ColorProps) => (
  <div className="flex items-center gap-3">
    <TextInput
      name={name}
      value={value}
      disabled={disabled}
      placeholder="Built in"
      dir="ltr"
      maxLength={7}
      spellCheck={false}
      autoComplete="off"
      className="max-w-36 tabular-nums"
      onChange={(e) => onChange(e.target.value)}
    />
    <input
      type="color"
      aria-label={`Pick the ${label.toLowerCase()}`}
      value={/^#[0-9a-f]{6}$/i.test(value) ? value : builtIn}
      onChange={(e) => onChange(e.target.value)}
      className="h-tap w-14 rounded-md border border-edge bg-surface p-1"
    />
    {value && (
      <Button look="quiet" onClick={() => onChange("")}>
        Built in<span className="sr-only"> {label.toLowerCase()}</span>
      </Button>
    )}
  </div>
);

const isOptional = ({ kind, min }: Setting) =>
  kind === "color" || ((kind === "line" || kind === "email") && min === 0) || kind === "https" || kind === "time";

const nearby: Record<string, string> = {
  "America/New_York": "Eastern",
  "America/Chicago": "Central",
  "America/Denver": "Mountain",
  "America/Los_Angeles": "Pacific",
};

function ZoneSelect({
  value,
  onChange,
  ...rest
}: {
  name: string;
  value: string;
  disabled: boolean;
  onChange: (value: string) => void;
}) {
  const others = useMemo(() => {
    const all = Intl.supportedValuesOf?.("timeZone") ?? [];
    return (all.includes(value) || value in nearby ? all : [value, ...all]).filter((zone) => !(zone in nearby));
  }, [value]);
  return (
    <Select {...rest} value={value} onChange={(e) => onChange(e.target.value)}>
      <optgroup label="United States">
        {Object.entries(nearby).map(([zone, name]) => (
          <option key={zone} value={zone}>
            {name} ({zone.replaceAll("_", " ")})
          </option>
        ))}
      </optgroup>
      <optgroup label="All time zones">
        {others.map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll("_", " ")}
          </option>
        ))}
      </optgroup>
    </Select>
  );
}
