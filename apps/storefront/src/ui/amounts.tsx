import type { ComponentChildren } from "preact";
import { money } from "./texts";

/** What an amount is for, and the amount; null if it is not known. A total stands out. */
export type Row = [of: ComponentChildren, amount: number | null, isTotal?: boolean];

export const Amounts = ({ rows, currency }: { rows: readonly Row[]; currency: string }) => (
  <>
    {rows.map(([of, amount, isTotal = false], i) => (
      <p key={i} class={isTotal ? "row between total" : "row between"}>
        <span>{of}</span>
        <span>{amount !== null && money(amount, currency)}</span>
      </p>
    ))}
  </>
);
