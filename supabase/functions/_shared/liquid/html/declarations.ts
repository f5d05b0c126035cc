import { type CssNode, type Declaration, generate, walk } from "css-tree";
import { isSafeSrc } from "../../values/links.ts";
import { TemplateMistake } from "../mistakes.ts";

/** The functions of CSS that are allowed. None of them loads or runs anything. */
const FUNCTIONS = new Set(
  [
    "abs acos asin atan atan2 blur brightness calc circle clamp color color-mix conic-gradient contrast cos counter",
    "counters cubic-bezier drop-shadow ellipse env exp fit-content format grayscale hsl hsla hue-rotate hwb hypot inset",
    "invert lab lch light-dark linear linear-gradient local log matrix matrix3d max min minmax mod oklab oklch opacity",
    "path perspective polygon pow radial-gradient rect rem repeat repeating-conic-gradient repeating-linear-gradient",
    "repeating-radial-gradient rgb rgba rotate rotate3d rotatex rotatey rotatez round saturate scale scale3d scalex",
    "scaley scalez sepia sign sin skew skewx skewy sqrt steps tan tech translate translate3d translatex translatey",
    "translatez var xywh",
  ].flatMap((line) => line.split(" ")),
);

const PROPERTY = /^(?:--[\w-]+|-?[a-z][a-z0-9-]*)$/i;
const REFUSED = new Set(["behavior", "-moz-binding"]);
/** The values of `position` that cannot cover other parts of the page. */
const POSITIONS = new Set([
  "static",
  "relative",
  "absolute",
  "inherit",
  "initial",
  "unset",
  "revert",
]);

/** Checks a declaration. Throws TemplateMistake if it could load or run something, or cover other parts of the page. */
export function checkDeclaration(declaration: Declaration): void {
  const property = declaration.property.toLowerCase();
  if (!PROPERTY.test(property)) throw mistakeIn(declaration, `${property} is not a property`);
  if (REFUSED.has(property)) throw mistakeIn(declaration, `${property} is not allowed`);
  if (property === "position" && !POSITIONS.has(generate(declaration.value).toLowerCase())) {
    throw mistakeIn(declaration, "position must be static, relative or absolute");
  }
  checkNames(declaration.value);
}

/** Checks all parts of a value, a selector or a condition. Throws TemplateMistake. */
export function checkNames(node: CssNode): void {
  walk(node, (part) => {
    if (part.type === "Raw" && part.value.trim() !== "") {
      throw mistakeIn(part, `${shortened(part.value)} is not allowed in the CSS of a template`);
    }
    if (part.type === "Url" && !isRelative(part.value)) {
      throw mistakeIn(part, "an address in styles must be relative");
    }
    if (part.type === "Function" && !FUNCTIONS.has(part.name.toLowerCase())) {
      throw mistakeIn(part, `${shortened(part.name)}() is not allowed`);
    }
    // An escaped name would not match the names that these checks compare with.
    if ("name" in part && typeof part.name === "string" && part.name.includes("\\")) {
      throw mistakeIn(part, "names must not contain \\");
    }
  });
}

const isRelative = (address: string) => isSafeSrc(address) && !/^https?:/i.test(address);

const shortened = (text: string) => text.trim().slice(0, 50);

/** A mistake at the place of a part, if the place is known. */
export function mistakeIn(node: CssNode, message: string): TemplateMistake {
  const { line, column } = node.loc?.start ?? {};
  return new TemplateMistake(message, line, column);
}
