import type { ReactNode } from "react";
import { useFormat } from "../lib/format";

export interface Figure {
  name: string;
  value: ReactNode;
  /** The change against the previous period as the API writes it, such as `+12.5%`. */
  change?: string | null;
  /** What the figure counts. */
  hint?: string;
}

/** Some figures in a row. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  const format = useFormat();
  return (
    <dl className="figures">
      {figures.map(({ name, value, change, hint }) => (
        <div key={name} className="figure">
          <dt>{name}</dt>
          <dd>
            <span className="figure-value">{value}</span>
            {change && (
              <span
                className="figure-change"
                data-down={change.startsWith("-") || undefined}
                dir="ltr"
              >
                {format.change(change)}
              </span>
            )}
          </dd>
          {hint && <dd className="figure-hint">{hint}</dd>}
        </div>
      ))}
    </dl>
  );
}
