import type { SoukClient } from "@souk/client";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { useShop } from "./shop";

// Promoted products have their campaign in `data-campaign` and their token in `data-promotion`, in our lists and in
// templates. The API needs both, because the token is a signature of the campaign.

/** Impressions within this time are reported together, in ms. */
const PAUSE_MS = 1000;

/**
 * Reports an impression of each promoted product inside the element when half of it is visible. `on` lists the values
 * that it depends on.
 */
export function useImpressions(place: RefObject<HTMLElement>, on: readonly unknown[]): void {
  const { souk } = useShop();
  useEffect(() => {
    let seen: HTMLElement[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const report = () => {
      if (seen.length > 0) void record(souk, "impression", seen);
      seen = [];
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          observer.unobserve(target);
          seen.push(target as HTMLElement);
        }
        clearTimeout(timer);
        timer = setTimeout(report, PAUSE_MS);
      },
      { threshold: 0.5 },
    );
    for (const shown of place.current?.querySelectorAll("[data-promotion]") ?? []) {
      observer.observe(shown);
    }
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      report();
    };
  }, [souk, ...on]);
}

/** Reports a click on a link inside a promoted product. */
export function reportClick(souk: SoukClient, link: Element): void {
  const product = link.closest<HTMLElement>("[data-promotion]");
  if (product) void record(souk, "click", [product]);
}

async function record(souk: SoukClient, type: "impression" | "click", products: HTMLElement[]) {
  const events = products.map(({ dataset }) => ({
    type,
    campaign_id: dataset.campaign,
    token: dataset.promotion,
  }));
  try {
    await souk.placement.record({ events });
  } catch {
    // The shop works without reports.
  }
}
