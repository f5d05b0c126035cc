import type { ReactNode } from "react";

export interface Figure {
  name: string;
  value: ReactNode;
  /** The change against the previous period, such as `+12.5%`. */
  change?: string | null;
}

/** Some figures in a row. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ name, value, change }) => (
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
                {change}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
