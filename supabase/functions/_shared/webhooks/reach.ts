import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { environment } from "../http/environment.ts";
import { parseUrl } from "../values/urls.ts";

/** Resolves a host name to all its addresses. Throws or returns none if it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/** The destination of a delivery: checked addresses, which are connected to without resolving the name again. */
export type Destination = { url: URL; addresses: string[] } | { refusal: string };

const INSIDE = "the address is not on the public internet";

/** A parsed IP address. */
type Numbers = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The reason why webhooks may not be sent to an address, as far as the address itself tells; null if there is none.
 * Webhooks must not reach private networks, neither by name nor by IP address. Loopback is allowed only on local stacks.
 */
export function refusedAtSight(
  address: string,
  mayReachLoopback = environment.webhooksMayReachLoopback,
): string | null {
  const seen = lookAt(address, mayReachLoopback);
  return "refusal" in seen ? seen.refusal : null;
}

/** `known`: the IP addresses of a host that needs no lookup. */
function lookAt(
  address: string,
  loopback: boolean,
): { url: URL; known: Numbers[] | null } | { refusal: string } {
  const url = parseUrl(address);
  if (!url) return { refusal: "the address is not a URL" };
  const { protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:")
    return { refusal: "the address must be an http or https URL" };
  if (username || password) return { refusal: "the address must not hold credentials" };
  if (!mayReachPort(portOf(url))) return { refusal: "webhooks are not delivered to this port" };

  const host = hostOf(url);
  const known = numbersOf(host);
  if (known && !known.every((one) => mayReach(one, loopback))) return { refusal: INSIDE };
  if (!known && PRIVATE_NAME.test(host)) return { refusal: "the host name is not public" };
  return { url, known };
}

/**
 * Resolves a webhook's address: looks up all addresses of its host once, and refuses the host if one of them may not be
 * reached. The caller must connect to these addresses only, because a second lookup may return others.
 */
export async function destinationOf(
  address: string,
  resolve: Resolve = systemResolver,
  mayReachLoopback = environment.webhooksMayReachLoopback,
): Promise<Destination> {
  const seen = lookAt(address, mayReachLoopback);
  if ("refusal" in seen) return seen;
  const { url, known } = seen;
  const numbers = known ?? (await ask(hostOf(url), resolve));
  if (numbers.length === 0) return { refusal: "the host name does not resolve" };
  if (!known && !numbers.every((one) => mayReach(one, mayReachLoopback)))
    return { refusal: INSIDE };
  return { url, addresses: numbers.sort(byFamily).map((one) => one.toString()) };
}

/** The name or IP address of a URL's host, without the brackets of IPv6 and without a trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, "");
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}

/**
 * Web servers listen on 80, 443 or an unprivileged port. The unprivileged ports in OTHER_SERVICES belong to services
 * that may act on the bytes of a stranger: file shares, Docker, Kubernetes, databases, queues, caches, remote desktops,
 * X11, IRC.
 */
function mayReachPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !OTHER_SERVICES.has(port));
}

const OTHER_SERVICES = new Set([
  1080, 1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3306, 3389, 4369, 5432, 5433,
  5672, 5900, 5984, 5985, 5986, 6000, 6379, 6443, 6665, 6666, 6667, 6668, 6669, 6697, 7001, 9042,
  9092, 9100, 9200, 9300, 10250, 11211, 27017, 27018, 27019,
]);

/** Names of private networks: without a dot, or in a domain that public name servers do not serve. */
const PRIVATE_NAME = /^[^.]*$|(^|\.)(local|internal|intranet|lan|private|corp|home|home\.arpa)$/;

/** The addresses of a host that is an IP address or a name of this machine. */
function numbersOf(host: string): Numbers[] | null {
  if (ipaddr.isValid(host)) return [ipaddr.process(host)];
  return /(^|\.)localhost$/.test(host)
    ? ["127.0.0.1", "::1"].map((one) => ipaddr.process(one))
    : null;
}

function mayReach(address: Numbers, loopback: boolean): boolean {
  const range = address.range();
  if (range === "loopback") return loopback;
  if (range !== "unicast") return false;
  return address.kind() === "ipv6"
    ? address.match(PUBLIC_IPV6)
    : address.toString() !== AZURE_WIRE_SERVER;
}

/** Outside of this range, `::10.0.0.1` counts as unicast: the old notation of an IPv4 address. */
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** An address that looks public, but belongs to the host of an Azure machine. */
const AZURE_WIRE_SERVER = "168.63.129.16";

/** Sorts IPv4 first, because a machine without IPv6 would wait for a timeout. */
function byFamily(a: Numbers, b: Numbers): number {
  return Number(a.kind() === "ipv6") - Number(b.kind() === "ipv6");
}

async function ask(name: string, resolve: Resolve): Promise<Numbers[]> {
  try {
    return (await resolve(name)).filter(ipaddr.isValid).map((one) => ipaddr.process(one));
  } catch {
    // Whatever the reason of the resolver, there is no address.
    return [];
  }
}

/** Time for which lookups are kept, in milliseconds. */
const ANSWER_MS = 5000;

/** Recent lookups, so that a burst of deliveries to one receiver looks its name up once. */
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
