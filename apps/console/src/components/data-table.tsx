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
    /** Whether the column is hidden on a narrow screen. */
    wide?: boolean;
    /** Whether the column contains numbers, which are aligned to its end. */
    numeric?: boolean;
  }
}

/** The height of every row, in px. It is fixed, so that rows outside the viewport need not be rendered. */
const ROW_HEIGHT = 56;
const OVERSCAN = 8;

interface DataTableProps<Row> {
  label: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has a value of its own type, as TanStack Table declares it.
  columns: ColumnDef<Row, any>[];
  /** The number of rows. */
  count: number;
  /** The row at an index from 0; undefined while it is not loaded. */
  rowAt(place: number): Row | undefined;
  rowId(row: Row): string;
  /** Called with the first and the last visible index. */
  onShow?: (first: number, last: number) => void;
  /** The ids of rows that have just arrived, which are highlighted. */
  fresh?: ReadonlySet<string>;
}

/** A table of any length that renders only the visible rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, count, rowAt, rowId, onShow, fresh } = props;
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  const before = first?.start ?? 0;
  const after = last ? virtual.getTotalSize() - last.end : 0;
  const records = shown.map(({ index }) => rowAt(index));
  const table = useReactTable({
    data: records.filter((record) => record !== undefined),
    columns,
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
    // The rows differ on each render. Resetting the state for them would render again, endlessly.
    autoResetAll: false,
  });
  const { rowsById } = table.getRowModel();

  useEffect(() => {
    if (first && last) onShow?.(first.index, last.index);
  }, [first?.index, last?.index, onShow]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section className="table-frame" ref={frame} tabIndex={0} aria-label={label}>
      <table className="table" aria-rowcount={count + 1}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
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
          {shown.map(({ index }, i) => {
            const record = records[i];
            const row = record && rowsById[rowId(record)];
            if (!row) return <PendingRow key={index} place={index} columns={columns.length} />;
            return (
              <tr
                key={index}
                aria-rowindex={index + 2}
                data-fresh={fresh?.has(row.id) || undefined}
              >
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

/** A row that is not loaded yet. */
function PendingRow({ place, columns }: { place: number; columns: number }) {
  return (
    <tr className="pending" aria-rowindex={place + 2}>
      <td colSpan={columns}>
        <span aria-hidden="true" />
      </td>
    </tr>
  );
}

/** Fills the height of rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  return (
    <tr className="spacer">
      <td style={{ height }} />
    </tr>
  );
}

const cellClass = (meta: { wide?: boolean; numeric?: boolean } | undefined) =>
  [meta?.wide && "wide-only", meta?.numeric && "numeric"].filter(Boolean).join(" ") || undefined;
