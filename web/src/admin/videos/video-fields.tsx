import { Field, TextArea, TextInput } from "../../ui/field";
import { focusOnMount } from "../../ui/focus";

type TitleProps = { title: string; error: string | undefined; onChange: (title: string) => void };

export const TitleField = ({ title, error, onChange }: TitleProps) => (
  <Field label="Video Title" error={error}>
    <TextInput
      name="title"
      dir="auto"
      maxLength={200}
      autoComplete="off"
      ref={focusOnMount}
      value={title}
      onChange={(event) => onChange(event.target.value)}
      required
    />
  </Field>
);

type DescriptionProps = {
  description: string;
  error: string | undefined;
  rows: number;
  onChange: (description: string) => void;
};

export const DescriptionField = ({ description, error, rows, onChange }: DescriptionProps) => (
  <Field label="Description" optional error={error}>
    <TextArea
      name="description"
      dir="auto"
      rows={rows}
      maxLength={5_000}
      value={description}
      onChange={(event) => onChange(event.target.value)}
    />
  </Field>
);
