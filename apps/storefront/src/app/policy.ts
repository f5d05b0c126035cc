import type { Storefront } from "@souk/client";

/**
 * The part of the content security policy that depends on the shop: pictures, sounds, videos, frames and forms belong to
 * the shop, the project at `url`, or a host that an admin has listed. So a template cannot tell other hosts what it shows.
 */
export function policyOfShop({ branding }: Storefront, url: string): Record<string, string> {
  const hosts = branding.hosts ?? [];
  const pictures = [branding.logo_url, branding.favicon_url].flatMap((address) =>
    address ? [new URL(address).origin] : [],
  );
  const media = ["'self'", new URL(url).origin, ...hosts].join(" ");
  return {
    "img-src": [media, "data: blob:", ...pictures].join(" "),
    "media-src": media,
    "frame-src": hosts.join(" ") || "'none'",
    "form-action": ["'self'", ...hosts].join(" "),
  };
}

/** Adds the shop's part of the policy to the document. Policies can only become stricter. */
export function narrowPolicy(marketplace: Storefront, url: string): void {
  const meta = document.createElement("meta");
  meta.httpEquiv = "Content-Security-Policy";
  meta.content = Object.entries(policyOfShop(marketplace, url))
    .map((directive) => directive.join(" "))
    .join("; ");
  document.head.append(meta);
}
