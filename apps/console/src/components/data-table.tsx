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
  /** How many rows there are. */
  count: number;
  /** The row at a place, counted from 0; undefined while it is not read. */
  rowAt(place: number): Row | undefined;
  rowId(row: Row): string;
  /** Called with the first and the last place in sight. */
  onShow?: (first: number, last: number) => void;
  /** The rows that have just arrived are shown with a colour. */
  fresh?: ReadonlySet<string>;
}

/** A table of any length: only the rows in sight are drawn. */
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
    // The rows are others each time. To reset the state for them would render again, without end.
    autoResetAll: false,
  });
  const { rowsById } = table.getRowModel();

  useEffect(() => {
    if (first && last) onShow?.(first.index, last.index);
  }, [first?.index, last?.index, onShow]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
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

/** A row that is not read yet. */
function PendingRow({ place, columns }: { place: number; columns: number }) {
  return (
    <tr className="pending" aria-rowindex={place + 2}>
      <td colSpan={columns}>
        <span aria-hidden="true" />
      </td>
    </tr>
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
