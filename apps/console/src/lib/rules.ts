import i18next from "i18next";
import type { en } from "../texts/en.ts";
import { formatIn, intlLocale } from "./formats.ts";

/** The error codes for which the console has its own texts. The others are mistakes of the console or of the server. */
export const KNOWN = [
  "FORBIDDEN",
  "NOT_FOUND",
  "CONFLICT",
  "VALIDATION_ERROR",
  "INVALID_CREDENTIALS",
  "UNAUTHORIZED",
  "TOKEN_EXPIRED",
  "INVALID_TRANSITION",
  "INSUFFICIENT_INVENTORY",
  "NOTHING_DUE",
  "PRICE_MISMATCH",
  "MARKETPLACE_NOT_ACTIVE",
  "SLOT_NOT_AVAILABLE",
  "LAST_ADMIN",
  "LIMIT_REACHED",
  "PAYLOAD_TOO_LARGE",
  "RATE_LIMITED",
  "UNSUPPORTED_MEDIA",
  "SERVICE_UNAVAILABLE",
  "TIMEOUT",
  "INTERNAL_ERROR",
] as const;

type Rule = keyof typeof en.rules;

/**
 * The rules that the API's messages name, by their words. A message is the predicate of a sentence about its field, or a
 * sentence (docs/errors.md). The first that matches counts. The groups of a pattern are `a` and `b` of the text.
 */
const RULES: readonly (readonly [pattern: RegExp, rule: Rule])[] = [
  [/convert .* to (?:JPEG or )?PNG/i, "toImage"],
  [/convert .* to JPEG/i, "toJpeg"],
  [/convert .* to MP4/i, "toMp4"],
  [/spreadsheet may have changed/i, "spreadsheet"],
  [/is missing|is required|requires the attribute|must be filled/i, "missing"],
  [/not known/i, "unknown"],
  [/is taken|already has|has this (?:sku|slug)|no path of the api/i, "taken"],
  [/letters,? digits and hyphens/i, "hyphens"],
  [/lower-case letters|small letters/i, "slug"],
  [/whole number from ([\d.,]+) to ([\d.,]+)/i, "wholeFromTo"],
  [/number from ([\d.,]+) to ([\d.,]+) with at most (\d+) decimals/i, "numberFromTo"],
  [/at most (\d+) decimals?/i, "decimals"],
  [/([\d.,]+) to ([\d.,]+) (?:different texts|characters)/i, "charactersFromTo"],
  [/at least ([\d.,]+) characters?/i, "charactersAtLeast"],
  [/at most ([\d.,]+) characters?/i, "charactersAtMost"],
  [/at most ([\d.,]+) bytes/i, "bytesAtMost"],
  [/at least ([\d.,]+) entr/i, "entriesAtLeast"],
  [
    /(?:list|object) of at most ([\d.,]+)|at most ([\d.,]+) (?:entr|variants|levels)/i,
    "entriesAtMost",
  ],
  [/(?:from|between) ([\d.,]+) (?:to|and) ([\d.,]+)/i, "fromTo"],
  [/at least ([\d.,-]+)/i, "atLeast"],
  [/more than ([\d.,-]+)/i, "moreThan"],
  [/at most ([\d.,-]+)/i, "atMost"],
  [/less than ([\d.,-]+)/i, "lessThan"],
  [/not negative/i, "notNegative"],
  [/other than 0|must not be 0/i, "notZero"],
  [/positive/i, "positive"],
  [/true or false/i, "trueOrFalse"],
  [/e-mail address|address in lower case/i, "email"],
  [/host name/i, "hostName"],
  [/address|\burl\b/i, "address"],
  [/visible|more than spaces/i, "visible"],
  [/twice|duplicates|repetition|different|two methods/i, "different"],
  [/iso 4217/i, "currency"],
  [/time zone|zone of a city/i, "timeZone"],
  [/language|bcp 47/i, "language"],
  [/colou?r like/i, "color"],
  [/not after today/i, "notAfterToday"],
  [/a date such as|a time with its offset/i, "date"],
  [/must be one of |must be \w+(?:, \w+)* or \w+\.?$/i, "oneOf"],
  [/whole number/i, "whole"],
  [/a number/i, "number"],
  [/left out/i, "leftOut"],
  [/cannot change/i, "fixed"],
  [/no such|no record|does not exist/i, "none"],
];

/** The numbers in messages are in English. */
const numberIn = (text: string) => {
  // It may be at the end of the sentence.
  const number = Number(text.replace(/[.,]$/, "").replaceAll(",", ""));
  return Number.isNaN(number) ? text : formatIn(intlLocale(i18next.language)).number(number);
};

/** The text about a refused field in the language of the page; undefined if its rule is not known. */
function ruleTextOf(field: string, message: string) {
  const words = message.startsWith(field) ? message.slice(field.length) : message;
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(words);
    if (!found) continue;
    const [a = "", b = ""] = found.slice(1).filter((group) => group !== undefined);
    return i18next.t(`rules.${rule}`, { a: numberIn(a), b: numberIn(b) });
  }
  return undefined;
}

/** The API's messages are in English. A text that the console does not have is shown to nobody who reads another language. */
export const english = (message: string): string | undefined =>
  i18next.language === "en" && message !== "" ? message : undefined;

/** The text about a refused field, by the rule that refused it, else by the code. */
export function fieldTextOf(code: string, field: string, message: string): string {
  const known = ["VALIDATION_ERROR", "CONFLICT", "UNSUPPORTED_MEDIA"].includes(code)
    ? ruleTextOf(field, message)
    : undefined;
  if (known) return known;
  if (code === "CONFLICT") return english(message) ?? i18next.t("rules.conflict");
  if (code === "NOT_FOUND") return i18next.t("rules.none");
  const own = KNOWN.find((one) => one === code && one !== "VALIDATION_ERROR");
  return english(message) ?? i18next.t(own ? `errors.${own}` : "rules.other");
}
