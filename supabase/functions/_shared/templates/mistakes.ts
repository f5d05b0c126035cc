/** Where in a template something happened, by the ids of its section and block: told by whoever goes through these. */
export interface Place {
  section?: string | undefined;
  block?: string | undefined;
}

/** What is wrong with a template's text, and where in it, both counted from one. */
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

/** A page that takes more than a page may. */
export class TemplateLimit extends Error implements Place {
  override name = "TemplateLimit";
  section?: string | undefined;
  block?: string | undefined;

  constructor(
    readonly limit: LimitName,
    readonly maximum: number,
  ) {
    super(`A page takes at most ${maximum} (${limit}).`);
  }
}
