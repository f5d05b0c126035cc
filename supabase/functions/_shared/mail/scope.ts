import { readableOn } from "../templates/branding.ts";
import { oneLine } from "./one_line.ts";

/** A marketplace, as far as letters speak of it. */
export interface LetterMarketplace {
  id: string;
  name: string;
  domain: string | null;
  currency: string;
  language: string;
  settings?: { branding?: Branding | null } | null;
}

interface Branding {
  logo_url?: string | null;
  colors?: Record<string, unknown> | null;
}

const COLOR = /^#[0-9a-f]{6}$/i;
/** Of a letter of nobody's colour. */
const OUR_COLOR = "#0f766e";
const DOMAIN = /^[\p{L}\p{N}.-]+(?::\d{1,5})?$/u;

/** What a letter's texts see. */
export interface LetterScope extends Record<string, unknown> {
  /** Under which name, colour and logo a letter is sent. */
  brand: { name: string; color: string; on_color: string; logo_url: string | null };
}

/** Where a marketplace is found; null where it has no domain. */
export function addressOf(marketplace: LetterMarketplace | null): string | null {
  const domain = marketplace?.domain ?? "";
  return DOMAIN.test(domain) && URL.canParse(`https://${domain}`) ? `https://${domain}` : null;
}

/** What a letter's texts see by name, beside what its event carries. */
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
  const { settings, ...shown } = marketplace ?? {};
  const branding: Branding = settings?.branding ?? {};
  const primary = branding.colors?.primary;
  const color = typeof primary === "string" && COLOR.test(primary) ? primary : OUR_COLOR;
  return {
    ...(present(variables) as Record<string, unknown>),
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

/** Records stand at most so deep in what events carry. */
const DEEPEST = 20;

/** A value without whatever says nothing: Liquid takes an empty text for something that is there. */
function present(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => present(one, depth + 1));
  const said = Object.entries(value).filter(([, one]) => !saysNothing(one));
  return Object.fromEntries(said.map(([name, one]) => [name, present(one, depth + 1)]));
}

const saysNothing = (value: unknown) =>
  value === null || value === undefined || (typeof value === "string" && value.trim() === "");

/** A logo's whole address, since no mailbox knows where a relative one would be. */
function logoOf(logo: unknown, base: string | null): string | null {
  if (typeof logo !== "string" || logo === "") return null;
  if (/^https?:\/\//i.test(logo)) return logo;
  return base !== null && /^\/[^/\\]/.test(logo) ? `${base}${logo}` : null;
}
