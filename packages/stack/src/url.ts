/** Parses an address; undefined where it is none. */
export function parseUrl(address: string): URL | undefined {
  // Not `URL.canParse`: that of Node 20 refuses addresses with letters such as ü once it was compiled.
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
