import { isIP } from "node:net";
import type { Context } from "hono";
import type { Config } from "../config.js";
import type { ServiceContext } from "../service.js";
import { parseUrl } from "../url.js";
import { type Challenge, readChallenge } from "./challenge.js";

/** What a request says of its sender. */
export interface AuthRequest {
  userAgent: string | null;
  ip: string;
  /** Where a link in a mail ends: what was asked for if it is allowed, else the site's address. */
  redirectTo: string;
  /** Set when the request begins a PKCE flow. */
  challenge: Challenge | null;
}

/**
 * `body`: the request's, where it may carry a challenge. A server may name its caller's address in `Sb-Forwarded-For`.
 * As hosted, that counts together with a secret key only.
 */
export function requestOf(
  c: Context,
  { config, keys }: Pick<ServiceContext, "config" | "keys">,
  body?: Parameters<typeof readChallenge>[0],
): AuthRequest {
  const isServer = [keys.secretKey, keys.serviceRoleKey].includes(c.req.header("apikey") ?? "");
  const named = isServer ? c.req.header("sb-forwarded-for") : undefined;
  const forwarded = [named, c.req.header("x-forwarded-for")].filter(Boolean).join(",");
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
        .find((part) => isIP(part) > 0) ?? "127.0.0.1",
    redirectTo: wishes.find((wish) => isAllowedRedirect(config, wish)) ?? config.auth.site_url,
    challenge: body ? readChallenge(body) : null,
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const HOSTNAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
/** The host as it is written: `http://2130706433/` is this machine, and no address anybody means. */
const WRITTEN_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\\]*@)?(\[[^\]]*\]|[^:/?#\\\s]*)(?![\\\s])/i;

/** The site itself, this machine, or an address that `additional_redirect_urls` names. */
export function isAllowedRedirect(
  { auth }: Config,
  address: string | undefined,
): address is string {
  const url = address && parseUrl(address);
  if (!url) return false;
  const { protocol, hostname, port } = url;
  if ((WRITTEN_HOST.exec(address)?.[1] ?? "") !== hostname) return false;
  const isLocal = LOOPBACK.test(hostname);
  const site = new URL(auth.site_url);
  const samePort = site.port === port || isLocal;
  if (site.protocol === protocol && site.hostname === hostname && samePort) return true;
  if (isIP(hostname.replace(/^\[|\]$/g, ""))) return isLocal;
  if (/^https?:$/.test(protocol) && !HOSTNAME.test(hostname)) return false;
  const [withoutFragment = ""] = address.split("#");
  return auth.additional_redirect_urls.some((glob) => matcher(glob).test(withoutFragment));
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
