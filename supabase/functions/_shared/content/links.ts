/** Where a relative address would stand, to see whether it leads away from there. */
const HERE = new URL("https://here.invalid/folder/");

/** Browsers leave these out of an address or turn them into slashes, and so go elsewhere than one reads. */
const BENT = /[\p{Cc}\p{Cs}\s\\]/u;

const WEB = /^https?:\/\/[^/?#]/i;
const MAIL = /^mailto:./i;

/** A path, a query or a place on the page. A colon before the first slash would make a scheme of what is before it. */
const RELATIVE = /^(?:\/(?!\/)|[?#]|[\p{L}\p{M}\p{N}._~%-]+(?:[/?#]|$))/u;

/** Whether a link may lead there: to http, https or mailto, or to somewhere on the same site. */
export function isSafeHref(address: string): boolean {
  return isSafeSrc(address) || read(address, MAIL)?.protocol === "mailto:";
}

/** Whether an image may come from there: from http or https, or from the same site. */
export function isSafeSrc(address: string): boolean {
  if (read(address, RELATIVE, HERE)?.origin === HERE.origin) return true;
  const url = read(address, WEB);
  // `https://bank.example@elsewhere.example` is there to deceive.
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/** An address of this form as browsers read it; undefined where it has another form, or one that bends. */
function read(address: string, form: RegExp, base?: URL): URL | undefined {
  const isPlain = form.test(address) && !BENT.test(address);
  return isPlain && URL.canParse(address, base) ? new URL(address, base) : undefined;
}
