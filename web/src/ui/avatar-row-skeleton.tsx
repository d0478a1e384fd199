import { cx } from "./class-names";
import { Skeleton } from "./states";

/** The skeleton of a row with an avatar. `lines` are the sizes of its lines. */
export const AvatarRowSkeleton = ({ lines, className }: { lines: string[]; className: string }) => (
  <div className={cx("grid grid-cols-[34px_1fr] gap-3", className)}>
    <Skeleton className="size-8.5 rounded-full" />
    <div className="grid gap-2">
      {lines.map((line) => (
        <Skeleton key={line} className={line} />
      ))}
    </div>
  </div>
);
