import { useRef, type ReactNode } from "react";
import { Button, type ButtonLook } from "../../../ui/button";
import type { IconName } from "../../../ui/icon";

// The form around it does not count as changed: what was picked is on its way and not lost with the form.
const ignore = (event: Event) => event.stopPropagation();

type Props = {
  look?: ButtonLook;
  icon?: IconName;
  multiple?: boolean;
  /** What can be chosen: videos, unless this says something else. */
  accept?: string;
  busy?: boolean;
  className?: string;
  onPick: (files: File[]) => void;
  children: ReactNode;
};

/** Opens the device's own choice of files, which on a phone includes its camera. */
export function PickButton({
  look = "line",
  icon,
  multiple = false,
  accept = "video/*,.mkv,.mts,.m2ts",
  busy = false,
  className,
  onPick,
  children,
}: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        look={look}
        busy={busy}
        {...(icon ? { icon } : {})}
        {...(className ? { className } : {})}
        onClick={() => input.current?.click()}
      >
        {children}
      </Button>
      <input
        ref={(element) => {
          input.current = element;
          element?.addEventListener("input", ignore);
          return () => element?.removeEventListener("input", ignore);
        }}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          if (files.length > 0) onPick(files);
        }}
      />
    </>
  );
}
