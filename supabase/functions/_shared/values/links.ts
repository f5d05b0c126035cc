import { parseUrl } from "./urls.ts";

/** The base for relative addresses, to check that they stay on the same site. */
const HERE = new URL("https://here.invalid/folder/");

/** Characters that browsers drop from an address or turn into slashes, so the address leads elsewhere. */
const BENT = /[\p{Cc}\p{Cs}\s\\]/u;

const WEB = /^https?:\/\/[^/?#]/i;
const MAIL = /^mailto:./i;

/** A path, a query or a fragment. A colon before the first slash would make a scheme. */
const RELATIVE = /^(?:\/(?!\/)|[?#]|[\p{L}\p{M}\p{N}._~%-]+(?:[/?#]|$))/u;

/** Whether a link may have this address: http, https, mailto, or relative. */
export function isSafeHref(address: string): boolean {
  return isSafeSrc(address) || read(address, MAIL)?.protocol === "mailto:";
}

/** Whether an image may have this address: http, https, or relative. */
export function isSafeSrc(address: string): boolean {
  if (read(address, RELATIVE, HERE)?.origin === HERE.origin) return true;
  const url = read(address, WEB);
  // `https://bank.example@elsewhere.example` misleads readers.
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/** The address as browsers read it; undefined if it has another form or a character of BENT. */
function read(address: string, form: RegExp, base?: URL): URL | undefined {
  const isPlain = form.test(address) && !BENT.test(address);
  return isPlain ? parseUrl(address, base) : undefined;
}
