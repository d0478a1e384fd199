import { useRef, type ReactNode } from "react";
import { Button, type ButtonLook } from "../../../ui/button";
import type { IconName } from "../../../ui/icon";

// Picking a file does not make the form around it dirty: the file is already on its way, and is not lost with the form.
const ignore = (event: Event) => event.stopPropagation();

type Props = {
  look?: ButtonLook;
  icon?: IconName;
  multiple?: boolean;
  /** What can be chosen. Videos by default. */
  accept?: string;
  busy?: boolean;
  className?: string;
  onPick: (files: File[]) => void;
  children: ReactNode;
};

/** Opens the device's own file picker, which on a phone includes its camera. */
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
