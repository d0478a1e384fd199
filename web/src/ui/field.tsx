import { createContext, use, useEffect, useId, useRef, useState } from "react";
import type { ComponentProps, FormEvent, ReactNode } from "react";
import { number } from "../lib/format";
import { cx } from "./class-names";
import { Icon } from "./icon";

type Wiring = { id: string; describedBy: string | undefined; invalid: boolean };
const Wire = createContext<Wiring | null>(null);

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | null;
  optional?: boolean;
  className?: string;
  children: ReactNode;
};

/** A label above and an error below the control, which takes its id and description from the context. */
export function Field({ label, hint, error, optional = false, className, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className={cx("grid gap-1.5 [&:has([data-excess])>[data-error]]:hidden", className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      <Wire value={{ id, describedBy: described || undefined, invalid: Boolean(error) }}>{children}</Wire>
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {/* Hidden while the control shows its own message about the length. */}
      {error && (
        <div data-error>
          <FieldError id={`${id}-error`}>{error}</FieldError>
        </div>
      )}
    </div>
  );
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <p id={id} className="flex items-start gap-1.5 text-sm text-clay">
      <Icon name="alert" className="mt-[0.15em]" />
      <span>{children}</span>
    </p>
  );
}

/** A failure that concerns the whole form. */
export function FormMessage({ children }: { children: ReactNode }) {
  if (!children) return null;
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-clay-wash px-3.5 py-3 text-clay">
      <Icon name="alert" className="mt-[0.15em]" />
      <span>{children}</span>
    </div>
  );
}

function useWiring() {
  const wiring = use(Wire);
  return (
    wiring && { id: wiring.id, "aria-describedby": wiring.describedBy, "aria-invalid": wiring.invalid || undefined }
  );
}

const control = cx(
  "min-h-tap w-full min-w-0 rounded-md border border-edge bg-surface px-3.5 py-2",
  "aria-invalid:border-clay aria-invalid:border-2",
  "[&[readonly]]:border-line [&[readonly]]:bg-sunk [&[readonly]]:text-muted disabled:opacity-60",
);

type Limited = { value?: unknown; defaultValue?: unknown; maxLength?: number | undefined };

/** What a control needs to say how many characters are too many, because browsers silently cut off pasted text. */
function useLimit({ value, defaultValue, maxLength }: Limited) {
  const [typed, setTyped] = useState(defaultValue);
  const now = value ?? typed;
  const excess = maxLength && typeof now === "string" ? [...now].length - maxLength : 0;
  return {
    limited: {
      ...(excess > 0 ? { "aria-invalid": true } : {}),
      onInput: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => setTyped(event.currentTarget.value),
    },
    notice: excess > 0 && (
      <div role="alert" data-excess>
        <FieldError>
          {number(excess)} {excess === 1 ? "character" : "characters"} too many: {number(maxLength!)} fit here.
        </FieldError>
      </div>
    ),
  };
}

/** Inputs with their own type, such as passwords, let the browser enforce the length. */
export function TextInput({ className, maxLength, ...rest }: Omit<ComponentProps<"input">, "onInput">) {
  const { limited, notice } = useLimit({ ...rest, maxLength: rest.type ? undefined : maxLength });
  return (
    <>
      <input
        type="text"
        {...useWiring()}
        {...limited}
        className={cx(control, className)}
        maxLength={rest.type ? maxLength : undefined}
        {...rest}
      />
      {notice}
    </>
  );
}

export const EmailInput = (props: Omit<ComponentProps<typeof TextInput>, "type">) => (
  <TextInput type="email" autoComplete="email" inputMode="email" dir="ltr" maxLength={254} {...props} />
);

/** A code from an authenticator app. */
export const CodeInput = (props: ComponentProps<typeof TextInput>) => (
  <TextInput
    name="code"
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={12}
    required
    className="tabular-nums"
    {...props}
  />
);

export function PasswordInput({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <TextInput {...rest} type={shown ? "text" : "password"} className={cx("pe-18", className)} />
      <button
        type="button"
        aria-pressed={shown}
        aria-label="Show password"
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 end-0 min-w-16 rounded-md px-3 text-sm font-medium text-pine"
      >
        {shown ? "Hide" : "Show"}
      </button>
    </div>
  );
}

export function TextArea({ className, maxLength, ...rest }: Omit<ComponentProps<"textarea">, "onInput">) {
  const { limited, notice } = useLimit({ ...rest, maxLength });
  return (
    <>
      <textarea {...useWiring()} {...limited} className={cx(control, "block min-h-20 resize-y", className)} {...rest} />
      {notice}
    </>
  );
}

export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <div className="relative">
      <select {...useWiring()} className={cx(control, "appearance-none pe-10", className)} {...rest}>
        {children}
      </select>
      <Icon name="down" className="pointer-events-none absolute end-3 top-3 text-muted" />
    </div>
  );
}

type TickProps = Omit<ComponentProps<"input">, "type"> & { label: ReactNode; hint?: ReactNode };

export function Checkbox({ label, hint, className, ...rest }: TickProps) {
  const id = useId();
  return (
    <div className={cx("flex min-h-tap items-start gap-3 py-2", className)}>
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-5.5 shrink-0 disabled:opacity-60"
        {...rest}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

type ChoicesProps<Value extends string> = {
  legend: ReactNode;
  name: string;
  options: readonly { value: Value; label: ReactNode; hint?: ReactNode }[];
  defaultValue?: Value | undefined;
  error?: string | null | undefined;
};

/** Radio buttons, side by side where there is room. */
export function Choices<Value extends string>({ legend, name, options, defaultValue, error }: ChoicesProps<Value>) {
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);

  // React does not update a radio button whose default value arrives later.
  useEffect(() => {
    const radios = [...(group.current?.querySelectorAll("input") ?? [])];
    const standard = radios.find((radio) => radio.value === defaultValue);
    if (standard && !radios.some((radio) => radio.checked)) standard.checked = true;
  }, [defaultValue]);

  return (
    <fieldset ref={group} aria-describedby={error ? `${id}-error` : undefined} className="grid min-w-0 gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid gap-x-5 gap-y-2.5 sm:grid-cols-2">
        {options.map(({ value, label, hint }) => (
          <label
            key={value}
            className={cx(
              "flex min-h-tap items-center gap-3 rounded-md border bg-surface px-3.5 py-2",
              "has-checked:border-pine has-checked:bg-pine-wash",
              error ? "border-2 border-clay" : "border-edge",
            )}
          >
            <input
              type="radio"
              name={name}
              value={value}
              defaultChecked={value === defaultValue}
              aria-describedby={hint ? `${id}-${value}` : undefined}
              aria-label={hint && typeof label === "string" ? label : undefined}
              className="size-5 shrink-0"
              required
            />
            <span>
              {label}
              {hint && (
                <span id={`${id}-${value}`} className="block text-xs text-muted">
                  {hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </fieldset>
  );
}

/** A switch takes effect at once. A Checkbox is sent with its form. */
export function Switch({ label, hint, className, ...rest }: TickProps) {
  const id = useId();
  return (
    <div className={cx("flex min-h-tap flex-wrap items-center justify-between gap-x-4", className)}>
      <div className="min-w-min flex-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
      <span className="relative grid h-6 w-10 shrink-0">
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="peer absolute -inset-x-0.5 -inset-y-2.5 z-1 h-tap w-tap opacity-0"
          {...rest}
        />
        <span
          className={cx(
            "rounded-full border-[1.5px] border-edge bg-surface transition-colors",
            "after:absolute after:start-1 after:top-[0.28rem] after:size-[0.9375rem] after:rounded-full after:bg-edge after:transition-[translate]",
            "peer-checked:border-pine peer-checked:bg-pine peer-checked:after:translate-x-4 peer-checked:after:bg-on-pine rtl:peer-checked:after:-translate-x-4",
            "peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus peer-disabled:opacity-60",
          )}
        />
      </span>
    </div>
  );
}
