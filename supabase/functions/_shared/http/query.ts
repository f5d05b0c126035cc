import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";

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
