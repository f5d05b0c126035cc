import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { environment } from "../http/environment.ts";
import { parseUrl } from "../http/urls.ts";

/** Asks for every address of a host name; throws, or answers none, where it has none. */
export type Resolve = (name: string) => Promise<string[]>;

/** Where a delivery goes: addresses that were checked, and are connected to without asking again. */
export type Destination = { url: URL; addresses: string[] } | { refusal: string };

const INSIDE = "the address is not on the public internet";

/** An address of the internet's own kind, read once. */
type Numbers = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Why a webhook may never be sent to an address, as far as can be told without asking for anything; null
 * when nothing speaks against it. Nobody reaches into a private network through us, by name or by
 * number. Loopback is allowed to local stacks alone.
 */
export function refusedAtSight(
  address: string,
  mayReachLoopback = environment.webhooksMayReachLoopback,
): string | null {
  const seen = lookAt(address, mayReachLoopback);
  return "refusal" in seen ? seen.refusal : null;
}

/** `known`: the numbers of a host that nobody needs to be asked for. */
function lookAt(
  address: string,
  loopback: boolean,
): { url: URL; known: Numbers[] | null } | { refusal: string } {
  const url = parseUrl(address);
  if (!url) return { refusal: "the address is not a URL" };
  const { protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:")
    return { refusal: "only http and https addresses are delivered to" };
  if (username || password) return { refusal: "the address must not hold credentials" };
  if (!mayReachPort(portOf(url)))
    return { refusal: "the port is not one that webhooks are delivered to" };

  const host = hostOf(url);
  const known = numbersOf(host);
  if (known && !known.every((one) => mayReach(one, loopback))) return { refusal: INSIDE };
  if (!known && PRIVATE_NAME.test(host))
    return { refusal: "the host name is not one of the public internet" };
  return { url, known };
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
  const seen = lookAt(address, mayReachLoopback);
  if ("refusal" in seen) return seen;
  const { url, known } = seen;
  const numbers = known ?? (await ask(hostOf(url), resolve));
  if (numbers.length === 0) return { refusal: "the host name does not resolve" };
  if (!known && !numbers.every((one) => mayReach(one, mayReachLoopback)))
    return { refusal: INSIDE };
  return { url, addresses: numbers.sort(byFamily).map((one) => one.toString()) };
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

/** Those of a host that is a number, or this machine's own name. */
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

/** Outside of it `::10.0.0.1` passes for unicast, the old way to write an IPv4 address. */
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Looks public, and answers for the machine it is asked from. */
const AZURE_WIRE_SERVER = "168.63.129.16";

/** IPv4 first: a machine without a way out for IPv6 would wait for nothing. */
function byFamily(a: Numbers, b: Numbers): number {
  return Number(a.kind() === "ipv6") - Number(b.kind() === "ipv6");
}

async function ask(name: string, resolve: Resolve): Promise<Numbers[]> {
  try {
    return (await resolve(name)).filter(ipaddr.isValid).map((one) => ipaddr.process(one));
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
