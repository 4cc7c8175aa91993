import { NO_FILTERS, type Filters } from "./methods";
import { Button } from "@/components/ui/button";
import { Input, Select } from "@/components/ui/field";
import type { CollectionDetail } from "@/lib/api/types";
import { sentenceCase } from "@/lib/format";

interface Props {
  filters: Filters;
  labels: CollectionDetail["labels"];
  onChange: (filters: Filters) => void;
}

// A label with one value, or with nearly one per paper, sorts nothing out.
const MOST_VALUES = 40;

export function FilterFields({ filters, labels, onChange }: Props) {
  const useful = Object.entries(labels).filter(([, values]) => values.length > 1 && values.length <= MOST_VALUES);
  const set = filters.yearFrom !== "" || filters.yearTo !== "" || Object.values(filters.labels).some(Boolean);
  return (
    <fieldset className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-muted-foreground">
      <legend className="sr-only">Filters</legend>
      {useful.map(([name, values]) => (
        <label key={name} className="flex items-center gap-1.5 max-sm:w-full max-sm:justify-between">
          {sentenceCase(name)}
          <Select
            className="h-8 max-w-44 text-xs"
            value={filters.labels[name] ?? ""}
            onChange={(event) => onChange({ ...filters, labels: { ...filters.labels, [name]: event.target.value } })}
          >
            <option value="">any</option>
            {values.map(({ value, papers }) => (
              <option key={value} value={value}>
                {value} ({papers})
              </option>
            ))}
          </Select>
        </label>
      ))}
      <label className="flex items-center gap-1.5">
        From
        <Input
          inputMode="numeric"
          maxLength={4}
          placeholder="year"
          className="h-8 w-16 text-xs"
          value={filters.yearFrom}
          onChange={(event) => onChange({ ...filters, yearFrom: event.target.value })}
        />
      </label>
      <label className="flex items-center gap-1.5">
        to
        <Input
          inputMode="numeric"
          maxLength={4}
          placeholder="year"
          className="h-8 w-16 text-xs"
          value={filters.yearTo}
          onChange={(event) => onChange({ ...filters, yearTo: event.target.value })}
        />
      </label>
      {set && (
        <Button size="small" variant="ghost" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      )}
    </fieldset>
  );
}
