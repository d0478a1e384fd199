import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";

type Props = { what: string; retrying: boolean; onRetry: () => unknown };

/** Shown above data that could not be refreshed. */
export const NotRefreshed = ({ what, retrying, onRetry }: Props) => (
  <div
    role="status"
    className="mb-4 flex flex-wrap items-center justify-between gap-x-4 rounded-md bg-due-wash py-1 ps-3.5 pe-1 text-sm text-due"
  >
    <span className="flex items-center gap-2">
      <Icon name="alert" />
      The {what} could not be refreshed and may be out of date.
    </span>
    <Button look="quiet" busy={retrying} onClick={() => void onRetry()}>
      Retry
    </Button>
  </div>
);
