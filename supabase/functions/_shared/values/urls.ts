/** Parses an address, or one relative to `base`; undefined if it is invalid. */
export function parseUrl(address: string, base?: string | URL): URL | undefined {
  // `URL.canParse` of Node 20 refuses addresses with letters such as ü after it was compiled.
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}
