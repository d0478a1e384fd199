import type { ReactNode } from "react";
import { Button } from "./button";
import { cx } from "./class-names";
import { Icon } from "./icon";

type StateProps = { title: ReactNode; children?: ReactNode; className?: string };

/** Shown instead of an empty list. `children` are the next steps. */
export function EmptyState({
  title,
  text,
  picture,
  children,
  className,
}: StateProps & { text?: ReactNode; picture?: string }) {
  return (
    <div
      className={cx(
        "grid justify-items-center gap-3 rounded-lg border-[1.5px] border-dashed border-edge px-5 py-8 text-center text-muted",
        className,
      )}
    >
      {picture && (
        <img src={picture} alt="" width={160} height={90} className="aspect-video w-33 rounded-md object-cover" />
      )}
      <p className="font-head text-xl wrap-anywhere text-ink">{title}</p>
      {text && <p className="max-w-[46ch]">{text}</p>}
      {children && <div className="mt-1 flex flex-wrap justify-center gap-3">{children}</div>}
    </div>
  );
}

/** Shown instead of data that could not be loaded, with a Retry. */
export function ErrorState({
  title,
  error,
  onRetry,
  retrying = false,
  className,
}: {
  title: string;
  error?: unknown;
  onRetry?: () => unknown;
  retrying?: boolean;
  className?: string;
}) {
  return (
    <div role="alert" className={cx("sheet grid justify-items-center gap-3 px-5 py-8 text-center", className)}>
      <Icon name="alert" className="size-8 text-clay" />
      <p className="font-head text-xl">{title}</p>
      {error instanceof Error && error.message && <p className="max-w-[52ch]">{error.message}</p>}
      {onRetry && (
        <Button look="line" icon="refresh" busy={retrying} onClick={() => void onRetry()}>
          Retry
        </Button>
      )}
    </div>
  );
}

export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={cx("skeleton block min-h-[0.8em]", className)} />
);

/** Wraps skeletons, and announces to screen readers once that the page is loading. */
export const Loading = ({ label, children, className }: { label: string; children: ReactNode; className?: string }) => (
  <div role="status" aria-label={label} className={className}>
    <span className="sr-only">{label}</span>
    {children}
  </div>
);
