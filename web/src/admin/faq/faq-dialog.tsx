import { useQuery } from "@tanstack/react-query";
import { directionOf } from "../../ui/direction";
import { Drawer } from "../../ui/drawer";
import { Checkbox, Field, FormMessage, Select, TextArea, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { focusOnMount } from "../../ui/focus";
import { FormButtons } from "../shared/form-buttons";
import { changed, StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import {
  addFaq,
  categories,
  changeFaq,
  placeholdersQuery,
  readFaq,
  useFaqChanged,
  type AdminFaq,
  type Category,
} from "./queries";
import { filled } from "./words";

const valuesOf = (entry: AdminFaq | null, category: Category) => ({
  question: entry?.question ?? "",
  answer: entry?.answer ?? "",
  category: entry?.category ?? category,
  is_published: entry?.is_published ?? true,
});

type Props = { entry: AdminFaq | null; category: Category; onClose: () => void };

/** What is typed, merged with the entry if somebody else has changed it since. */
function useFaqValues({ entry, category }: Omit<Props, "onClose">) {
  const faqChanged = useFaqChanged();
  return useFormValues({
    opened: entry,
    valuesOf: (one) => valuesOf(one, category),
    read: readFaq,
    onGone: faqChanged,
  });
}

/** A question with its answer, and below them what families will see. */
export function FaqDialog({ entry, category, onClose }: Props) {
  const faqChanged = useFaqChanged();
  const keyOf = useIdempotencyKey();
  const edited = useFaqValues({ entry, category });
  const { row, values, base, set, dirty, stale, reload } = edited;
  const { busy, errors, message, form, close, question } = useStaffForm({
    values: edited,
    leave: { name: values.question.trim() || "A new question", onClose },
    check: () => ({
      ...(values.question.trim() ? {} : { question: "Please enter a question." }),
      ...(values.answer.trim() ? {} : { answer: "Please enter an answer." }),
    }),
    submit: async () => {
      if (!row) {
        const added = { ...values, question: values.question.trim(), answer: values.answer.trim(), topic: null };
        await addFaq(keyOf(added), added);
      } else if (dirty) await changeFaq(row.id, { version: row.version, ...changed(values, base) });
    },
    done: async () => {
      toast({
        title: row ? "FAQ Updated" : "FAQ Added",
        description: values.is_published ? "Families can see it." : "It is kept as a draft.",
      });
      onClose();
      await faqChanged();
    },
    failed: (error) => toastFailure(error, "Failed to save the question."),
  });

  return (
    <Drawer title={entry ? "Edit FAQ" : "Add FAQ"} onClose={close}>
      <form {...form} className="grid gap-5">
        <StaleFormNotice what="question" stale={stale} onReload={reload} />
        <Field label="Question" error={errors["question"]}>
          <TextInput
            name="question"
            dir="auto"
            maxLength={300}
            autoComplete="off"
            ref={focusOnMount}
            value={values.question}
            onChange={(event) => set({ question: event.target.value })}
            required
          />
        </Field>
        <Field label="Category" error={errors["category"]}>
          <Select
            name="category"
            value={values.category}
            onChange={(event) => set({ category: event.target.value as Category })}
          >
            {categories.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        </Field>
        <AnswerField answer={values.answer} error={errors["answer"]} onChange={(answer) => set({ answer })} />
        <Preview question={values.question} answer={values.answer} />
        <Checkbox
          name="is_published"
          label="Published"
          hint="Only staff see unpublished ones."
          checked={values.is_published}
          onChange={(event) => set({ is_published: event.target.checked })}
        />
        <FormMessage>{message}</FormMessage>
        <FormButtons sticky onCancel={close} busy={busy}>
          {entry ? "Save FAQ" : values.is_published ? "Add and publish" : "Save draft"}
        </FormButtons>
      </form>
      {question}
    </Drawer>
  );
}

type AnswerProps = { answer: string; error: string | undefined; onChange: (answer: string) => void };

/** The answer, and the placeholders that can be inserted. */
function AnswerField({ answer, error, onChange }: AnswerProps) {
  const placeholders = useQuery(placeholdersQuery).data ?? [];
  return (
    <div className="grid gap-2">
      <Field label="Answer" error={error}>
        <TextArea
          name="answer"
          dir="auto"
          rows={7}
          maxLength={5_000}
          value={answer}
          onChange={(event) => onChange(event.target.value)}
          required
        />
      </Field>
      {placeholders.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
          Filled in from the settings:
          {placeholders.map(({ name, value }) => (
            <button
              key={name}
              type="button"
              title={value || "Empty in the settings"}
              onClick={() => onChange(answer && !/\s$/.test(answer) ? `${answer} ${name}` : answer + name)}
              className="min-h-8 rounded-sm border border-line bg-sunk px-2 font-sans hover:border-edge"
            >
              <span className="sr-only">Add </span>
              {name}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function Preview({ question, answer }: { question: string; answer: string }) {
  const placeholders = useQuery(placeholdersQuery).data ?? [];
  return (
    <section aria-label="Preview">
      <p className="mb-1.5 text-sm font-medium">Preview</p>
      <div className="sheet p-4">
        <p dir={directionOf(question)} className="font-head text-lg">
          {question.trim() || <span className="text-muted">Question</span>}
        </p>
        <p dir={directionOf(answer)} className="mt-2 whitespace-pre-line">
          {filled(answer, placeholders) || <span className="text-muted">The answer appears here as you type.</span>}
        </p>
      </div>
    </section>
  );
}
