import { isIP } from "node:net";

/**
 * The IP address of a request. On the hosted platform Cloudflare sets CF-Connecting-IP, and callers cannot forge it. In
 * X-Forwarded-For only the last entry, which the nearest proxy wrote, can be trusted. An IPv6 address counts as its /64
 * network, because its owner has the whole network.
 */
export function addressOf(headers: Headers): string {
  const seen =
    headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",").at(-1) ?? "";
  const address = seen
    .trim()
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, "");
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return `${networkOf(address)}::`;
    default:
      return "unknown";
  }
}

/** The first four groups of an IPv6 address, written out. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const written = groups(head);
  const missing = tail === undefined ? 0 : 8 - written.length - groups(tail).length;
  return [...written, ...Array(Math.max(missing, 0)).fill("0"), ...groups(tail ?? "")]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
