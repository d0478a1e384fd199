import { campDateTime, shortDate } from "../../lib/format";
import { settingLabel, valueLabel } from "../settings/words";

export type Line = { label: string; before?: string; after: string };

/** "video.retry_mail" is "Video: retry mail". */
export function actionLabel(action: string) {
  const [subject = "", ...rest] = action.split(".");
  const what = rest.join(" ").replaceAll("_", " ");
  return what ? `${settingLabel(subject)}: ${what}` : settingLabel(subject);
}

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isRecordId = (text: string) => isUuid.test(text);

function shown(value: unknown, timeZone: string, key = "") {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) return shortDate(value);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(value)) return campDateTime(value, timeZone);
  return valueLabel(value, key);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** What the log kept, as lines that can be read. */
export function linesOf(action: string, details: string, timeZone: string): Line[] {
  let kept: unknown;
  try {
    kept = JSON.parse(details);
  } catch {
    return details ? [{ label: "Details", after: details }] : [];
  }
  if (kept === null || kept === undefined) return [];
  if (!isObject(kept)) return [{ label: "Details", after: shown(kept, timeZone) }];
  const pair = ({ before, after }: Record<string, unknown>) => ({ before: shown(before, timeZone), after: shown(after, timeZone) });
  if ("before" in kept && "after" in kept && !isObject(kept.after)) {
    if (typeof kept.key !== "string") return [{ label: "Value", ...pair(kept) }];
    const { key, before, after } = kept;
    return [{ label: settingLabel(key), before: shown(before, timeZone, key), after: shown(after, timeZone, key) }];
  }
  // Of an account only is kept that its name, address or password changed, never to what.
  if (action === "staff.change") {
    return Object.entries(kept).flatMap(([key, value]) => {
      if (isObject(value)) return [{ label: settingLabel(key), ...pair(value) }];
      if (value === null || (value === false && key !== "disabled")) return [];
      return [{ label: settingLabel(key), after: value === true && key !== "disabled" ? "Changed" : key === "disabled" ? (value ? "Yes" : "No") : shown(value, timeZone) }];
    });
  }
  return Object.entries(kept).map(([key, value]) =>
    isObject(value) && "before" in value && "after" in value ? { label: settingLabel(key), ...pair(value) } : { label: settingLabel(key), after: shown(value, timeZone) },
  );
}
