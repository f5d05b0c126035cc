import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { environment } from "../http/environment.ts";

/** Asks for every address of a host name; throws, or answers none, where it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/** Where a delivery goes: addresses that were checked, and are connected to without asking again. */
export type Destination = { url: URL; addresses: string[] } | { refusal: string };

const INSIDE = "the address is not on the public internet";

/**
 * Why a webhook may never be sent to an address, as far as can be told without asking for anything; null
 * when nothing speaks against it. Nobody reaches into a private network through us, by name or by
 * number. Loopback is allowed to local stacks alone.
 */
export function refusedAtSight(
  address: string,
  mayReachLoopback = environment.webhooksMayReachLoopback,
): string | null {
  if (!URL.canParse(address)) return "the address is not a URL";
  const url = new URL(address);
  const { protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:")
    return "only http and https addresses are delivered to";
  if (username || password) return "the address must not hold credentials";
  if (!mayReachPort(portOf(url))) return "the port is not one that webhooks are delivered to";

  const host = hostOf(url);
  const known = ownAddressesOf(host);
  if (known) return known.every((one) => mayReach(one, mayReachLoopback)) ? null : INSIDE;
  return PRIVATE_NAME.test(host) ? "the host name is not one of the public internet" : null;
}

/**
 * Looks up where a webhook is sent to: asks once for all addresses of its host, and refuses it when a single one
 * may not be reached. Whoever connects to what is answered here, and to nothing else, cannot be led
 * elsewhere by a name that means something else the next time.
 */
export async function destinationOf(
  address: string,
  resolve: Resolve = systemResolver,
  mayReachLoopback = environment.webhooksMayReachLoopback,
): Promise<Destination> {
  const refusal = refusedAtSight(address, mayReachLoopback);
  if (refusal) return { refusal };
  const url = new URL(address);
  const host = hostOf(url);
  const addresses = ownAddressesOf(host) ?? (await addressesOf(host, resolve));
  if (addresses.length === 0) return { refusal: "the host name does not resolve" };
  if (!addresses.every((one) => mayReach(one, mayReachLoopback))) return { refusal: INSIDE };
  return { url, addresses: addresses.map((one) => ipaddr.process(one).toString()).sort(byFamily) };
}

/** The name or number of a URL's host: without the brackets of IPv6 and the root's dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, "");
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/**
 * Web servers listen at 80, 443 or a port that takes no privilege. Of the latter, those below belong to
 * services that answer a stranger's bytes in a way of their own: file shares, Docker, Kubernetes,
 * databases, queues, caches, remote desktops, X11, IRC.
 */
function mayReachPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !OTHER_SERVICES.has(port));
}

const OTHER_SERVICES = new Set([
  1080, 1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3306, 3389, 4369, 5432, 5433,
  5672, 5900, 5984, 5985, 5986, 6000, 6379, 6443, 6665, 6666, 6667, 6668, 6669, 6697, 7001, 9042,
  9092, 9100, 9200, 9300, 10250, 11211, 27017, 27018, 27019,
]);

/** Names of private networks: without a dot, or below a domain that no public name server answers for. */
const PRIVATE_NAME = /^[^.]*$|(^|\.)(local|internal|intranet|lan|private|corp|home|home\.arpa)$/;

/** The addresses of a host that nobody needs to be asked for. */
function ownAddressesOf(host: string): string[] | null {
  if (ipaddr.isValid(host)) return [host];
  return /(^|\.)localhost$/.test(host) ? ["127.0.0.1", "::1"] : null;
}

function mayReach(address: string, loopback: boolean): boolean {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === "loopback") return loopback;
  if (range !== "unicast") return false;
  return parsed.kind() === "ipv6"
    ? parsed.match(PUBLIC_IPV6)
    : parsed.toString() !== AZURE_WIRE_SERVER;
}

/** Outside of it `::10.0.0.1` passes for unicast, the old way to write an IPv4 address. */
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Looks public, and answers for the machine it is asked from. */
const AZURE_WIRE_SERVER = "168.63.129.16";

/** IPv4 first: a machine without a way out for IPv6 would wait for nothing. */
function byFamily(a: string, b: string): number {
  return Number(a.includes(":")) - Number(b.includes(":"));
}

async function addressesOf(name: string, resolve: Resolve): Promise<string[]> {
  try {
    return (await resolve(name)).filter((address) => ipaddr.isValid(address));
  } catch {
    // Whatever the resolver's reason, there is nothing to send to.
    return [];
  }
}

const ANSWER_MS = 5000;

/** What names were asked for lately: the deliveries of a burst to one receiver ask once. */
const asked = new Map<string, Promise<string[]>>();

function systemResolver(name: string): Promise<string[]> {
  const before = asked.get(name);
  if (before) return before;
  const asking = lookup(name, { all: true }).then((found) => found.map(({ address }) => address));
  asked.set(name, asking);
  const forget = () => asked.delete(name);
  asking.then(() => setTimeout(forget, ANSWER_MS), forget);
  return asking;
}
