/** A regular expression as JavaScript writes it, without the first slash, and with flags: `[^\p{Z}]/u`. */
const WITH_FLAGS = /^((?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\/[])*)\/([a-z]+)$/su;

/** A negated class with properties of Unicode: `[^\p{Z}]`. */
const NEGATED_CLASS = /\[\^((?:\\.|[^\]\\])*\\p\{(?:\\.|[^\]\\])*)\]/gu;

/** The flags that do not change what a pattern of JSON Schema means, which is always read with `u`. */
const HARMLESS = /^[dgu]+$/;

/** Keywords whose values are no schemas. */
const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

/** Formats that refuse what the API accepts: `a@localhost` and `a@почта.рф`, `https://example.com/é.jpg`. */
const FORMATS = new Map([
  ["email", "idn-email"],
  ["uri", "iri"],
]);

/**
 * Mends what the generator of a document says differently than zod checks. It writes the flags of an expression into its
 * pattern: `[^\p{Z}]/u` refuses whatever does not end in `/u`. JSON Schema has no flags, so a pattern that needs one is left
 * out. Formats for ASCII become those for any letters.
 */
export function mendSchemas(document: object): void {
  const made = new Map<string, string | undefined>();

  function patternFor(written: string): string | undefined {
    if (!made.has(written)) made.set(written, patternOf(written));
    return made.get(written);
  }

  /** Mends a schema, or the schemas by name in `properties`. */
  function mend(part: object, isNamed: boolean): void {
    for (const [name, value] of Object.entries(part)) {
      if (!isNamed && VALUES.has(name)) continue;
      if (typeof value === "object" && value !== null) mend(value, name === "properties");
      if (isNamed || typeof value !== "string") continue;
      if (name === "pattern") Object.assign(part, { pattern: patternFor(value) });
      if (name === "format") Object.assign(part, { format: FORMATS.get(value) ?? value });
    }
  }

  mend(document, false);
}

/** The pattern that JSON Schema has for an expression. Undefined if it cannot say it. */
export function patternOf(written: string): string | undefined {
  const [, source = written, flags = "u"] = WITH_FLAGS.exec(written) ?? [];
  if (!HARMLESS.test(flags)) return undefined;
  return source.replaceAll(NEGATED_CLASS, (_, content: string) => `[^${rangesOf(content)}]`);
}

/**
 * The characters of a class as ranges, which the engines of other languages know too; many lack properties such as
 * `\p{Default_Ignorable_Code_Point}`. Characters above U+FFFF are left out, because engines write them differently. So the
 * document accepts a few texts that are refused, and refuses none that is accepted.
 */
function rangesOf(content: string): string {
  const known = new RegExp(`[${content}]`, "u");
  let ranges = "";
  for (let code = 0; code <= 0xffff; code += 1) {
    if (!known.test(String.fromCharCode(code))) continue;
    const first = code;
    while (code < 0xffff && known.test(String.fromCharCode(code + 1))) code += 1;
    ranges += first === code ? escaped(code) : `${escaped(first)}-${escaped(code)}`;
  }
  return ranges;
}

const escaped = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;
