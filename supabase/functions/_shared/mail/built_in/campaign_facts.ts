/** The facts in the mails about campaigns. */
export const CAMPAIGN_FACTS = {
  product: { of: "campaign.product_name", shown: "{{ campaign.product_name | truncate: 120 }}" },
  start: { of: "campaign.start_date", shown: '{{ campaign.start_date | date: "long" }}' },
  end: { of: "campaign.end_date", shown: '{{ campaign.end_date | date: "long" }}' },
  budget: {
    of: "campaign.daily_budget",
    shown: "{{ campaign.daily_budget | money: campaign.currency }}",
  },
};

export const CAMPAIGN_NAMES = {
  en: { product: "Product", start: "Begins", end: "Ends", budget: "Daily budget" },
  de: { product: "Produkt", start: "Beginn", end: "Ende", budget: "Tagesbudget" },
  ar: {
    product: "المنتج",
    start: "تاريخ البدء",
    end: "تاريخ الانتهاء",
    budget: "الميزانية اليومية",
  },
};

/** The note of the reviewer. */
export const HAS_NOTE = "campaign.note";
export const NOTE = "{{ campaign.note | truncate: 1000 }}";

export const SAMPLE_CAMPAIGN = {
  user: { name: "Jonas Weber", email: "jonas@example.com", role: "supplier" },
  campaign: {
    product_name: "Brass coffee pot",
    start_date: "2026-01-05",
    end_date: "2026-01-31",
    daily_budget: 25,
    currency: "EUR",
    note: null as string | null,
  },
};
