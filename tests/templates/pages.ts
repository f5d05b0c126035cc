import type { Asset } from "../../supabase/functions/_shared/content/html.ts";
import { type Budget, createBudget } from "../../supabase/functions/_shared/liquid/budget.ts";
import type { Page, Warning } from "../../supabase/functions/_shared/liquid/engine.ts";
import { createLocale } from "../../supabase/functions/_shared/liquid/formats.ts";

const PICTURES: Record<string, Asset> = {
  known: { url: "/known.png", srcset: "/known.png 2x" },
  sized: { url: "/sized.png", srcset: "/sized-320.png 320w, /sized-640.png 640w" },
};

/** A page with two pictures, which shows keys in place of translations and collects warnings. */
export function aPage(budget: Budget = createBudget()): Page & { warnings: Warning[] } {
  const warnings: Warning[] = [];
  return {
    budget,
    locale: createLocale("en"),
    translate: (key, count) => `[${key}${count === undefined ? "" : ` ${count}`}]`,
    asset: (id) => PICTURES[id],
    warn: (warning) => warnings.push(warning),
    warnings,
  };
}
