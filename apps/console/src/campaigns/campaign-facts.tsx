import type { Campaign } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { Facts } from "../components/facts";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { useCategoryOptions } from "../products/category-options";
import { useMay } from "../session/session";

/** What a campaign promotes, where, and at which price. */
export function CampaignFacts({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const suppliers = useSuppliers();
  const categories = useCategoryOptions();
  const { pricing_model, currency, daily_budget, max_bid } = campaign;
  const money = (amount: number | null) => amount !== null && format.money(amount, currency);
  return (
    <Card title={t("campaigns.terms")}>
      <Facts
        facts={[
          [
            t("campaigns.product"),
            <Link
              key="product"
              to="/products/$productId"
              params={{ productId: campaign.product_id }}
            >
              {t("campaigns.toProduct")}
            </Link>,
          ],
          [
            t("fields.supplier"),
            may("campaigns.write:all") &&
              (nameIn(suppliers.data, campaign.supplier_id) ?? t("orders.operator")),
          ],
          [
            t("fields.category"),
            categories.find(({ value }) => value === campaign.category_id)?.label,
          ],
          [t("campaigns.model"), t(`campaigns.models.${pricing_model}`)],
          [t("campaigns.fee"), campaign.fee > 0 && money(campaign.fee)],
          [t("campaigns.bid"), pricing_model !== "fixed" && money(campaign.bid_amount)],
          [t("campaigns.maxBid"), money(max_bid)],
          [t("campaigns.dailyBudget"), money(daily_budget)],
          [t("campaigns.regions"), campaign.regions?.join(", ")],
          [t("fields.note"), campaign.note],
        ]}
      />
    </Card>
  );
}
