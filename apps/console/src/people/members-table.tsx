import type { Member } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { MemberDialog } from "./member-dialog";

const column = createColumnHelper<Member>();

export function MembersTable() {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const [editing, setEditing] = useState<Member | null>(null);
  const list = usePagedList({
    key: ["members", "list"],
    readPage: (page, signal) => souk.members.list({ ...page, is_anonymous: false }, { signal }),
    rowsOf: (page) => page.members,
  });
  const columns = useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: member } }) => (
          <button type="button" className="link row-link" onClick={() => setEditing(member)}>
            {member.name}
          </button>
        ),
      }),
      column.accessor("email", {
        header: t("fields.email"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue()}</span>,
      }),
      column.accessor("role", {
        header: t("fields.role"),
        cell: (cell) => t(`roles.${cell.getValue()}`),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => (
          <Badge tone={cell.getValue() === "active" ? "good" : "bad"}>
            {t(`members.statuses.${cell.getValue()}`)}
          </Badge>
        ),
      }),
      column.accessor("created_at", {
        header: t("common.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
    ],
    [t, format],
  );
  return (
    <>
      <PagedTable
        label={t("members.title")}
        list={list}
        rowId={(member) => member.user_id}
        columns={columns}
        empty={null}
      />
      {editing && <MemberDialog member={editing} onClose={() => setEditing(null)} />}
    </>
  );
}
