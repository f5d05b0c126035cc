import { type Token, Tokenizer } from "parse5";
import { isAllowedAddress, isAllowedSrcset, OUTPUT } from "./addresses.ts";
import { attributeKind } from "./allowed_html.ts";
import { TemplateMistake } from "./mistakes.ts";
import { checkDeclarations } from "./styles.ts";

/**
 * What is wrong with a tag's attributes; null where nothing is. Values may have OUTPUT for what will be put in.
 * `isWhole`: the tag has ended, and has all that it will have.
 */
export function judgeAttributes(
  { tagName, attrs }: Token.TagToken,
  open: readonly string[],
  isWhole: boolean,
): string | null {
  for (const { name, value } of attrs) {
    if (name.includes(OUTPUT)) return "an attribute's name cannot be put in";
    const kind = attributeKind(tagName, name, open);
    if (kind === null)
      return `<${tagName}> may not have ${name}: docs/templates.md lists what it may`;
    const mistake = JUDGES[kind](value);
    if (mistake) return `${name}: ${mistake}`;
  }
  const type = attrs.find(({ name }) => name === "type")?.value;
  if (tagName === "script" && isWhole && type !== "application/ld+json") {
    return 'a script is of type="application/ld+json", and nothing else';
  }
  return null;
}

const JUDGES = {
  text: () => null,
  address: (value: string) =>
    isAllowedAddress(value.trim()) ? null : "addresses are http, https, mailto or relative",
  addresses: (value: string) =>
    isAllowedSrcset(value) ? null : "each has an address that is http, https or relative",
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

/** The one tag that a text is; null where it is none, more than one, or one that browsers read otherwise than it looks. */
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
