import type { ComponentProps } from "react";
import { cx } from "./class-names";
import { Icon, type IconName } from "./icon";

export type ButtonLook = "main" | "line" | "quiet" | "amber" | "danger";

const looks: Record<ButtonLook, string> = {
  main: "border-transparent px-[min(1.15rem,5.75vw)] bg-pine text-on-pine hover:bg-pine-deep",
  line: "px-[min(1.15rem,5.75vw)] border-edge text-ink hover:border-ink hover:bg-sunk",
  quiet: "border-transparent px-2.5 text-pine hover:bg-pine-wash",
  amber: "border-transparent px-[min(1.15rem,5.75vw)] bg-amber text-on-amber hover:bg-amber-bright",
  danger: "border-transparent px-[min(1.15rem,5.75vw)] bg-clay text-on-clay hover:bg-clay-deep",
};

/** The look of a button, for links that look like one (`<Link className={buttonLook("amber")}>`). */
export const buttonLook = (look: ButtonLook = "main", className?: string) =>
  cx(
    "inline-flex min-h-tap items-center justify-center gap-2 rounded-md border py-2",
    "text-center leading-tight font-medium no-underline transition-colors",
    "disabled:opacity-60 aria-disabled:opacity-60",
    looks[look],
    className,
  );

type ButtonProps = ComponentProps<"button"> & { look?: ButtonLook; busy?: boolean; icon?: IconName };

export function Button({
  look,
  busy = false,
  icon,
  className,
  children,
  type = "button",
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      // A busy button keeps the focus but ignores presses.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      disabled={disabled}
      type={type}
      className={buttonLook(look, className)}
      {...rest}
      {...(busy ? { onClick: (event) => event.preventDefault() } : {})}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = ComponentProps<"button"> & { icon: IconName; label: string; danger?: boolean };

export const iconButtonLook = (danger = false, className?: string) =>
  cx(
    "grid size-tap shrink-0 place-items-center rounded-md text-muted transition-colors disabled:opacity-50",
    danger ? "hover:bg-clay-wash hover:text-clay" : "hover:bg-sunk hover:text-ink",
    className,
  );

export function IconButton({ icon, label, danger, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" aria-label={label} title={label} className={iconButtonLook(danger, className)} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
