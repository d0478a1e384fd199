import { useRef, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { useForm } from "../../lib/forms";
import { count } from "../../lib/format";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { FormMessage } from "../../ui/field";
import { Section } from "../../ui/section";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { useOpenForm } from "../shared/leave-guard";
import { NotRefreshed } from "../shared/not-refreshed";
import { OwnersOnly } from "../shared/owners-only";
import { PageHead } from "../shared/page-head";
import { downloadFile } from "../shared/download";
import { StaleNotice } from "../shared/stale-notice";
import { ImportDialog } from "./import-dialog";
import {
  changeSettings,
  exportSettings,
  settingsQuery,
  useSeen,
  useSettingsChanged,
  useTypedSettings,
  type Setting,
} from "./queries";
import { SettingControl } from "./setting-control";
import { QuietPreview } from "./quiet-preview";
import { changesOf, groups, hasQuietTime, isChanged, isRelevant, sentence, shown, type Group } from "./words";

const description = "How the site works, for everyone";

export default function Settings() {
  return (
    <OwnersOnly title="Settings" description={description}>
      <AllSettings />
    </OwnersOnly>
  );
}

function AllSettings() {
  const settings = useQuery(settingsQuery);
  const [importing, setImporting] = useState(false);
  const download = useAction({
    mutationFn: exportSettings,
    onSuccess: (text) => {
      downloadFile("settings.json", text, "application/json");
      toast({ title: "Settings Exported", description: "The file has the saved settings, without unsaved changes." });
    },
    onError: (error) => toastFailure(error),
  });

  return (
    <>
      <PageHead title="Settings" description={description}>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:[&>button]:flex-1">
          <Button look="line" busy={download.isPending} onClick={() => download.mutate()}>
            Export
          </Button>
          <Button look="line" icon="up" disabled={!settings.data} onClick={() => setImporting(true)}>
            Import
          </Button>
        </div>
      </PageHead>

      {settings.data ? (
        <>
          {settings.isError && (
            <NotRefreshed what="settings" retrying={settings.isFetching} onRetry={settings.refetch} />
          )}
          <div className="grid gap-6">
            {groups.map((group) => {
              const items = settings.data.filter((setting) => setting.group === group.name);
              return items.length > 0 && <GroupForm key={group.name} group={group} settings={items} />;
            })}
          </div>
        </>
      ) : settings.isError ? (
        <ErrorState
          title="Failed to load settings"
          error={settings.error}
          retrying={settings.isFetching}
          onRetry={settings.refetch}
        />
      ) : (
        <SettingsSkeleton />
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

type GroupProps = { group: Group; settings: Setting[] };

/** What is typed in one group of settings, and how it is saved. */
function useGroupForm({ group, settings }: GroupProps) {
  const [typed, setTyped] = useTypedSettings();
  const [stale, setStale] = useState(false);
  const seen = useSeen();
  const client = useQueryClient();
  const settingsChanged = useSettingsChanged();
  const element = useRef<HTMLFormElement>(null);
  const unsaved = settings.filter((setting) => isChanged(setting, typed)).length;
  const keys = settings.map(({ key }) => key);
  useOpenForm({ dirty: () => unsaved > 0, keptInside: true });

  const { clear, form, ...state } = useForm({
    check: () => changesOf(settings, typed).errors,
    submit: async () => {
      const { values } = changesOf(settings, typed);
      const changed = Object.keys(values);
      return changed.length > 0 ? { values, sent: typed, items: await changeSettings(values, seen.of(changed)) } : null;
    },
    done: (saved) => {
      if (!saved) return;
      const { values, sent, items } = saved;
      settingsChanged(items);
      seen.forget(Object.keys(values));
      // Keeps what was typed while the request was running.
      setTyped((now) => without(now, (key) => key in values && sent[key] === now[key]));
      toast({ title: group.saved, description: `${count(Object.keys(values).length, "change")} saved` });
    },
    failed: (error) => {
      if (isApiError(error, "stale")) {
        setStale(true);
        return true;
      }
      const fields = Object.entries(isApiError(error) ? error.fields : {}).filter(([key]) => keys.includes(key));
      return Object.fromEntries(fields.map(([key, text]) => [key, sentence(key, text)]));
    },
  });

  /** Reads the settings again, and keeps what was typed. */
  async function reload() {
    const fresh = await client.fetchQuery({ ...settingsQuery, staleTime: 0 });
    seen.forget(keys);
    fresh.filter((setting) => isChanged(setting, typed)).forEach(seen.note);
    setStale(false);
    element.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
  }

  function change(setting: Setting, value: string | boolean) {
    seen.note(setting);
    setTyped((now) => ({ ...now, [setting.key]: value }));
    clear(setting.key);
  }

  function discard() {
    setTyped((now) => without(now, (key) => keys.includes(key)));
    seen.forget(keys);
    clear();
    setStale(false);
    element.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }

  return { ...state, form: { ...form, ref: element }, typed, unsaved, stale, reload, change, discard };
}

const without = <Value,>(values: Record<string, Value>, dropped: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !dropped(key)));

function GroupForm({ group, settings }: GroupProps) {
  const { busy, errors, message, form, typed, unsaved, stale, reload, change, discard } = useGroupForm({
    group,
    settings,
  });
  const control = (setting: Setting) => (
    <SettingControl
      key={setting.key}
      setting={setting}
      value={shown(setting, typed)}
      error={errors[setting.key]}
      onChange={(value) => change(setting, value)}
    />
  );
  const relevant = settings.filter((setting) => isRelevant(setting, settings, typed));
  const switches = relevant.filter(({ kind }) => kind === "switch");
  const fields = relevant.filter(({ kind }) => kind !== "switch");

  return (
    <Section id={group.name} title={group.title}>
      <p className="-mt-3 mb-5 text-muted">{group.about}</p>
      <form {...form} className="grid gap-5">
        {fields.length > 0 && <div className="grid gap-x-6 gap-y-5 md:grid-cols-2">{fields.map(control)}</div>}
        {switches.length > 0 && (
          <div
            className={cx(
              "grid max-w-2xl gap-1 divide-y divide-line",
              fields.length > 0 && "border-t border-line pt-2",
            )}
          >
            {switches.map(control)}
          </div>
        )}
        {hasQuietTime(settings, typed) && <QuietPreview changes={changesOf(settings, typed).values} />}
        {stale && <StaleNotice what="page" onReload={reload} />}
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap items-center gap-3 border-t border-line pt-4">
          <Button type="submit" busy={busy} disabled={unsaved === 0} className="max-sm:w-full">
            {busy ? "Saving..." : group.action}
          </Button>
          {unsaved > 0 && !busy && (
            <Button look="quiet" onClick={discard}>
              Discard changes
            </Button>
          )}
          <p role="status" className="text-sm text-muted">
            {unsaved > 0 && `${count(unsaved, "unsaved change")}`}
          </p>
        </div>
      </form>
    </Section>
  );
}

const SettingsSkeleton = () => (
  <Loading label="Loading settings" className="grid gap-6">
    {[8, 6, 4].map((fields) => (
      <div key={fields} className="sheet grid gap-5 p-6">
        <Skeleton className="h-7 w-40" />
        <div className="grid gap-5 md:grid-cols-2">
          {Array.from({ length: fields }, (_, i) => (
            <div key={i} className="grid gap-2">
              <Skeleton className="h-4 w-32" />
              <Skeleton className="h-11 w-full" />
            </div>
          ))}
        </div>
      </div>
    ))}
  </Loading>
);
