import { parseError } from "./errors.js";

const words = /[\p{L}\p{N}_ $]*/uy;

/** Reads the text of one parameter. Every method advances, or fails and throws. */
export class Scanner {
  private position = 0;

  /** `what` begins the error message: `failed to parse filter (…)`. */
  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {}

  get rest(): string {
    return this.text.slice(this.position);
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  peek(expected: string): boolean {
    return this.text.startsWith(expected, this.position);
  }

  accept(expected: string): boolean {
    if (!this.peek(expected)) return false;
    this.position += expected.length;
    return true;
  }

  expect(expected: string, name = `"${expected}"`): void {
    if (!this.accept(expected)) this.fail(name);
  }

  /** Tries `read`; if it returns null, resets the position. */
  attempt<T>(read: () => T | null): T | null {
    const start = this.position;
    const found = read();
    if (found === null) this.position = start;
    return found;
  }

  spaces(): void {
    while (this.peek(" ") || this.peek("\t")) this.position++;
  }

  /** Reads up to one of `stops`. */
  until(stops: string): string {
    const start = this.position;
    while (!this.done && !stops.includes(this.text[this.position]!)) this.position++;
    return this.text.slice(start, this.position);
  }

  takeRest(): string {
    const { rest } = this;
    this.position = this.text.length;
    return rest;
  }

  /** Reads letters, digits, `_`, `$` and spaces, and trims them; empty if there are none. */
  word(): string {
    words.lastIndex = this.position;
    const [found] = words.exec(this.text)!;
    this.position += found.length;
    return found.trim();
  }

  digits(): string {
    const start = this.position;
    while (!this.done && this.text[this.position]! >= "0" && this.text[this.position]! <= "9") {
      this.position++;
    }
    return this.text.slice(start, this.position);
  }

  /** Reads a text in double quotes with backslash escapes; null without both quotes. */
  quoted(): string | null {
    if (!this.peek('"')) return null;
    return this.attempt(() => {
      let value = "";
      this.position++;
      while (!this.done) {
        const char = this.text[this.position++]!;
        if (char === '"') return value;
        value += char === "\\" ? (this.text[this.position++] ?? "") : char;
      }
      return null;
    });
  }

  /** Reads the name of a column or relation: quoted, or words joined by dashes. */
  name(expected = "field name (* or [a..z0..9_$])"): string {
    return this.dashed(() => this.word(), expected);
  }

  /** Reads parts joined by dashes; `->` ends the name. */
  dashed(part: () => string, expected: string): string {
    const quoted = this.quoted();
    if (quoted !== null) return quoted;
    const parts = [part()];
    if (parts[0] === "") this.fail(expected);
    while (this.peek("-") && !this.peek("->")) {
      this.position++;
      const next = part();
      if (next === "") this.fail("letter or digit");
      parts.push(next);
    }
    return parts.join("-");
  }

  /** Fails unless the text ends or one of `stops` follows. */
  end(stops: string, expected: string): void {
    if (!this.done && !stops.includes(this.text[this.position]!)) this.fail(expected, "'");
  }

  fail(expected: string, quote = '"'): never {
    const char = this.text[this.position];
    const unexpected = char === undefined ? "end of input" : quote + char + quote;
    throw parseError(
      `"${this.what}" (line 1, column ${this.position + 1})`,
      `unexpected ${unexpected} expecting ${expected}`,
    );
  }
}
