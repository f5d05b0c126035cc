import type { Marketplace, MarketplaceStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { ErrorNote } from "../components/error-note";
import { useChangeMarketplace } from "./use-change";

/** The statuses that a marketplace can be moved to. */
const MOVES: Record<MarketplaceStatus, readonly MarketplaceStatus[]> = {
  draft: ["active"],
  active: ["inactive"],
  inactive: ["active"],
  suspended: ["active"],
};

export function MarketplaceMoves({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const change = useChangeMarketplace(marketplace);
  return (
    <>
      {MOVES[marketplace.status].map((status) => (
        <Button
          key={status}
          variant={status === "active" ? "primary" : "plain"}
          pending={change.isPending}
          onClick={() => change.mutate({ status })}
        >
          {t(status === "active" ? "marketplaces.activate" : "marketplaces.deactivate")}
        </Button>
      ))}
      {change.error && <ErrorNote error={change.error} />}
    </>
  );
}
