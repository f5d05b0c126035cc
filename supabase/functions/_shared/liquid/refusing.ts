import { ApiError } from "../http/errors.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";

/** The error for the caller: TEMPLATE_ERROR or TEMPLATE_LIMIT. Other errors are returned unchanged. */
export function refusalOf(error: unknown): unknown {
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
