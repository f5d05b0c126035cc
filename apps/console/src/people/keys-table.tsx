import type { ApiKey } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { Empty } from "../components/empty";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

const column = createColumnHelper<ApiKey>();

/** The API keys of machines, newest first. */
export function KeysTable() {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const [removing, setRemoving] = useState<ApiKey | null>(null);
  const list = usePagedList({
    key: ["apiKeys", "list"],
    readPage: (page, signal) => souk.apiKeys.list(page, { signal }),
    rowsOf: (page) => page.api_keys,
  });
  const columns = useMemo(
    () => [
      column.accessor("name", {
        header: t("fields.name"),
        cell: ({ row: { original: key } }) => (
          <>
            <span className="clipped">{key.name}</span>
            <small className="clipped">{key.client_id}</small>
          </>
        ),
      }),
      column.accessor("scopes", {
        header: t("keys.rights"),
        meta: { wide: true },
        cell: ({ row: { original: key } }) => (
          <span className="clipped">
            {key.scopes ? key.scopes.join(", ") : t("keys.allOf", { role: t(`roles.${key.role}`) })}
          </span>
        ),
      }),
      column.accessor("last_used_at", {
        header: t("keys.lastUse"),
        cell: (cell) => {
          const time = cell.getValue();
          return time ? format.date(time) : t("keys.never");
        },
      }),
      column.accessor("expires_at", {
        header: t("invitations.expires"),
        meta: { wide: true },
        cell: (cell) => {
          const time = cell.getValue();
          return time ? format.date(time) : "–";
        },
      }),
      column.display({
        id: "remove",
        header: () => <span className="hidden">{t("common.actions")}</span>,
        meta: { numeric: true },
        cell: ({ row: { original: key } }) => (
          <Button variant="quiet" onClick={() => setRemoving(key)}>
            {t("keys.remove")}
          </Button>
        ),
      }),
    ],
    [t, format],
  );
  return (
    <>
      <PagedTable
        label={t("keys.title")}
        list={list}
        rowId={(key) => key.id}
        columns={columns}
        empty={
          <Empty icon="members" title={t("keys.none")}>
            {t("keys.noneHint")}
          </Empty>
        }
      />
      {removing && <RemoveKey apiKey={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function RemoveKey({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => souk.apiKeys.remove(id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["apiKeys"] });
      toastDone(t("keys.removed", { name }));
      onClose();
    },
  });
  return (
    <Confirm
      title={t("keys.remove")}
      submit={t("keys.remove")}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t("keys.removeHint", { name })}
    </Confirm>
  );
}
