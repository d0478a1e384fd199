import { ConfirmDialog } from "../../ui/dialog";
import type { VideoStatus } from "./queries";

type Props = {
  name: string | undefined;
  /** What the published video becomes. */
  status: VideoStatus;
  /** Adds that no second email is sent, for a video that families were emailed about. */
  noSecondMail?: boolean;
  save: () => Promise<void>;
  /** Returns true if the form shows the failure. */
  refused: (error: unknown) => boolean;
  onClose: () => void;
};

/** Asks before a video that families can watch is taken away from them. */
export function UnpublishQuestion({ name, status, noSecondMail = false, save, refused, onClose }: Props) {
  const scheduled = status === "scheduled";
  return (
    <ConfirmDialog
      title={scheduled ? "Schedule a published video?" : "Set a published video back to draft?"}
      name={name}
      action={scheduled ? "Schedule it" : "Set back to draft"}
      onClose={onClose}
      onConfirm={async () => {
        try {
          await save();
        } catch (error) {
          if (!refused(error)) throw error;
        }
      }}
    >
      Families can watch it now. It disappears until{" "}
      {scheduled ? `the chosen time${noSecondMail ? ", and no second email is sent" : ""}` : "it is published again"}.
    </ConfirmDialog>
  );
}
