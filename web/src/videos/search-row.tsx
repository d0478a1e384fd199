import type { Filters } from "../lib/filters";
import { SearchBox } from "../ui/search-box";
import { Segmented } from "../ui/segmented";

type Props<Value extends string> = {
  term?: string;
  /** The URL parameter for the choice. The first option is not written into the URL. */
  parameter: string;
  label: string;
  value: Value;
  options: readonly [{ value: Value; label: string }, ...{ value: Value; label: string }[]];
  /** Absent in the shell of a page. */
  set?: Filters["set"];
};

/** The search box and one choice, above a list of videos. */
export const SearchRow = <Value extends string>({ term = "", parameter, label, value, options, set }: Props<Value>) => (
  <div className="mt-6 mb-7 flex flex-wrap gap-3">
    <SearchBox
      label="Search videos"
      placeholder="Search by title or description..."
      value={term}
      onSearch={set && ((q) => set({ q }))}
      className="flex-[1_1_18rem]"
    />
    <Segmented
      label={label}
      value={value}
      options={options}
      onChange={(next) => set?.({ [parameter]: next === options[0].value ? "" : next }, true)}
      className="max-sm:w-full"
    />
  </div>
);
