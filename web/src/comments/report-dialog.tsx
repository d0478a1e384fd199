import type { Comment } from "../api/client";
import { required, text, useForm } from "../lib/forms";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Choices, Field, FormMessage, TextArea } from "../ui/field";
import { toast } from "../ui/toast";
import { reportComment, type ReportCategory } from "./queries";

const categories: readonly { value: ReportCategory; label: string }[] = [
  { value: "unkind", label: "It is unkind" },
  { value: "private", label: "It is too private" },
  { value: "unsuitable", label: "It does not belong" },
  { value: "advertising", label: "It is advertising" },
  { value: "other", label: "Something else" },
];

type Props = { comment: Comment; onReported: () => void; onClose: () => void };

/** Asks what is wrong with a comment. It loads when somebody wants to report one. */
export default function ReportDialog({ comment, onReported, onClose }: Props) {
  const report = useForm({
    check: required({ category: "Please choose what is wrong with it." }),
    submit: (data) =>
      reportComment(comment.id, text(data, "category") as ReportCategory, text(data, "reason").trim() || null),
    done: () => {
      onReported();
      onClose();
      toast({ title: "Comment reported", description: "Thank you. The camp will look at it." });
    },
  });
  return (
    <Dialog title="Report this comment?" onClose={onClose}>
      <form {...report.form} className="grid gap-4">
        <blockquote className="rounded-md bg-sunk px-4 py-3">
          <p className="text-sm text-muted">
            <bdi>{comment.author_name}</bdi> wrote
          </p>
          <p dir="auto" className="line-clamp-3 wrap-anywhere">
            {comment.content}
          </p>
        </blockquote>
        <Choices legend="What is wrong with it?" name="category" options={categories} error={report.errors.category} />
        <Field label="In your own words" optional error={report.errors.reason}>
          <TextArea name="reason" dir="auto" rows={3} maxLength={500} />
        </Field>
        <p className="text-sm text-muted">Only the camp reads this. Nobody learns who reported the comment.</p>
        <FormMessage>{report.message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={report.busy}>
            Report comment
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
