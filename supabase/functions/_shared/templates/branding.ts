import { readableOn } from "../values/colors.ts";
import type { Marketplace } from "./inputs.ts";

const COLOR = /^#[0-9A-Fa-f]{6}$/;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,49}$/;
const FONT = /^[\p{L}\p{N} ,'"_-]{1,200}$/u;

/**
 * The colours and fonts of a marketplace as custom properties of a page: `--souk-color-<name>`; `--souk-on-<name>`, a
 * colour for text on that colour; and `--souk-font-<name>`.
 */
export function brandingStyles(className: string, marketplace: Marketplace | null): string {
  const { colors, fonts } = (marketplace?.branding ?? {}) as {
    colors?: Record<string, unknown>;
    fonts?: Record<string, unknown>;
  };
  const properties = [
    ...entries(colors, COLOR).flatMap(([name, color]) => [
      `--souk-color-${name}:${color}`,
      `--souk-on-${name}:${readableOn(color)}`,
    ]),
    ...entries(fonts, FONT)
      .filter(([, font]) => isEven(font, '"') && isEven(font, "'"))
      .map(([name, font]) => `--souk-font-${name}:${font}`),
  ];
  return properties.length > 0 ? `.${className}{${properties.join(";")}}` : "";
}

function entries(values: Record<string, unknown> | undefined, form: RegExp): [string, string][] {
  return Object.entries(values ?? {}).filter(
    (entry): entry is [string, string] =>
      NAME.test(entry[0]) && typeof entry[1] === "string" && form.test(entry[1]),
  );
}

/** Closes open quotes, so that the declarations after a font do not become part of its name. */
const isEven = (text: string, quote: string) => text.split(quote).length % 2 === 1;
