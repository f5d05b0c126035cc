import type { Emitter } from "liquidjs";
import { type Budget, MOST_TEXT } from "./budget.ts";
import { TemplateLimit } from "./mistakes.ts";
import { bytesOf, textOf } from "./texts.ts";

/** Where rendering writes to: a text that counts what it takes, before it takes it. */
export class Writer implements Emitter {
  // Node by node: a text that grows is cheap, and only read at the end.
  buffer = "";

  constructor(
    readonly budget: Budget,
    /** Whether this is the page itself, and not a text that a variable will hold. */
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
