import { Badge } from "../../ui/badge";
import type { MessageStatus } from "./queries";
import { statusName } from "./words";

export const StatusBadge = ({ status }: { status: MessageStatus }) => {
  if (status === "unread") return <Badge tone="new">{statusName.unread}</Badge>;
  if (status === "replied")
    return (
      <Badge tone="good" icon="check">
        {statusName.replied}
      </Badge>
    );
  return <Badge>{statusName.read}</Badge>;
};
