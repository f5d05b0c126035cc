import { useEffect, useEffectEvent, useState } from "react";
import { Icon } from "./icon";

const PAUSE_MS = 250;

/** Searches while the person types. The key `/` focuses it. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  const [typed, setTyped] = useState(value);
  const report = useEffectEvent(onChange);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => report(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className="search">
      <Icon name="search" />
      <input
        type="search"
        className="control"
        aria-label={label}
        placeholder={label}
        data-shortcut="/"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        // In a form, Enter would send it.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
    </div>
  );
}
