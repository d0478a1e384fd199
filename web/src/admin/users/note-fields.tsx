import type { ComponentProps } from "react";
import { Field, TextArea } from "../../ui/field";
import { Icon } from "../../ui/icon";
import type { Family } from "./queries";

type Note = ComponentProps<typeof TextArea> & { name: string };
type Props = {
  legend: string;
  optional?: boolean;
  familyHint: string;
  family: Note;
  staff: Note;
  errors: Record<string, string>;
};

/** One note for the family and one for staff. Each label says who reads it. */
export function NoteFields({ legend, optional = false, familyHint, family, staff, errors }: Props) {
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1.5 font-medium">
        {legend}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </legend>
      <Field label="The family sees this" hint={familyHint} error={errors[family.name]}>
        <TextArea dir="auto" rows={2} maxLength={500} className="min-h-16!" {...family} />
      </Field>
      <Field label="Only staff see this" error={errors[staff.name]}>
        <TextArea dir="auto" rows={2} maxLength={500} className="min-h-16!" {...staff} />
      </Field>
    </fieldset>
  );
}

/** Says whether the family gets an email. */
export function MailNotice({
  family,
  children,
}: {
  family: Pick<Family, "email" | "secondary_email">;
  children: string | null;
}) {
  const text =
    children && !family.email && !family.secondary_email
      ? "This family has no email address, so no email is sent."
      : (children ?? "No email is sent.");
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Icon name="mail" className="mt-[0.2em]" />
      <span>{text}</span>
    </p>
  );
}
