import type { ReactNode } from "react";
import type { Option } from "./field";

export const Filters = ({ children }: { children: ReactNode }) => (
  <div className="filters">{children}</div>
);

/** One choice of a filter, of which "all" is the first. */
export function FilterSelect<Value extends string>({
  label,
  all,
  options,
  value,
  onChange,
}: {
  label: string;
  all: string;
  options: readonly Option<NoInfer<Value>>[];
  value: Value | undefined;
  onChange(value: NoInfer<Value> | undefined): void;
}) {
  return (
    <select
      className="control select"
      aria-label={label}
      value={value ?? ""}
      onChange={({ target }) => onChange(options.find((one) => one.value === target.value)?.value)}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
