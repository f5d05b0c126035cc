import type { Marketplace, MarketplaceStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { ErrorNote } from "../components/error-note";
import { toastDone } from "../lib/toasts";
import { useChangeMarketplace } from "./use-change";

/** The possible statuses after each status. */
const MOVES: Record<MarketplaceStatus, readonly ("active" | "inactive")[]> = {
  draft: ["active"],
  active: ["inactive"],
  inactive: ["active"],
  suspended: ["active"],
};

export function MarketplaceMoves({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const change = useChangeMarketplace(marketplace, { isSilent: true });
  // A marketplace cannot return to draft, so only a move between active and inactive can be undone.
  const move = (status: "active" | "inactive", isUndo = false) =>
    change.mutate(
      { status },
      {
        onSuccess: ({ name }) =>
          toastDone(
            t(status === "active" ? "marketplaces.isOpen" : "marketplaces.isClosed", { name }),
            isUndo || marketplace.status === "draft"
              ? undefined
              : {
                  label: t("common.undo"),
                  run: () => move(status === "active" ? "inactive" : "active", true),
                },
          ),
      },
    );
  return (
    <>
      {MOVES[marketplace.status].map((status) => (
        <Button
          key={status}
          variant={status === "active" ? "primary" : "plain"}
          pending={change.isPending}
          onClick={() => move(status)}
        >
          {t(status === "active" ? "marketplaces.activate" : "marketplaces.deactivate")}
        </Button>
      ))}
      {change.error && <ErrorNote error={change.error} />}
    </>
  );
}
