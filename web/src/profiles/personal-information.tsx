import { useRef, type FormEvent } from "react";
import { flushSync } from "react-dom";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { EmailInput, Field, PasswordInput, TextInput } from "../ui/field";
import { Section } from "../ui/section";
import type { ProfileForm } from "./use-profile-form";

type Props = { form: ProfileForm; verified: boolean; onChangeEmail: () => void };

export function PersonalInformation({ form, verified, onChangeEmail }: Props) {
  const { saved, now, editing, errors } = form;
  const name = useRef<HTMLInputElement>(null);
  const open = editing || form.personalChanged;

  function edit() {
    flushSync(form.edit);
    name.current?.focus();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (open) form.savePersonal();
  }

  return (
    <Section
      id="personal"
      title="Personal Information"
      beside={
        !editing && (
          <Button look="quiet" icon="edit" onClick={edit} className="-mx-2.5 -my-2.5">
            Edit
          </Button>
        )
      }
    >
      <form id="personal-form" noValidate onSubmit={submit} className="grid items-start gap-x-6 gap-y-4 sm:grid-cols-2">
        <Field label="Full name" error={errors.full_name}>
          <TextInput
            ref={name}
            name="full_name"
            autoComplete="name"
            dir="auto"
            maxLength={120}
            readOnly={!editing}
            value={now.full_name}
            onChange={({ target }) => form.change({ full_name: target.value })}
          />
        </Field>
        {saved.user_type === "parent" && (
          <Field label="Child's name" error={errors.child_name}>
            <TextInput
              name="child_name"
              autoComplete="off"
              dir="auto"
              maxLength={200}
              readOnly={!editing}
              value={now.child_name ?? ""}
              onChange={({ target }) => form.change({ child_name: target.value })}
            />
          </Field>
        )}
        <div>
          <Field label="Primary email">
            <TextInput type="email" dir="ltr" readOnly value={saved.email ?? ""} placeholder="None yet" />
          </Field>
          <Button look="quiet" onClick={onChangeEmail} className="-ms-2.5 text-sm">
            Change<span className="sr-only"> your email</span>
          </Button>
        </div>
        <SecondaryEmail form={form} verified={verified} />
        {open && (
          <div className="flex flex-wrap gap-3 sm:col-span-2">
            <Button type="submit" busy={form.busy}>
              {form.busy ? "Saving..." : "Save"}
            </Button>
            <Button look="line" onClick={form.cancelPersonal}>
              Cancel
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}

function SecondaryEmail({
  form: { saved, now, errors, change, asksPassword, password },
  verified,
}: {
  form: ProfileForm;
  verified: boolean;
}) {
  const stands = saved.secondary_email && now.secondary_email === saved.secondary_email;
  return (
    <div>
      <Field
        label="Secondary email"
        optional
        error={errors.secondary_email}
        hint={
          !verified && !stands
            ? "Please confirm your own address first."
            : !stands
              ? "We’ll send a confirmation email there first."
              : saved.secondary_email_verified
                ? undefined
                : "We sent a confirmation email there. It gets emails from camp once its owner confirms it."
        }
      >
        <EmailInput
          name="secondary_email"
          autoComplete="off"
          readOnly={!verified && !saved.secondary_email}
          placeholder="For a second parent or grandparent"
          value={now.secondary_email ?? ""}
          onChange={({ target }) => change({ secondary_email: target.value })}
        />
      </Field>
      {stands && (
        <p className="mt-2">
          {saved.secondary_email_verified ? (
            <Badge tone="good" icon="check">
              Confirmed
            </Badge>
          ) : (
            <Badge tone="due" icon="clock">
              Waiting for confirmation
            </Badge>
          )}
        </p>
      )}
      {asksPassword && (
        <div className="mt-4">
          <Field
            label="Your password"
            error={errors.current_password}
            hint={
              <>
                Needed to take <bdi className="wrap-anywhere">{saved.secondary_email}</bdi> off your family. We’ll let
                its owner know.
              </>
            }
          >
            <PasswordInput
              name="current_password"
              autoComplete="current-password"
              maxLength={128}
              value={password}
              onChange={({ target }) => change({ current_password: target.value })}
              required
            />
          </Field>
        </div>
      )}
    </div>
  );
}
