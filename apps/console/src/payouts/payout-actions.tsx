import type { Payout } from "@souk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { messageOf } from "../lib/errors";
import { useSouk } from "../lib/souk";
import { toastDone, toastError } from "../lib/toasts";
import { useMay } from "../session/session";
import { MovePayout } from "./move-payout";
import { MOVES, type PayoutMove } from "./statuses";

/** The actions on a payout that are possible now for the person. */
export function PayoutActions({ payout }: { payout: Payout }) {
  const { t } = useTranslation();
  const may = useMay();
  const [move, setMove] = useState<PayoutMove | null>(null);
  const download = useDownload(payout.id);
  const moves = may("payouts.write") ? MOVES[payout.status] : [];
  return (
    <>
      <Button pending={download.isPending} onClick={() => download.mutate()}>
        <Icon name="exports" />
        {t("payouts.statement")}
      </Button>
      {moves.map((one) => (
        <Button
          key={one}
          variant={one === "paid" ? "primary" : "plain"}
          onClick={() => setMove(one)}
        >
          {t(`payouts.moves.${one}`)}
        </Button>
      ))}
      {move && <MovePayout payout={payout} move={move} onClose={() => setMove(null)} />}
    </>
  );
}

/** Saves the statement of a payout as a file. */
function useDownload(id: string) {
  const { t } = useTranslation();
  const souk = useSouk();
  return useMutation({
    mutationFn: () => Array.fromAsync(souk.payouts.statementCsv(id)),
    onSuccess: (parts) => {
      // Excel needs the byte order mark to detect UTF-8.
      const file = new Blob(["\uFEFF", ...parts], { type: "text/csv" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `payout-${id}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
      toastDone(t("exports.downloading"));
    },
    onError: (error) => toastError(t("common.failed"), messageOf(error)),
  });
}
