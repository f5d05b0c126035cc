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
 * Removes empty parameters from the query, so that `?brand=&sort=name` equals `?sort=name`. Converts the others to
 * Unicode NFC, in which texts are stored.
 */
export const sentParameters = createMiddleware<Env>(async (c, next) => {
  const { url } = c.req;
  const start = url.indexOf("?");
  if (start >= 0) {
    const parameters = url.slice(start + 1).split("&");
    const sent = parameters.filter((parameter) => /=./.test(parameter)).map(inNfc);
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
