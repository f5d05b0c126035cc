import type { Liquid } from "liquidjs";
import { isObject } from "../values/depth.ts";
import { MOST_TEXT } from "./budget.ts";
import type { FilterName } from "./filter_arguments.ts";
import { ESCAPERS } from "./html/escapers.ts";
import { LIST_FILTERS } from "./list_filters.ts";
import { TemplateLimit } from "./mistakes.ts";
import { NUMBER_FILTERS } from "./number_filters.ts";
import { ownProperty, type Page, type Picture, pageOf } from "./page.ts";
import { TEXT_FILTERS, type TemplateFilter } from "./text_filters.ts";
import { numberOf, plainValue, SafeHtml, textOf, weigh } from "./texts.ts";

/** A named argument, which the engine passes as a pair. */
function named(args: unknown[], name: string): unknown {
  const found = args.find((arg) => Array.isArray(arg) && arg.length === 2 && arg[0] === name);
  return (found as unknown[] | undefined)?.[1];
}

function orDefault(page: Page, value: unknown, other: unknown, ...options: unknown[]): unknown {
  const own = plainValue(value);
  if (own === false) return plainValue(named(options, "allow_false")) === true ? value : other;
  const isEmpty = Array.isArray(own) ? own.length === 0 : textOrUndefined(page, own) === "";
  return own === undefined || own === null || isEmpty ? other : value;
}

function textOrUndefined({ budget }: Page, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  budget.text(value.length);
  return value;
}

function translated(page: Page, key: unknown, ...args: unknown[]): string {
  const count = named(args, "count");
  return page.translate(
    textOf(key, page.budget),
    count === undefined ? undefined : numberOf(count),
  );
}

/** The address of a picture, such as that of a marketplace's logo. */
const ADDRESS = /^https?:\/\/[^\s/]/i;

/** A picture: its address, a record with its `url`, or one that is found by an id, or by a record with `asset_id` or `id`. */
function asset(page: Page, value: unknown): Picture | undefined | Promise<Picture | undefined> {
  const own = plainValue(value);
  const url = isObject(own) ? ownProperty(own, "url") : undefined;
  if (typeof url === "string" && url !== "") {
    const srcset = ownProperty(own, "srcset");
    return { url, srcset: typeof srcset === "string" ? srcset : undefined };
  }
  const id = isObject(own) ? (ownProperty(own, "asset_id") ?? ownProperty(own, "id")) : own;
  const text = textOf(id, page.budget);
  if (text === "") return undefined;
  if (ADDRESS.test(text)) return { url: text };
  const found = page.asset(text) ?? page.findAsset?.(text);
  return when(found, (picture) => {
    if (!picture) {
      page.budget.step(10);
      page.warn({
        code: "ASSET_NOT_FOUND",
        message: `There is no picture ${text.slice(0, 100)}.`,
      });
    }
    return picture;
  });
}

/** Calls a function with a value, now or once it is known. */
const when = <Value, Made>(value: Value | Promise<Value>, make: (value: Value) => Made) =>
  value instanceof Promise ? value.then(make) : make(value);

/** The narrowest size of a picture that has at least this width; without one, the picture itself. */
function addressOf(picture: Picture | undefined, width: unknown): string {
  if (!picture) return "";
  const least = width === undefined ? Number.POSITIVE_INFINITY : numberOf(width);
  const sizes = (picture.srcset ?? "").split(/,\s+/).flatMap((size) => {
    const [, url, wide] = /^(\S+) (\d+)w$/.exec(size) ?? [];
    return url !== undefined && Number(wide) >= least ? [{ url, wide: Number(wide) }] : [];
  });
  sizes.sort((one, other) => one.wide - other.wide);
  return sizes[0]?.url ?? picture.url;
}

/** Steps that making a format of Intl counts as. */
const A_FORMAT = 20;

const OUR_FILTERS = {
  default: orDefault,
  money(page, amount, currency) {
    page.budget.step(A_FORMAT);
    return page.locale.money(plainValue(amount), plainValue(currency) ?? undefined);
  },
  number: (page, value) => page.locale.number(plainValue(value)),
  date(page, value, style) {
    page.budget.step(A_FORMAT);
    return page.locale.date(plainValue(value), plainValue(style) ?? undefined);
  },
  country(page, code) {
    page.budget.step(A_FORMAT);
    return page.locale.country(plainValue(code));
  },
  t: translated,
  asset_url: (page, value, ...args) =>
    when(asset(page, value), (picture) => addressOf(picture, named(args, "width"))),
  srcset: (page, value) => when(asset(page, value), (picture) => picture?.srcset ?? ""),
} satisfies Record<string, TemplateFilter>;

/** All filters of templates. docs/template-language.md lists them. None of them evaluates an expression. */
export const FILTERS: Record<FilterName, TemplateFilter> = {
  ...TEXT_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
  ...OUR_FILTERS,
};

/** The filter after each output of a text of `compileUrl`. */
export const PERCENT_ENCODING = "escape to percents";

function percentEncoded({ budget }: Page, value: unknown): string {
  // Half of a surrogate pair cannot be encoded.
  return encodeURIComponent(textOf(value, budget).replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** Bounds the value that an escaper gets. */
function escaping(escaper: (value: unknown, ...args: unknown[]) => string): TemplateFilter {
  return ({ budget }, value, ...args) => {
    const own = value instanceof SafeHtml ? value : plainValue(value);
    weigh(own, budget);
    return escaper(own, ...args);
  };
}

/** Replaces all filters of an engine by ours. */
export function registerFilters(engine: Liquid): void {
  for (const name of Object.keys(engine.filters)) engine.unregisterFilter(name);
  const escapers = Object.entries(ESCAPERS).map(([name, one]) => [name, escaping(one)] as const);
  const all = [
    ...Object.entries(FILTERS),
    [PERCENT_ENCODING, percentEncoded] as const,
    ...escapers,
  ];
  for (const [name, filter] of all) {
    engine.registerFilter(name, function (value, ...args) {
      const made = filter(pageOf(this.context), value, ...args);
      if (typeof made === "string" && made.length > MOST_TEXT)
        throw new TemplateLimit("bytes", MOST_TEXT);
      return made;
    });
  }
}
