import { isIP } from "node:net";
import type { Context } from "hono";
import type { Config } from "../config.js";
import { type Challenge, readChallenge } from "./pkce.js";

/** What a request says of its sender. */
export interface Visit {
  userAgent: string | null;
  ip: string | null;
  /** Where a link in a letter ends: what was asked for if it is allowed, else the site's address. */
  redirectTo: string;
  /** Set when the request begins a PKCE flow. */
  challenge: Challenge | null;
}

/** `body`: the request's, where it may carry a challenge. */
export function visitOf(
  c: Context,
  config: Config,
  body?: Parameters<typeof readChallenge>[0],
): Visit {
  const forwarded = c.req.header("x-forwarded-for") ?? "";
  const wishes = [
    c.req.header("redirect_to") || c.req.query("redirect_to"),
    c.req.header("referer"),
  ];
  return {
    userAgent: c.req.header("user-agent") ?? null,
    ip:
      forwarded
        .split(",")
        .map((part) => part.trim())
        .find((part) => isIP(part) > 0) ?? null,
    redirectTo: wishes.find((wish) => isAllowedRedirect(config, wish)) ?? config.auth.site_url,
    challenge: body ? readChallenge(body) : null,
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The site itself, this machine, or an address that `additional_redirect_urls` names. */
export function isAllowedRedirect(config: Config, address: string | undefined): address is string {
  if (!address || !URL.canParse(address)) return false;
  const wish = new URL(address);
  if (URL.canParse(config.auth.site_url)) {
    const site = new URL(config.auth.site_url);
    const samePort = site.port === wish.port || LOOPBACK.test(wish.hostname);
    if (site.protocol === wish.protocol && site.hostname === wish.hostname && samePort) return true;
  }
  if (/^https?:$/.test(wish.protocol) && LOOPBACK.test(wish.hostname) && isIP(wish.hostname)) {
    return true;
  }
  const [withoutFragment = ""] = address.split("#");
  return config.auth.additional_redirect_urls.some((glob) => matcher(glob).test(withoutFragment));
}

/** `*` and `?` stop at a dot and a slash, `**` does not. */
function matcher(glob: string): RegExp {
  const source = glob
    .split(/(\*\*|\*|\?)/)
    .map((part) => {
      if (part === "**") return ".*";
      if (part === "*") return "[^./]*";
      if (part === "?") return "[^./]";
      return part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`);
}
