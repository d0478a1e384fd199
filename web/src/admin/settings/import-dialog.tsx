import { useId } from "react";
import { useAction } from "../../api/use-action";
import { explain } from "../../lib/forms";
import { count } from "../../lib/format";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FieldError, FormMessage } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { useCloseQuestion } from "../shared/form";
import { changeSettings, previewSettings, useForgetTyped, useSettingsChanged, type Difference } from "./queries";
import { readSettings, sentence, settingLabel, valueLabel } from "./words";

const notSettings = "This is not a settings file. Choose a file made with Export.";

/** Shows what a file would change before it is applied. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const forgetTyped = useForgetTyped();
  const settingsChanged = useSettingsChanged();
  const preview = useAction({
    mutationFn: async (file: File) => {
      const values = file.size > 1_000_000 ? null : readSettings(await file.text());
      if (!values) return null;
      return previewSettings(values);
    },
  });
  const differences = preview.data;
  const good = differences?.filter(({ problem }) => !problem) ?? [];
  const bad = differences?.filter(({ problem }) => problem) ?? [];

  const apply = useAction({
    mutationFn: () =>
      changeSettings(
        Object.fromEntries(good.map(({ key, after }) => [key, after])),
        Object.fromEntries(good.map(({ key, before }) => [key, before])),
      ),
    onSuccess: (items) => {
      settingsChanged(items);
      forgetTyped(good.map(({ key }) => key));
      toast({ title: "Settings Imported", description: `${count(good.length, "setting")} changed` });
      onClose();
    },
  });

  const { close, question } = useCloseQuestion(
    { name: count(good.length, "setting"), about: "import", onClose, waits: true },
    () => good.length > 0,
    apply.isPending,
  );

  return (
    <Dialog title="Import settings" onClose={close} className="w-[min(100%-2rem,44rem)]!">
      <div className="grid gap-4">
        <div className="grid gap-1.5">
          <label htmlFor={id} className="text-sm font-medium">
            Settings file
          </label>
          <input
            id={id}
            type="file"
            accept=".json,application/json"
            aria-describedby={`${id}-hint`}
            onChange={(event) => {
              const file = event.target.files?.[0];
              apply.reset();
              if (file) preview.mutate(file);
              else preview.reset();
            }}
            className="min-h-tap w-full rounded-md border border-edge bg-surface p-1.5 text-sm file:me-3 file:min-h-8 file:rounded-sm file:border-0 file:bg-pine-wash file:px-3 file:font-medium file:text-pine"
          />
          <p id={`${id}-hint`} className="text-xs text-muted">
            A file made with Export. You see what would change before anything does.
          </p>
          {differences === null && (
            <div role="alert">
              <FieldError>{notSettings}</FieldError>
            </div>
          )}
        </div>

        {preview.isPending && (
          <Loading label="Reading the file" className="grid gap-2">
            {Array.from({ length: 3 }, (_, i) => (
              <Skeleton key={i} className="h-11" />
            ))}
          </Loading>
        )}
        {preview.isError && <FormMessage>{explain(preview.error)}</FormMessage>}
        {differences && (
          <>
            <p role="status" className="font-medium">
              {summary(good.length, bad.length)}
            </p>
            {good.length > 0 && <Changes differences={good} />}
            {bad.length > 0 && <Problems differences={bad} />}
          </>
        )}
        {apply.isError && <FormMessage>{explain(apply.error)}</FormMessage>}

        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={close}>
            Cancel
          </Button>
          {good.length > 0 && (
            <Button busy={apply.isPending} onClick={() => apply.mutate()}>
              {apply.isPending ? "Applying..." : `Apply ${count(good.length, "change")}`}
            </Button>
          )}
        </div>
      </div>
      {question}
    </Dialog>
  );
}

function summary(good: number, bad: number) {
  if (good + bad === 0) return "Nothing would change: everything in the file is already set.";
  const parts = [good > 0 ? `${count(good, "setting")} would change` : "Nothing can be imported"];
  if (bad > 0) parts.push(`${count(bad, "line")} with ${bad === 1 ? "a problem is" : "problems are"} skipped`);
  return `${parts.join("; ")}.`;
}

const Changes = ({ differences }: { differences: Difference[] }) => (
  <div className="sheet overflow-clip">
    <table className="w-full text-sm">
      <caption className="sr-only">What would change</caption>
      <thead className="text-muted">
        <tr className="border-b border-line">
          {["Setting", "Now", "In the file"].map((name) => (
            <th key={name} scope="col" className="px-3 py-2 text-start font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {differences.map(({ key, before, after }) => (
          <tr key={key} className="border-line align-top not-first:border-t">
            <th scope="row" className="w-1/3 px-3 py-2 text-start font-medium">
              {settingLabel(key)}
            </th>
            <td className="px-3 py-2 wrap-anywhere text-muted">
              <bdi>{valueLabel(before, key)}</bdi>
            </td>
            <td className="px-3 py-2 wrap-anywhere">
              <bdi>{valueLabel(after, key)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Problems = ({ differences }: { differences: Difference[] }) => (
  <ul aria-label="Problems" className="grid gap-2">
    {differences.map(({ key, after, problem }) => (
      <li key={key} className="flex items-start gap-2 rounded-md bg-clay-wash px-3.5 py-2.5 text-sm text-clay">
        <Icon name="alert" className="mt-[0.15em]" />
        <span className="min-w-0 wrap-anywhere">
          <strong className="font-medium">{settingLabel(key)}</strong> (<bdi>{valueLabel(after, key)}</bdi>):{" "}
          {sentence(key, problem ?? "")}
        </span>
      </li>
    ))}
  </ul>
);
