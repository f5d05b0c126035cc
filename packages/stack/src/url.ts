/** Parses an address; undefined if it is invalid. */
export function parseUrl(address: string): URL | undefined {
  // Not `URL.canParse`: Node 20's refuses addresses with letters such as ü after it was compiled.
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
