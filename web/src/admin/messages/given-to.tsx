import { useQuery } from "@tanstack/react-query";
import type { Filters } from "../../lib/filters";
import { Select } from "../../ui/field";
import { useStaff } from "../shared/session";
import { colleaguesQuery, type InboxFilter } from "./queries";

type Given = Pick<InboxFilter, "assigned_to" | "unassigned">;

/** The assignee in the URL, by name, so that a link means the same thing to everybody. */
export function readGiven(params: URLSearchParams): Given {
  const name = params.get("assigned_to")?.trim();
  if (params.get("unassigned") === "true") return { unassigned: true };
  return name ? { assigned_to: name } : {};
}

// No account can have these names.
const anybody = "";
const nobody = " ";

export function GivenTo({ given: { assigned_to, unassigned }, set }: { given: Given; set: Filters["set"] }) {
  const me = useStaff()?.username;
  const colleagues = useQuery(colleaguesQuery).data ?? [];
  const names = [...new Set([...colleagues, ...(assigned_to ? [assigned_to] : [])])].filter((name) => name !== me);
  return (
    <Select
      aria-label="Assigned to"
      value={unassigned ? nobody : (assigned_to ?? anybody)}
      onChange={({ target: { value } }) =>
        set({ assigned_to: value.trim(), unassigned: value === nobody ? "true" : "" })
      }
    >
      <option value={anybody}>Assigned to anyone</option>
      {me && <option value={me}>Mine</option>}
      <option value={nobody}>Assigned to nobody</option>
      {names.length > 0 && (
        <optgroup label="Colleagues">
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </Select>
  );
}
