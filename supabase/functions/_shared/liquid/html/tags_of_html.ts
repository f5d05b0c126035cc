import { type Token, Tokenizer } from "parse5";
import { TemplateMistake } from "../mistakes.ts";
import { isAllowedAddress, isAllowedSrcset, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import { checkDeclarations } from "./styles.ts";

/**
 * Checks the attributes of a tag. Returns a message, or null if they are allowed. OUTPUT in values stands for inserted
 * values. `isWhole`: the tag has ended, so that no attributes follow.
 */
export function judgeAttributes(
  { tagName, attrs }: Token.TagToken,
  open: readonly string[],
  isWhole: boolean,
): string | null {
  for (const { name, value } of attrs) {
    if (name.includes(OUTPUT)) return "an output cannot be part of an attribute's name";
    const kind = attributeKind(tagName, name, open);
    if (kind === null)
      return `<${tagName}> cannot have ${name}: docs/template-language.md lists what it can`;
    const mistake = JUDGES[kind](value);
    if (mistake) return `${name}: ${mistake}`;
  }
  const type = attrs.find(({ name }) => name === "type")?.value;
  if (tagName === "script" && isWhole && type !== "application/ld+json") {
    return 'a script must have type="application/ld+json"';
  }
  return null;
}

const JUDGES = {
  text: () => null,
  address: (value: string) =>
    isAllowedAddress(value.trim()) ? null : "an address must be http, https, mailto or relative",
  addresses: (value: string) =>
    isAllowedSrcset(value) ? null : "each address must be http, https or relative",
  style(value: string) {
    try {
      checkDeclarations(value);
      return null;
    } catch (error) {
      if (error instanceof TemplateMistake) return error.message;
      throw error;
    }
  },
} as const;

/** Parses a text that is one start tag; null if it is anything else, or has parse errors. */
export function tagOf(text: string): Token.TagToken | null {
  const tags: Token.TagToken[] = [];
  let isOdd = false;
  const odd = () => {
    isOdd = true;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: (tag) => void tags.push(tag),
      onEndTag: odd,
      onComment: odd,
      onDoctype: odd,
      onEof: odd,
      onParseError: odd,
      onCharacter: odd,
      onNullCharacter: odd,
      onWhitespaceCharacter: odd,
    },
  );
  tokenizer.write(text, false);
  return isOdd || tags.length !== 1 ? null : (tags[0] ?? null);
}
