import { useAction } from "../../api/use-action";
import { Button } from "../../ui/button";
import { toast } from "../../ui/toast";
import { downloadFile } from "./download";
import { toastFailure } from "./error-toast";

type Props = {
  /** The name of the file. */
  name: string;
  load: () => Promise<BlobPart>;
  /** What the toast says has been downloaded. */
  done: string;
  label?: string;
  disabled?: boolean;
  className?: string;
};

/** Saves one of the server's tables as a file. Only owners may do this. */
export function ExportButton({ name, load, done, label = "Export CSV", disabled, className = "max-sm:w-full" }: Props) {
  const download = useAction({
    mutationFn: load,
    onSuccess: (table) => {
      downloadFile(name, table, "text/csv;charset=utf-8");
      toast({ title: "Success", description: done });
    },
    onError: (error) => toastFailure(error),
  });
  return (
    <Button
      look="line"
      disabled={disabled}
      busy={download.isPending}
      onClick={() => download.mutate()}
      className={className}
    >
      {download.isPending ? "Exporting..." : label}
    </Button>
  );
}
