import type { PricingModel, Product } from "@souk/client";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField } from "../components/field";
import { Form } from "../components/form";
import { useFormat } from "../lib/format";
import { toastDone } from "../lib/toasts";
import { amountsOf, BidFields, type Bids } from "./bid-fields";
import { useCategoriesOf, usePlacementPrices } from "./placement-prices";
import { PRICING_MODELS } from "./statuses";
import { useCampaignAction } from "./use-campaign-action";

/** The numbers of days that every pricing model offers. */
const DURATIONS = ["1", "7", "30", "90"] as const;

/** Starts a campaign for a product, in its category or in one above it. */
export function PromoteProduct({ product, onClose }: { product: Product; onClose(): void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const navigate = useNavigate();
  const categories = useCategoriesOf(product);
  const [categoryId, setCategoryId] = useState(product.category_id ?? "");
  const [model, setModel] = useState<PricingModel>("auction");
  const [duration, setDuration] = useState<(typeof DURATIONS)[number]>("7");
  const [bids, setBids] = useState<Bids>({ bid: "", maxBid: "", budget: "" });
  const ids = categories.map(({ id }) => id);
  const prices = usePlacementPrices(ids.slice(0, ids.indexOf(categoryId) + 1), product.currency);
  const { minBid = 0, dayFee = 0 } = prices.data ?? {};
  const money = (amount: number) => format.money(amount, product.currency);
  const start = useCampaignAction(
    (souk) =>
      souk.campaigns.create({
        productId: product.id,
        categoryId,
        pricingModel: model,
        duration: Number(duration),
        ...(model === "fixed" ? { bidAmount: dayFee } : amountsOf(bids, model)),
      }),
    {
      onDone: async (_, { id }) => {
        await navigate({ to: "/campaigns/$campaignId", params: { campaignId: id } });
        toastDone(t("campaigns.isStarted", { name: product.name }));
      },
    },
  );
  return (
    <Dialog title={t("campaigns.promote")} lead={t("campaigns.promoteHint")} onClose={onClose}>
      <Form
        action={start}
        onSubmit={() => start.mutate()}
        submit={t("campaigns.promote")}
        onCancel={onClose}
      >
        <SelectField
          name="categoryId"
          label={t("fields.category")}
          hint={t("campaigns.categoryHint")}
          options={categories.map(({ id, name }) => ({ value: id, label: name }))}
          value={categoryId}
          onChange={setCategoryId}
        />
        <div className="field-row">
          <SelectField
            name="pricingModel"
            label={t("campaigns.model")}
            hint={
              (model === "fixed" || model === "hybrid") &&
              (dayFee > 0 ? t("campaigns.feeOfDay", { fee: money(dayFee) }) : t("campaigns.noFees"))
            }
            options={PRICING_MODELS.map((value) => ({
              value,
              label: t(`campaigns.models.${value}`),
            }))}
            value={model}
            onChange={setModel}
          />
          <SelectField
            name="duration"
            label={t("overview.period")}
            options={DURATIONS.map((value) => ({
              value,
              label: t("campaigns.days", { count: Number(value) }),
            }))}
            value={duration}
            onChange={setDuration}
          />
        </div>
        {model !== "fixed" && (
          <BidFields
            model={model}
            bids={bids}
            onChange={setBids}
            hint={t("campaigns.lowestBid", { bid: money(minBid) })}
          />
        )}
      </Form>
    </Dialog>
  );
}
