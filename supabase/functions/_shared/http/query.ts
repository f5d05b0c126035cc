import { z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * A number in a query, checked by `rule`. Only decimal notation is a number: blanks, hexadecimal digits and exponents
 * are not.
 */
export const decimal = (rule: z.ZodNumber) =>
  z.preprocess(
    (text) => (typeof text === "string" && DECIMAL.test(text) ? Number(text) : text),
    rule,
  );

/**
 * Several values of one parameter, each checked by `rule`. They are separated by commas, and the parameter may be
 * repeated. Inside a value a comma is written `\,` and a backslash before it `\\`.
 */
export const values = <Rule extends z.ZodType<string, string>>(rule: Rule, most: number) =>
  z.union([z.string(), z.array(z.string())]).transform((sent, context) => {
    const { data, error } = z.array(rule).max(most).safeParse(splitValues(sent));
    // The field is the parameter, not one of its values.
    const [wrong] = error?.issues ?? [];
    if (wrong) context.addIssue({ code: "custom", message: wrong.message });
    return data ?? z.NEVER;
  });

function splitValues(sent: string | string[]): string[] {
  const escaped = [sent].flat().flatMap((text) => text.match(/(?:\\[\\,]|[^,])+/g) ?? []);
  return escaped.map((value) => value.replace(/\\([\\,])/g, "$1"));
}

/** Values by name, sent as `parameter[name]=value`; at most `most` names, each with values of `rule`. */
export const valuesByName = (rule: z.ZodType<string[]>, most: number) =>
  z.preprocess(
    readJson,
    z
      .record(z.string().min(1).max(100), rule)
      .refine((byName) => Object.keys(byName).length <= most, `must have at most ${most} names`),
  );

function readJson(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const NESTED = /^([^[]+)\[(.+)\]$/s;

/** Gathers parameters such as `attributes[material]=brass` in one parameter `attributes`, which has them as JSON. */
function gatherNested(parameters: readonly string[]): string[] {
  const nested = new Map<string, Map<string, string[]>>();
  const flat = parameters.filter((parameter) => {
    const [[name, value] = ["", ""]] = new URLSearchParams(parameter);
    const [, outer, inner] = NESTED.exec(name) ?? [];
    if (outer === undefined || inner === undefined) return true;
    const byName = nested.get(outer) ?? new Map<string, string[]>();
    nested.set(outer, byName.set(inner, [...(byName.get(inner) ?? []), value]));
    return false;
  });
  return [
    ...flat,
    ...[...nested].map(
      ([outer, byName]) =>
        `${encodeURIComponent(outer)}=${encodeURIComponent(JSON.stringify(Object.fromEntries(byName)))}`,
    ),
  ];
}

/**
 * Removes empty parameters from the query, so that `?brand=&sort=name` equals `?sort=name`. Converts the others to
 * Unicode NFC, in which texts are stored, and gathers nested ones.
 */
export const sentParameters = createMiddleware<Env>(async (c, next) => {
  const { url } = c.req;
  const start = url.indexOf("?");
  if (start >= 0) {
    const parameters = url.slice(start + 1).split("&");
    const sent = gatherNested(parameters.filter((parameter) => /=./.test(parameter)).map(inNfc));
    if (sent.join("&") !== parameters.join("&")) {
      c.req.raw = new Request(`${url.slice(0, start)}?${sent.join("&")}`, c.req.raw);
    }
  }
  await next();
});

/** `name=value` with the value in NFC; unchanged if it is not UTF-8. */
function inNfc(parameter: string): string {
  const [name, ...rest] = parameter.split("=");
  const value = rest.join("=");
  try {
    const text = decodeURIComponent(value.replaceAll("+", " "));
    return text.normalize() === text
      ? parameter
      : `${name}=${encodeURIComponent(text.normalize())}`;
  } catch {
    return parameter;
  }
}
