import { z } from "@hono/zod-openapi";

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
