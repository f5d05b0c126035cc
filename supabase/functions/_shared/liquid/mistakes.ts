/** The ids of the section and the block where an error or warning occurred. */
export interface MistakeLocation {
  section?: string | undefined;
  block?: string | undefined;
}

/** A mistake in the text of a template. `line` and `column` count from 1. */
export class TemplateMistake extends Error implements MistakeLocation {
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
export class TemplateLimit extends Error implements MistakeLocation {
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
