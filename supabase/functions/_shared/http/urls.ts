/** Parses an address, or one that is relative to `base`; undefined where it is none. */
export function parseUrl(address: string, base?: string | URL): URL | undefined {
  // Not `URL.canParse`: that of Node 20 refuses addresses with letters such as ü once it was compiled.
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
