import { shortDate } from "../../lib/format";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Badge } from "../../ui/badge";
import { cx } from "../../ui/class-names";
import { kindName, signed } from "../users/words";
import type { Entry } from "./queries";

/** One entry in a family's ledger. */
export function EntryRow({ entry, currency }: { entry: Entry; currency: string }) {
  const { kind, amount, payment_date, notes, staff_notes, voided, recorded_by } = entry;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-0.5 border-line px-4 py-3 not-first:border-t sm:grid-cols-[7rem_minmax(0,1fr)_auto]">
      <time dateTime={payment_date} className="text-sm text-muted tabular-nums sm:pt-0.5">
        {shortDate(payment_date)}
      </time>
      <div className="min-w-0 max-sm:col-span-2 max-sm:row-start-2">
        <p className="wrap-anywhere">
          <Family entry={entry} />
        </p>
        <p className="text-sm wrap-anywhere text-muted">
          <span className={cx(voided && "line-through")}>{kindName[kind]}</span>
          {voided && <Badge className="ms-2">Voided</Badge>}
          {recorded_by && (
            <>
              {" "}
              by <bdi>{recorded_by}</bdi>
            </>
          )}
        </p>
        {notes && (
          <p className="text-sm wrap-anywhere">
            <bdi className="whitespace-pre-line">{notes}</bdi>
          </p>
        )}
        {staff_notes && (
          <p className="text-sm wrap-anywhere text-muted">
            Only staff: <bdi className="whitespace-pre-line">{staff_notes}</bdi>
          </p>
        )}
      </div>
      <p className={cx("font-medium tabular-nums", amount < 0 && "text-clay", voided && "text-muted line-through")}>
        {signed(amount, currency)}
      </p>
    </li>
  );
}

function Family({ entry: { family_id, full_name, child_name, is_deleted } }: { entry: Entry }) {
  if (is_deleted) return <span className="text-muted">Deleted family</span>;
  return (
    <>
      <Link to={staffPaths.user(family_id)} className="link font-medium">
        <bdi>{full_name || "No name"}</bdi>
      </Link>
      {child_name && (
        <span className="text-muted">
          {" "}
          · <bdi>{child_name}</bdi>
        </span>
      )}
    </>
  );
}
