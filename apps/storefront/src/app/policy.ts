import type { Storefront } from "@souk/client";

/** Stripe's script and its frames, which the policy of `index.html` allows, too. */
const STRIPE = ["https://js.stripe.com", "https://*.js.stripe.com"];
const STRIPE_FRAMES = [...STRIPE, "https://hooks.stripe.com"];

/**
 * The part of the content security policy that depends on the shop: pictures, sounds, videos, frames and forms belong to
 * the shop, the project at `url`, or a host that an admin has listed. So a template cannot tell other hosts what it shows.
 * Stripe is allowed only in a document that was loaded at the page of an order.
 */
export function policyOfShop(
  { branding }: Storefront,
  url: string,
  isPaymentPage = false,
): Record<string, string> {
  const hosts = branding.hosts ?? [];
  const [scripts, frames] = isPaymentPage ? [STRIPE, STRIPE_FRAMES] : [[], []];
  const pictures = [branding.logo_url, branding.favicon_url].flatMap((address) =>
    address ? [new URL(address).origin] : [],
  );
  const media = ["'self'", new URL(url).origin, ...hosts].join(" ");
  return {
    "script-src": ["'self'", ...scripts].join(" "),
    "img-src": [media, "data: blob:", ...pictures].join(" "),
    "media-src": media,
    "frame-src": [...hosts, ...frames].join(" ") || "'none'",
    "form-action": ["'self'", ...hosts].join(" "),
  };
}

/** Adds the shop's part of the policy to the document. Policies can only become stricter. */
export function narrowPolicy(marketplace: Storefront, url: string, isPaymentPage: boolean): void {
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = Object.entries(policyOfShop(marketplace, url, isPaymentPage))
    .map((directive) => directive.join(" "))
    .join("; ");
  document.head.append(meta);
}
