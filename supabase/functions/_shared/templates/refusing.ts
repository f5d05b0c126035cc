import { ApiError, type FieldError } from "../http/errors.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";
import { WrongVariables } from "./variables.ts";

/** The error for the caller: TEMPLATE_ERROR, TEMPLATE_LIMIT or VALIDATION_ERROR. Other errors are returned unchanged. */
export function refusalOf(error: unknown, sent: Readonly<Record<string, unknown>> = {}): unknown {
  if (error instanceof WrongVariables) return wrongVariables(error, sent);
  if (error instanceof TemplateMistake) {
    const { section, block, line, column } = error;
    return new ApiError("TEMPLATE_ERROR", error.message, [], {}, { section, block, line, column });
  }
  if (error instanceof TemplateLimit) {
    const { section, block, limit, maximum } = error;
    return new ApiError(
      "TEMPLATE_LIMIT",
      error.message,
      [],
      {},
      {
        section,
        block,
        limit,
        maximum,
      },
    );
  }
  return error;
}

/** `errors` has all wrong variables, even if there is only one. */
function wrongVariables({ errors }: WrongVariables, sent: Readonly<Record<string, unknown>>) {
  const fields: FieldError[] = errors.map(({ variable, message }) => ({
    field: `variables.${variable}`,
    value: (Object.hasOwn(sent, variable) ? sent[variable] : null) ?? null,
    message,
  }));
  const [first] = errors;
  return new ApiError(
    "VALIDATION_ERROR",
    `${first?.variable}: ${first?.message}`,
    fields,
    {},
    {
      errors: fields.slice(0, 100),
    },
  );
}
