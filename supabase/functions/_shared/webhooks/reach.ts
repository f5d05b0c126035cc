import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

/**
 * Why a webhook may not be sent to an address, or null when it may: nobody reaches into a private
 * network through us, by name or by number. Loopback is allowed to local stacks alone.
 */
export async function reasonNotToReach(
  url: string,
  allowLoopback: boolean,
): Promise<string | null> {
  const { protocol, hostname, username, password } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    return "only http and https addresses are delivered to";
  if (username || password) return "the address must not hold credentials";

  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ""));
  if (addresses.length === 0) return "the host name does not resolve";
  for (const address of addresses) {
    const parsed = ipaddr.process(address);
    const range = parsed.range();
    if (range === "loopback" && allowLoopback) continue;
    if (range === "unicast" && (parsed.kind() === "ipv4" || parsed.match(PUBLIC_IPV6))) continue;
    return "the address is not on the public internet";
  }
  return null;
}

/** Outside of it `::10.0.0.1` passes for unicast, the old way to write an IPv4 address. */
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

async function addressesOf(host: string): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    // Whatever the resolver's reason, there is nothing to send to.
    return [];
  }
}
