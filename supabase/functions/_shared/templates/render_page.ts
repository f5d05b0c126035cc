import type { Asset } from "../content/html.ts";
import { createBudget } from "../liquid/budget.ts";
import { createLocale } from "../liquid/formats.ts";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { bytesOf, safeHtml } from "../liquid/texts.ts";
import type { ZoneOffsets } from "../liquid/zones.ts";
import { isObject } from "../values/depth.ts";
import { isRightToLeft } from "../values/languages.ts";
import { brandingStyles } from "./branding.ts";
import { builtIn } from "./builtin/index.ts";
import { builtInTexts } from "./builtin/texts.ts";
import { keepingOf } from "./caching.ts";
import type { Scope } from "./conditions.ts";
import { addressesOf } from "./foreign_addresses.ts";
import { framed, frameStyles, PAGE_CLASS } from "./frame.ts";
import { type Head, headOf } from "./head.ts";
import { bound, includedHtml } from "./including.ts";
import { joinTemplates } from "./inheritance.ts";
import type { Inputs, Product } from "./inputs.ts";
import { type PatternWork, patternWork } from "./pattern.ts";
import type { Reach } from "./reaching.ts";
import type { Rendering } from "./rendering.ts";
import { scopedStyles } from "./scoped_styles.ts";
import { sectionsHtml } from "./sections.ts";
import { isLive } from "./sources.ts";
import type { Binding, TemplateContent, Warning } from "./template.ts";
import { createTranslate } from "./translations.ts";
import { takeVariables, WrongVariables } from "./variables.ts";

/** A rendered page. */
export interface Rendered {
  html: string;
  css: string;
  head: Head;
  language: string;
  rtl: boolean;
  version: number;
  warnings: Warning[];
}

/** Whether, for whom and for which time a page may be cached. */
export interface KeptPage {
  /** Whether other readers may see another page, because this one read data with the rights of its reader. */
  isPersonal: boolean;
  /** Seconds in memory here, and in caches between here and the readers. */
  memory: number;
  cdn: number;
}

/**
 * Renders a page from its inputs. `offsets` are those of the tenant's time zone, and `storage` the addresses of the project's Storage. Errors: WrongVariables; TemplateMistake and TemplateLimit, with the ids of the section
 * and the block.
 */
export async function renderPage(
  inputs: Inputs,
  sent: { variables: Readonly<Record<string, unknown>>; device?: string },
  reach: Reach,
  offsets?: ZoneOffsets,
  storage: readonly string[] = [],
): Promise<{ page: Rendered; kept: KeptPage }> {
  const own = inputs.content ?? builtIn[inputs.template.type].content;
  const parents = inputs.parents.map(({ content }) => content);
  const { content, warnings } = joinTemplates(parents, own);
  const patterns = patternWork();
  const { values, errors } = takeVariables(content.variables ?? [], sent.variables, patterns);
  if (errors.length > 0) throw new WrongVariables(errors);
  const rendering = begin(inputs, warnings, reach, offsets, storage, patterns);
  const keeping = keepingOf(inputs.template.caching);
  warnings.push(...keeping.warnings);
  try {
    const scope = { ...scopeOf(inputs, sent.device), ...withImages(content, values, inputs) };
    rendering.scope = scope;
    rendering.scope = { ...scope, ...(await bound(content, rendering)) };
    const { shown } = await sectionsHtml(content.sections ?? [], rendering);
    const rtl = isFromTheRight(inputs);
    const { layout, sidebar } = content;
    const { language } = inputs;
    const html = framed(shown, { layout, sidebar, language, isRightToLeft: rtl });
    const head = headOf(inputs, rendering.scope, rendering.page.translate);
    const css = stylesOf(content, rendering);
    rendering.page.budget.written(bytesOf(css));
    const page = { html, css, head, language, rtl, version: inputs.version, warnings };
    // The key of a page does not cover the assets that were looked up.
    const memory = rendering.lookups.size > 0 ? 0 : keeping.memory;
    return { page, kept: keptAs({ ...keeping, memory }, inputs, content) };
  } catch (error) {
    if (error instanceof TemplateMistake || error instanceof TemplateLimit) {
      error.section ??= rendering.place.section;
      error.block ??= rendering.place.block;
    }
    throw error;
  }
}

/** Steps that looking up an asset counts as. It asks the database. */
const A_LOOKUP = 500;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function begin(
  inputs: Inputs,
  warnings: Warning[],
  reach: Reach,
  offsets: ZoneOffsets | undefined,
  storage: readonly string[],
  patterns: PatternWork,
): Rendering {
  const place: Rendering["place"] = {};
  const warn = (warning: Warning) => warnings.push({ ...place, ...warning });
  const { language, localizations, marketplace, assets, time_zone } = inputs;
  const formatting = localizations.find((one) => one.formatting)?.formatting;
  const budget = createBudget();
  const lookups: Rendering["lookups"] = new Map();
  return {
    lookups,
    inputs,
    reach,
    mayHoldValues: inputs.template.id === null ? undefined : addressesOf(inputs, storage),
    place,
    scope: {},
    styles: new Map(),
    include: includedHtml,
    depth: 0,
    grids: "",
    sources: { read: 0 },
    patterns,
    page: {
      budget,
      locale: createLocale(
        language,
        formatting ?? undefined,
        marketplace?.currency,
        time_zone,
        offsets,
      ),
      translate: createTranslate([...localizations, ...builtInTexts(language)], warn),
      asset: (id) => (Object.hasOwn(assets, id) ? assetOf(assets[id]) : undefined),
      findAsset(id) {
        const known = lookups.get(id);
        if (known) return known;
        budget.step(A_LOOKUP);
        const found = UUID.test(id) ? reach.asset?.(id).then(assetOf) : undefined;
        const looked = found ?? Promise.resolve(undefined);
        lookups.set(id, looked);
        return looked;
      },
      warn,
    },
  };
}

function assetOf(shown: Inputs["assets"][string] | undefined): Asset | undefined {
  if (!shown) return undefined;
  const { url, alt, srcset, width, height } = shown;
  return {
    url,
    alt: alt ?? undefined,
    srcset: srcset ?? undefined,
    width: width ?? undefined,
    height: height ?? undefined,
  };
}

/** The values that texts can read beside variables and bindings. */
function scopeOf(inputs: Inputs, device: string | undefined): Scope {
  const { marketplace, category, language, languages } = inputs;
  const product = inputs.product && withSafeHtml(inputs.product);
  return { marketplace, product, category, language, languages, device: device ?? null };
}

/** The database has reduced the HTML of the description to allowed elements. */
function withSafeHtml({ description_html, ...product }: Product): object {
  return { ...product, description_html: description_html ? safeHtml(description_html) : null };
}

/** Adds the address, size and alternative text of assets to variables of type image. */
function withImages(
  { variables }: TemplateContent,
  values: Record<string, unknown>,
  { assets }: Inputs,
): Record<string, unknown> {
  const images = (variables ?? [])
    .filter(({ type, name }) => type === "image" && isObject(values[name]))
    .map(({ name }) => {
      const image = values[name] as { asset_id?: string };
      const { asset_id = "" } = image;
      const known = Object.hasOwn(assets, asset_id) ? assets[asset_id] : {};
      return [name, { ...known, ...image }];
    });
  return { ...values, ...Object.fromEntries(images) };
}

function isFromTheRight({ language, localizations }: Inputs): boolean {
  const declared = localizations.find((one) => one.language === language)?.rtl_support;
  return declared ?? isRightToLeft(language);
}

function stylesOf({ styles }: TemplateContent, rendering: Rendering): string {
  const { inputs } = rendering;
  const custom = inputs.localizations[0]?.custom_styles;
  return [
    frameStyles,
    brandingStyles(PAGE_CLASS, inputs.marketplace),
    scopedStyles(styles ?? "", PAGE_CLASS),
    ...rendering.styles.values(),
    custom ? scopedStyles(custom, PAGE_CLASS) : "",
  ].join("");
}

/** The key of a page does not cover the values of its sources. So a page is kept at most as long as each of its sources. */
function keptAs(
  { memory, cdn }: { memory: number; cdn: number },
  inputs: Inputs,
  content: TemplateContent,
): KeptPage {
  const included = Object.values(inputs.includes).flatMap((one) =>
    [one, ...one.parents].flatMap((version) => version.content.bindings ?? []),
  );
  const live = [...(content.bindings ?? []), ...included].filter(isLive);
  const shortest = live.reduce(
    (seconds, { caching }: Binding) => Math.min(seconds, caching?.duration ?? 0),
    Number.POSITIVE_INFINITY,
  );
  const isPersonal = live.length > 0;
  return {
    isPersonal,
    memory: Math.min(memory, shortest),
    // A cache in between shows the page to all readers.
    cdn:
      isPersonal || !["customer", "visitor"].includes(inputs.role ?? "") || hasReaders(inputs)
        ? 0
        : cdn,
  };
}

/** Whether a template has blocks for some roles only. Then the page differs by role. */
function hasReaders({ content, parents, includes }: Inputs): boolean {
  const texts = JSON.stringify([content, parents, includes]);
  return texts.includes('"roles":[');
}
