import {
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  type RowData,
  useReactTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** Is left out on a narrow screen. */
    wide?: boolean;
    /** Numbers stand at the end of their column. */
    numeric?: boolean;
  }
}

/** The height of a row, in px. It is the same for all, so that those out of sight need not be drawn. */
const ROW_HEIGHT = 56;
const OVERSCAN = 8;

interface DataTableProps<Row> {
  label: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type, as TanStack Table declares it.
  columns: ColumnDef<Row, any>[];
  rows: Row[];
  rowId(row: Row): string;
  /** Called when the end of the rows comes into sight. */
  onEnd?: () => void;
  /** The rows that have just arrived are shown with a colour. */
  fresh?: ReadonlySet<string>;
}

/** A table of any length: only the rows in sight are drawn. */
export function DataTable<Row>({ label, columns, rows, rowId, onEnd, fresh }: DataTableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const table = useReactTable({
    data: rows,
    columns,
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
  });
  const all = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: all.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  const before = first?.start ?? 0;
  const after = last ? virtual.getTotalSize() - last.end : 0;
  const isAtEnd = last !== undefined && last.index >= all.length - OVERSCAN;

  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section className="table-frame" ref={frame} tabIndex={0} aria-label={label}>
      <table className="table" aria-rowcount={all.length}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ id, column, getContext }) => (
                <th key={id} scope="col" className={cellClass(column.columnDef.meta)}>
                  {flexRender(column.columnDef.header, getContext())}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} />}
          {shown.map(({ index }) => {
            const row = all[index];
            if (!row) return null;
            return (
              <tr key={row.id} data-fresh={fresh?.has(row.id) || undefined}>
                {row.getVisibleCells().map(({ id, column, getContext }) => (
                  <td key={id} className={cellClass(column.columnDef.meta)}>
                    {flexRender(column.columnDef.cell, getContext())}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} />}
        </tbody>
      </table>
    </section>
  );
}

/** Takes the place of the rows that are not drawn. */
function Spacer({ height }: { height: number }) {
  return (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  );
}

const cellClass = (meta: { wide?: boolean; numeric?: boolean } | undefined) =>
  [meta?.wide && "wide-only", meta?.numeric && "numeric"].filter(Boolean).join(" ") || undefined;
