// The lines of an import that the server may request again: its next request begins with them.

type Part = string | Uint8Array | object;

const NEWLINE = 0x0a;
/**
 * Size in bytes up to which available parts are joined into one chunk, because each chunk has a
 * cost at the server.
 */
const ENOUGH = 65_536;
/** Excel's line that names the delimiter. */
const DELIMITER_LINE = /^"?sep=.?"?\s*$/i;

/** The lines of a source. Lines that were read are kept until they are forgotten. */
export class SentLines {
  readonly #source: AsyncGenerator<Part>;
  readonly #isCsv: boolean;
  readonly #encoder = new TextEncoder();
  /** The read bytes, from somewhere in line `#first` on. */
  #kept: Uint8Array[] = [];
  #first = 1;
  /** The number of forgotten chunks. */
  #forgotten = 0;
  #header: Uint8Array | undefined;
  #reading: Promise<boolean> | undefined;
  /** The last requested part, until it is taken. */
  #next: Promise<IteratorResult<Part>> | undefined;

  constructor(source: AsyncGenerator<Part>, isCsv: boolean) {
    this.#source = source;
    this.#isCsv = isCsv;
  }

  /**
   * Yields the lines from number `line` on, after the header of CSV. They are read from the source
   * on demand.
   */
  async *from(line: number): AsyncGenerator<Uint8Array> {
    this.forget(line);
    while (this.#first < line && (await this.#read())) this.forget(line);
    if (line > 1 && this.#header) yield this.#header;
    for (let at = this.#forgotten; ; at += 1) {
      if (at === this.#forgotten + this.#kept.length && !(await this.#read())) return;
      yield this.#kept[at - this.#forgotten] as Uint8Array;
    }
  }

  /** Drops the lines before number `line` that were read. */
  forget(line: number): void {
    if (line <= this.#first || (this.#isCsv && !this.#keepHeader())) return;
    for (let chunk = this.#kept[0]; chunk && this.#first < line; chunk = this.#kept[0]) {
      let start = 0;
      for (let end = 0; this.#first < line && end >= 0; ) {
        end = chunk.indexOf(NEWLINE, start);
        start = end < 0 ? chunk.length : end + 1;
        if (end >= 0) this.#first += 1;
      }
      if (start < chunk.length) this.#kept[0] = chunk.subarray(start);
      else {
        this.#kept.shift();
        this.#forgotten += 1;
      }
    }
  }

  /** Ends the source. */
  end(): void {
    this.#source.return(undefined).catch(() => {});
  }

  /**
   * Reads a chunk for all concurrent callers; false at the end. A request that has ended may still
   * be waiting for the same chunk.
   */
  #read(): Promise<boolean> {
    this.#reading ??= this.#gather().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Keeps the next part, with the following ones that are available without waiting. */
  async #gather(): Promise<boolean> {
    const parts: Uint8Array[] = [];
    let soon: Promise<undefined> | undefined;
    for (let size = 0; size < ENOUGH; ) {
      this.#next ??= this.#source.next();
      const step = await (soon ? Promise.race([this.#next, soon]) : this.#next);
      if (!step) break;
      this.#next = undefined;
      if (step.done) break;
      const bytes = this.#bytesOf(step.value);
      parts.push(bytes);
      size += bytes.length;
      soon ??= new Promise((resolve) => setTimeout(resolve));
    }
    if (parts.length > 0) this.#kept.push(joined(parts));
    return parts.length > 0;
  }

  #bytesOf(part: Part): Uint8Array {
    if (part instanceof Uint8Array) return part;
    return this.#encoder.encode(typeof part === "string" ? part : `${JSON.stringify(part)}\n`);
  }

  /** Takes the header from the read lines; false while it is incomplete. */
  #keepHeader(): boolean {
    if (this.#header) return true;
    const decoder = new TextDecoder();
    const text = this.#kept.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
    const lines = text.split("\n").slice(0, -1);
    const begin = lines.findIndex((line) => line.trim() !== "" && !DELIMITER_LINE.test(line));
    if (begin < 0) return false;
    for (let end = begin + 1; end <= lines.length; end += 1) {
      // A quoted name may continue in the next line.
      if (lines.slice(begin, end).join("").split('"').length % 2 === 1) {
        this.#header = this.#encoder.encode(`${lines.slice(0, end).join("\n")}\n`);
        return true;
      }
    }
    return false;
  }
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
