import type { Marketplace, MarketplaceStatus } from "@souk/client";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { ErrorNote } from "../components/error-note";
import { toastDone } from "../lib/toasts";
import type { MarketplaceEditing } from "./use-change";

/** The possible statuses after each status. */
const MOVES: Record<MarketplaceStatus, readonly ("active" | "inactive")[]> = {
  draft: ["active"],
  active: ["inactive"],
  inactive: ["active"],
  suspended: ["active"],
};

interface Move {
  to: "active" | "inactive";
  /** The state that an undo begins from. */
  from?: Marketplace;
}

export function MarketplaceMoves({ editing }: { editing: MarketplaceEditing }) {
  const { t } = useTranslation();
  const { marketplace, change, reread } = editing;
  // A marketplace cannot return to draft, so only a move between active and inactive can be undone.
  const move = useMutation({
    mutationFn: ({ to, from = marketplace }: Move) => change({ status: to }, from),
    onSuccess: (saved, { to, from }) =>
      toastDone(
        t(to === "active" ? "marketplaces.isOpen" : "marketplaces.isClosed", { name: saved.name }),
        from || marketplace.status === "draft"
          ? undefined
          : {
              label: t("common.undo"),
              run: () => move.mutate({ to: to === "active" ? "inactive" : "active", from: saved }),
            },
      ),
  });
  const readAgain = async () => {
    await reread();
    move.reset();
  };
  return (
    <>
      {MOVES[marketplace.status].map((status) => (
        <Button
          key={status}
          variant={status === "active" ? "primary" : "plain"}
          pending={move.isPending}
          onClick={() => move.mutate({ to: status })}
        >
          {t(status === "active" ? "marketplaces.activate" : "marketplaces.deactivate")}
        </Button>
      ))}
      {move.error && <ErrorNote error={move.error} onReadAgain={readAgain} />}
    </>
  );
}
