import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { isApiError } from "../api/client";
import { useSite } from "../api/queries";
import { useSessionChanged } from "../api/session";
import { useAction, useOnce } from "../api/use-action";
import { explain } from "../lib/forms";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Button } from "../ui/button";
import { cx } from "../ui/class-names";
import { Dialog } from "../ui/dialog";
import { Checkbox, EmailInput, Field, FormMessage, PasswordInput, TextInput } from "../ui/field";
import { Icon, type IconName } from "../ui/icon";
import { dismissErrors, reportFailure, toast } from "../ui/toast";
import { splitScripts } from "../ui/two-scripts";
import { rememberWelcome, signUp } from "./queries";

type UserType = "parent" | "visitor";

const nobody = {
  user_type: null as UserType | null,
  name: "",
  email: "",
  password: "",
  child_name: "",
  daily_video_email: true,
  camp_updates_email: false,
  email_notifications: true,
};

type Answers = typeof nobody;

const steps = ["Who are you?", "Your details", "Which emails would you like?"];

/** Sign-up in three steps. */
export default function Welcome({ onClose }: { onClose: () => void }) {
  const site = useSite();
  const sessionChanged = useSessionChanged();
  const [step, setStep] = useState(0);
  const [answers, setAnswers] = useState(nobody);
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Focuses the heading, because the browser would focus the close button.
  useEffect(() => heading.current?.focus(), []);
  const change = (part: Partial<Answers>) => setAnswers((now) => ({ ...now, ...part }));
  const name = splitScripts(site?.site_name ?? "")[0];

  const join = useAction({
    mutationFn: (user_type: UserType) =>
      signUp({
        ...answers,
        user_type,
        name: answers.name.trim(),
        email: answers.email.trim(),
        child_name: user_type === "parent" ? answers.child_name.trim() : null,
      }),
    onSuccess: async ({ user }) => {
      onClose();
      toast({ title: `Welcome to ${name}!`, description: "Your account has been created and you are now signed in!" });
      await sessionChanged(user);
      // Saves this for the family's other devices. If that fails, they show the popup once more.
      await rememberWelcome().catch(() => undefined);
    },
    onError: (error) => {
      toast(
        isApiError(error)
          ? { title: "Sign Up Error", description: explain(error), destructive: true }
          : { title: "Error", description: "Something went wrong. Please try again.", destructive: true },
      );
      // The fields that the server rejected are on the previous step.
      const wrong =
        isApiError(error) && ["name", "child_name", "email", "password"].find((field) => field in error.fields);
      if (wrong) {
        go(1);
        form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
      }
    },
  });

  const joinOnce = useOnce(join);

  function go(next: number) {
    flushSync(() => setStep(next));
    heading.current?.focus();
  }

  const missing = missingIn(answers, step);

  function submit(event: FormEvent) {
    event.preventDefault();
    dismissErrors("welcome");
    if (missing) reportFailure("welcome", () => toast({ ...missing, destructive: true }));
    else if (step < 2) go(step + 1);
    else if (answers.user_type) joinOnce(answers.user_type);
  }

  const fields = isApiError(join.error) ? join.error.fields : {};
  return (
    <Dialog title={`Welcome to ${name}!`} onClose={onClose} className="w-[min(100%-2rem,28rem)]!">
      <form ref={form} onSubmit={submit} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <div>
          <Progress at={step} />
          <h3 ref={heading} tabIndex={-1} className="mt-3 text-lg outline-none">
            <span className="sr-only">Step {step + 1} of 3: </span>
            {steps[step]}
          </h3>
        </div>
        {step === 0 && <WhoStep value={answers.user_type} onChange={(user_type) => change({ user_type })} />}
        {step === 1 && (
          <DetailsStep answers={answers} change={change} errors={fields} passwordLength={site?.password_min_length} />
        )}
        {step === 2 && <PreferencesStep answers={answers} change={change} />}
        {join.isError && Object.keys(fields).length === 0 && <FormMessage>{explain(join.error)}</FormMessage>}
        <div className="flex flex-wrap gap-3">
          {step > 0 && (
            <Button look="line" icon="previous" onClick={() => go(step - 1)} disabled={join.isPending}>
              Back
            </Button>
          )}
          <Button type="submit" className="flex-1" disabled={missing !== null} busy={join.isPending}>
            {step < 2 ? "Next Step" : join.isPending ? "Creating Account..." : "Create Account"}
          </Button>
        </div>
        <p className="text-center text-sm text-muted">
          Already have an account?{" "}
          <Link to={paths.auth()} onClick={onClose} className="link -my-3 inline-flex min-h-tap items-center">
            Sign in here
          </Link>
        </p>
      </form>
    </Dialog>
  );
}

/** What is missing in a step. The button is disabled, and other ways of submitting the form show a toast. */
function missingIn({ user_type, name, email, password, child_name }: Answers, step: number) {
  if (!user_type || (step > 0 && !(name.trim() && email.trim() && password))) {
    return { title: "Missing Information", description: "Please fill in all required fields." };
  }
  if (step > 0 && user_type === "parent" && !child_name.trim()) {
    return { title: "Child's Name Required", description: "Please enter your child's name." };
  }
  return null;
}

const Progress = ({ at }: { at: number }) => (
  <div aria-hidden="true" className="flex gap-1.5">
    {steps.map((step, i) => (
      <span key={step} className={cx("h-1 flex-1 rounded-full", i <= at ? "bg-pine" : "bg-line")} />
    ))}
  </div>
);

const kinds: { value: UserType; label: string; hint: string; icon: IconName }[] = [
  { value: "parent", label: "Parent", hint: "My child is at camp", icon: "home" },
  { value: "visitor", label: "Visitor", hint: "Family, friend or guest", icon: "people" },
];

function WhoStep({ value, onChange }: { value: UserType | null; onChange: (value: UserType) => void }) {
  const group = useId();
  return (
    <div role="radiogroup" aria-label="Who are you?" className="grid gap-3">
      {kinds.map(({ value: kind, label, hint, icon }) => (
        <label
          key={kind}
          className="flex min-h-tap items-center gap-[min(1rem,4vw)] rounded-md border border-edge px-[min(1rem,4vw)] py-3 hover:bg-sunk has-checked:border-pine has-checked:bg-pine-wash has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
        >
          <Icon name={icon} className="size-[min(1.5rem,7vw)] text-pine" />
          <span className="min-w-0 flex-1">
            <span className="block font-medium">{label}</span>
            <span id={`${group}-${kind}`} className="block text-sm text-muted">
              {hint}
            </span>
          </span>
          <input
            type="radio"
            name={group}
            value={kind}
            checked={value === kind}
            onChange={() => onChange(kind)}
            aria-label={label}
            aria-describedby={`${group}-${kind}`}
            className="size-5 outline-none"
          />
        </label>
      ))}
    </div>
  );
}

type StepProps = { answers: Answers; change: (part: Partial<Answers>) => void };

function DetailsStep({
  answers,
  change,
  errors,
  passwordLength,
}: StepProps & { errors: Record<string, string>; passwordLength: number | undefined }) {
  return (
    <div className="grid gap-4">
      <Field label="Your Name" error={errors.name}>
        <TextInput
          name="name"
          autoComplete="name"
          dir="auto"
          maxLength={120}
          required
          value={answers.name}
          onChange={({ target }) => change({ name: target.value })}
        />
      </Field>
      {answers.user_type === "parent" && (
        <Field label="Child's Name" error={errors.child_name}>
          <TextInput
            name="child_name"
            autoComplete="off"
            dir="auto"
            maxLength={200}
            required
            value={answers.child_name}
            onChange={({ target }) => change({ child_name: target.value })}
          />
        </Field>
      )}
      <Field label="Email" error={errors.email}>
        <EmailInput
          name="email"
          required
          value={answers.email}
          onChange={({ target }) => change({ email: target.value })}
        />
      </Field>
      <Field
        label="Password"
        error={errors.password}
        hint={passwordLength ? `At least ${passwordLength} characters.` : undefined}
      >
        <PasswordInput
          name="password"
          autoComplete="new-password"
          maxLength={128}
          required
          value={answers.password}
          onChange={({ target }) => change({ password: target.value })}
        />
      </Field>
    </div>
  );
}

function PreferencesStep({ answers, change }: StepProps): ReactNode {
  return (
    <div>
      <Checkbox
        label="Daily videos"
        hint="When a new video is published"
        checked={answers.daily_video_email}
        onChange={({ target }) => change({ daily_video_email: target.checked })}
      />
      <Checkbox
        label="Camp updates"
        hint="Short announcements through the day"
        checked={answers.camp_updates_email}
        onChange={({ target }) => change({ camp_updates_email: target.checked })}
      />
      <Checkbox
        label="Newsletters from camp"
        hint="From the office, now and then"
        checked={answers.email_notifications}
        onChange={({ target }) => change({ email_notifications: target.checked })}
      />
    </div>
  );
}
