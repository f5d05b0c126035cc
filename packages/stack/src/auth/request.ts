import { isIP } from "node:net";
import type { Context } from "hono";
import type { Config } from "../config.js";
import type { ServiceContext } from "../service.js";
import { parseUrl } from "../url.js";
import { type Challenge, readChallenge } from "./challenge.js";

/** The context of a request. */
export interface AuthRequest {
  userAgent: string | null;
  ip: string;
  /**
   * The target of a link in a mail: the requested address if it is allowed, else the site's
   * address.
   */
  redirectTo: string;
  /** Set when the request begins a PKCE flow. */
  challenge: Challenge | null;
}

/** Whether a request comes from a server of the project, which may name its caller's address. */
export const isServer = (
  { secretKey, serviceRoleKey }: ServiceContext["keys"],
  key?: string | null,
) => key === secretKey || key === serviceRoleKey;

/**
 * Reads the context of a request. `body` is the parsed body if it may contain a challenge. As on hosted Supabase, a
 * server may name its caller's address in `Sb-Forwarded-For`, but only together with a secret key.
 */
export function requestOf(
  c: Context,
  { config, keys }: Pick<ServiceContext, "config" | "keys">,
  body?: Parameters<typeof readChallenge>[0],
): AuthRequest {
  const named = isServer(keys, c.req.header("apikey"))
    ? c.req.header("sb-forwarded-for")
    : undefined;
  const forwarded = [named, c.req.header("x-forwarded-for")].filter(Boolean).join(",");
  const candidates = [
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
    redirectTo:
      candidates.find((candidate) => isAllowedRedirect(config, candidate)) ?? config.auth.site_url,
    challenge: body ? readChallenge(body) : null,
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const HOSTNAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
/**
 * Matches the host as written. `http://2130706433/` parses to an IP address, but is not written as
 * one.
 */
const WRITTEN_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\\]*@)?(\[[^\]]*\]|[^:/?#\\\s]*)(?![\\\s])/i;

/** Whether an address is the site itself, this machine, or in `additional_redirect_urls`. */
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

/** `*` and `?` do not match a dot or a slash, `**` does. */
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
