import { ApiError, type FieldError } from "../http/errors.ts";
import { refusalOf } from "../liquid/refusing.ts";
import { WrongVariables } from "./variables.ts";

/** The same as `refusalOf`, and VALIDATION_ERROR for variables that do not fit their declarations. */
export const pageRefusalOf = (error: unknown, sent: Readonly<Record<string, unknown>>): unknown =>
  error instanceof WrongVariables ? wrongVariables(error, sent) : refusalOf(error);

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
