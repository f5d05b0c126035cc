// The HTML that templates may contain. Everything else is refused. None of it runs a script, loads anything but pictures,
// sounds and videos, or changes the page outside the template.

const words = (text: string) => text.split(" ");

/** Elements that have no end tag. */
export const VOID = new Set(words("br hr img input source track wbr col"));

/** The attributes of all elements, beside `aria-` and `data-`. */
const EVERYWHERE = new Set(
  words(
    "class dir hidden id itemid itemprop itemscope itemtype lang role style tabindex title translate",
  ),
);

const DATED = words("datetime");
// The layout of tables in e-mails: many mail programs do not read CSS.
const BOX = words("align bgcolor height valign width");
const CELL = [...BOX, ...words("colspan headers nowrap rowspan scope")];
const FIELD = words(
  "autocomplete disabled form max maxlength min minlength name pattern placeholder readonly required value",
);
const SOUND = words("controls loop muted preload src");

/** The elements, each with its own attributes. */
const ELEMENTS = new Map<string, readonly string[]>([
  ...words(
    "abbr address article aside b bdi br caption cite code dd dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i kbd main mark nav p picture pre rp rt ruby s samp search section small span strong sub summary sup tbody tfoot thead u ul var wbr",
  ).map((name): [string, string[]] => [name, []]),
  ["a", words("download href hreflang rel target")],
  ["audio", SOUND],
  ["bdo", []],
  ["blockquote", words("cite")],
  ["button", words("disabled form name type value")],
  ["col", words("span")],
  ["colgroup", words("span")],
  ["data", words("value")],
  ["datalist", []],
  ["del", [...DATED, "cite"]],
  ["details", words("name open")],
  ["fieldset", words("disabled form name")],
  ["form", words("action autocomplete method name novalidate")],
  ["img", words("align alt border decoding fetchpriority height loading sizes src srcset width")],
  ["input", [...FIELD, ...words("checked inputmode list multiple size step type")]],
  ["ins", [...DATED, "cite"]],
  ["label", words("for")],
  ["legend", []],
  ["li", words("value")],
  ["meter", words("high low max min optimum value")],
  ["ol", words("reversed start type")],
  ["optgroup", words("disabled label")],
  ["option", words("disabled label selected value")],
  ["output", words("for form name")],
  ["progress", words("max value")],
  ["q", words("cite")],
  ["script", words("type")],
  ["select", words("autocomplete disabled form multiple name required size")],
  ["source", words("height media sizes src srcset type width")],
  ["table", [...BOX, ...words("border cellpadding cellspacing")]],
  ["td", CELL],
  ["textarea", [...FIELD, ...words("cols rows wrap")]],
  ["th", [...CELL, "abbr"]],
  ["time", DATED],
  ["tr", BOX],
  ["track", words("default kind label src srclang")],
  ["video", [...SOUND, ...words("height playsinline poster width")]],
]);

const DRAWN = words(
  "clip-rule d fill fill-opacity fill-rule opacity stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity stroke-width transform",
);

/** The elements of SVG. They are allowed inside an svg only, and other elements are not allowed there. */
const DRAWING = new Map<string, readonly string[]>([
  ["svg", [...DRAWN, ...words("focusable height preserveaspectratio viewbox width xmlns")]],
  ["g", DRAWN],
  ["path", DRAWN],
  ["circle", [...DRAWN, ...words("cx cy r")]],
  ["ellipse", [...DRAWN, ...words("cx cy rx ry")]],
  ["line", [...DRAWN, ...words("x1 x2 y1 y2")]],
  ["polygon", [...DRAWN, "points"]],
  ["polyline", [...DRAWN, "points"]],
  ["rect", [...DRAWN, ...words("height rx ry width x y")]],
]);

const ADDRESSES = new Set(words("action cite href poster src"));

/** Whether the value of an attribute is an address, or several. */
export const isAddressName = (name: string) => name === "srcset" || ADDRESSES.has(name);

/** The kind of an attribute's value: an address, several with their widths, declarations of CSS, or any text. */
export type AttributeKind = "address" | "addresses" | "style" | "text";

/** Whether an element is allowed inside the open elements. */
export function isAllowedElement(name: string, open: readonly string[]): boolean {
  return elementsWithin(name, open).has(name);
}

/** The kind of an attribute of an element; null if the attribute is not allowed. */
export function attributeKind(
  element: string,
  attribute: string,
  open: readonly string[],
): AttributeKind | null {
  const own = elementsWithin(element, open).get(element);
  if (!own) return null;
  const isOwn = own.includes(attribute);
  if (!isOwn && !EVERYWHERE.has(attribute) && !/^(aria|data)-[a-z0-9-]+$/.test(attribute))
    return null;
  if (attribute === "srcset") return "addresses";
  if (attribute === "style") return "style";
  return ADDRESSES.has(attribute) ? "address" : "text";
}

function elementsWithin(name: string, open: readonly string[]) {
  return name === "svg" || open.includes("svg") ? DRAWING : ELEMENTS;
}

/** Whether an element of SVG may be written without an end tag: `<path/>`. */
export const mayCloseItself = (name: string, open: readonly string[]) =>
  name === "svg" || open.includes("svg");
