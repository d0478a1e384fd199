import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";

type Props = {
  onCancel: () => void;
  busy: boolean;
  /** The label while the request is running. */
  doing?: string;
  /** Keeps the buttons in view at the bottom of a drawer. */
  sticky?: boolean;
  children: string;
};

/** The Cancel and submit buttons of a form. */
export const FormButtons = ({ onCancel, busy, doing = "Saving...", sticky = false, children }: Props) => (
  <div
    className={cx(
      "flex flex-wrap justify-end gap-3",
      sticky && "sticky -bottom-5 -mx-5 -mb-5 border-t border-line bg-paper px-5 py-3",
    )}
  >
    <Button look="line" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" busy={busy}>
      {busy ? doing : children}
    </Button>
  </div>
);
