/** The ids of the section and the block where an error or warning occurred. */
export interface Place {
  section?: string | undefined;
  block?: string | undefined;
}

/** A mistake in the text of a template. `line` and `column` count from 1. */
export class TemplateMistake extends Error implements Place {
  override name = "TemplateMistake";
  section?: string | undefined;
  block?: string | undefined;

  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}

export type LimitName = "steps" | "output" | "depth" | "items" | "bytes" | "time" | "sources";

/** A page exceeds a limit. */
export class TemplateLimit extends Error implements Place {
  override name = "TemplateLimit";
  section?: string | undefined;
  block?: string | undefined;

  constructor(
    readonly limit: LimitName,
    readonly maximum: number,
  ) {
    super(`The page exceeds the limit of ${maximum} ${limit}.`);
  }
}
