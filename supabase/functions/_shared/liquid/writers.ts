import type { Emitter } from "liquidjs";
import { type Budget, MOST_TEXT } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { bytesOf, textOf } from "./texts.ts";

/** The output of rendering. It counts a text before it adds it. */
export class Writer implements Emitter {
  // Appending to a string is cheap in V8, as long as the string is not read in between.
  buffer = "";

  constructor(
    readonly budget: Budget,
    /** Whether this is the text of the page, and not of a variable. */
    readonly isPage: boolean,
  ) {}

  /** @throws TemplateLimit when the page, or the text, becomes too long. */
  write(value: unknown): void {
    const text = textOf(value, this.budget);
    if (this.isPage) this.budget.written(bytesOf(text));
    else if (this.buffer.length + text.length > MOST_TEXT)
      throw new TemplateLimit("bytes", MOST_TEXT);
    this.buffer += text;
  }
}
