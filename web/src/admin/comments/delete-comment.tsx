import { ConfirmDialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { deleteComment, useCommentsChanged, type AdminComment } from "./queries";
import { beginning } from "./words";

type Props = {
  comment: AdminComment;
  onDeleted?: () => void;
  /** Called once the lists no longer contain the comment. */
  onGone?: () => void;
  onClose: () => void;
};

export function DeleteComment({ comment, onDeleted, onGone, onClose }: Props) {
  const changed = useCommentsChanged();
  return (
    <ConfirmDialog
      title={`Delete the comment by ${comment.author_name}?`}
      name={beginning(comment.content)}
      action="Delete comment"
      onClose={onClose}
      onConfirm={async () => {
        await deleteComment(comment.id);
        toast({ title: "Comment deleted" });
        onDeleted?.();
        await changed();
        onGone?.();
      }}
    >
      This cannot be undone. A hidden comment can be shown again later.
    </ConfirmDialog>
  );
}
