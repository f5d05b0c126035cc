import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import type { Option } from "./field";
import { Icon } from "./icon";

export const Filters = ({ children }: { children: ReactNode }) => (
  <div className="filters">{children}</div>
);

/** A filter with one choice. The first choice is "all". */
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

/** A filter that another page has set, such as the orders of a customer. A click removes it. */
export function FilterChip({
  label,
  value,
  onClear,
}: {
  label: string;
  value: string | undefined;
  onClear(): void;
}) {
  const { t } = useTranslation();
  return (
    <Button onClick={onClear} aria-label={`${t("common.remove")}: ${label} ${value ?? ""}`}>
      {value ? `${label}: ${value}` : label}
      <Icon name="close" />
    </Button>
  );
}
