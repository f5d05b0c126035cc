import { readableOn } from "../values/colors.ts";
import { parseUrl } from "../values/urls.ts";
import { oneLine } from "./one_line.ts";

/** A marketplace, with the fields that letters use. */
export interface LetterMarketplace {
  id: string;
  name: string;
  domain: string | null;
  currency: string;
  language: string;
  settings?: { branding?: Branding | null } | null;
  /** Where answers to letters go; null to the address that they come from. */
  reply_to?: string | null;
}

interface Branding {
  logo_url?: string | null;
  colors?: Record<string, unknown> | null;
}

const COLOR = /^#[0-9a-f]{6}$/i;
/** The color of letters if the marketplace has none. */
const DEFAULT_COLOR = "#0f766e";
const DOMAIN = /^[\p{L}\p{N}.-]+(?::\d{1,5})?$/u;

/** The variables of a letter. */
export interface LetterScope extends Record<string, unknown> {
  /** The name, color and logo of the sender. */
  brand: { name: string; color: string; on_color: string; logo_url: string | null };
}

/** The address of a marketplace; null if it has no domain. */
export function addressOf(marketplace: LetterMarketplace | null): string | null {
  const domain = marketplace?.domain ?? "";
  return DOMAIN.test(domain) && parseUrl(`https://${domain}`) ? `https://${domain}` : null;
}

/**
 * The variables of a letter: the data of its event with `order.url`, and marketplace, tenant, brand and unsubscribe_url.
 */
export function scopeOf({
  marketplace,
  tenant,
  variables,
  unsubscribeUrl,
}: {
  marketplace: LetterMarketplace | null;
  tenant: { name: string };
  variables: Record<string, unknown>;
  unsubscribeUrl: string | null;
}): LetterScope {
  const url = addressOf(marketplace);
  const { settings, reply_to, ...shown } = marketplace ?? {};
  const branding: Branding = settings?.branding ?? {};
  const primary = branding.colors?.primary;
  const color = typeof primary === "string" && COLOR.test(primary) ? primary : DEFAULT_COLOR;
  return {
    ...(present(withPage(variables, url)) as Record<string, unknown>),
    marketplace: present({ ...shown, url, branding }),
    tenant: present({ name: tenant.name }),
    brand: {
      name: oneLine(marketplace?.name || tenant.name || marketplace?.domain || ""),
      color,
      on_color: readableOn(color),
      logo_url: logoOf(branding.logo_url, url),
    },
    unsubscribe_url: unsubscribeUrl || null,
  };
}

/** The variables with `order.url`, the order's page in the shop at `url`. */
function withPage(variables: Record<string, unknown>, url: string | null) {
  const { order } = variables as { order?: { id?: unknown } };
  return url && typeof order?.id === "string"
    ? { ...variables, order: { ...order, url: `${url}/orders/${order.id}` } }
    : variables;
}

/** Maximum depth of the data of an event. */
const DEEPEST = 20;

/** A value without null and blank fields, because Liquid treats an empty text as true. */
function present(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => present(one, depth + 1));
  const kept = Object.entries(value).filter(([, one]) => !isBlank(one));
  return Object.fromEntries(kept.map(([name, one]) => [name, present(one, depth + 1)]));
}

const isBlank = (value: unknown) =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "");

/** The absolute address of a logo; null if it has none. */
function logoOf(logo: unknown, base: string | null): string | null {
  if (typeof logo !== "string" || logo === "") return null;
  if (/^https?:\/\//i.test(logo)) return logo;
  return base !== null && /^\/[^/\\]/.test(logo) ? `${base}${logo}` : null;
}
