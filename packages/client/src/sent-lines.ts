// The lines of an import that the server may ask for again: its next request begins with them.

type Part = string | Uint8Array | object;

const NEWLINE = 0x0a;
/** Size of a chunk, in bytes, up to which parts that are there at once are put together: each one has a cost at the server. */
const ENOUGH = 65_536;
/** The first line of Excel's that names the delimiter. */
const DELIMITER_LINE = /^"?sep=.?"?\s*$/i;

/** The lines of a source. Those that were read are kept until they are forgotten. */
export class SentLines {
  readonly #source: AsyncGenerator<Part>;
  readonly #isCsv: boolean;
  readonly #encoder = new TextEncoder();
  /** What was read, from somewhere in line `#first` on. */
  #kept: Uint8Array[] = [];
  #first = 1;
  /** The number of chunks that were kept before those. */
  #forgotten = 0;
  #header: Uint8Array | undefined;
  #reading: Promise<boolean> | undefined;
  /** The part that was asked for last, until it is taken. */
  #next: Promise<IteratorResult<Part>> | undefined;

  constructor(source: AsyncGenerator<Part>, isCsv: boolean) {
    this.#source = source;
    this.#isCsv = isCsv;
  }

  /** The lines from number `line` on, below the header of CSV. They are read from the source as they are wanted. */
  async *from(line: number): AsyncGenerator<Uint8Array> {
    this.forget(line);
    while (this.#first < line && (await this.#read())) this.forget(line);
    if (line > 1 && this.#header) yield this.#header;
    for (let at = this.#forgotten; ; at += 1) {
      if (at === this.#forgotten + this.#kept.length && !(await this.#read())) return;
      yield this.#kept[at - this.#forgotten] as Uint8Array;
    }
  }

  /** Lets go of the lines before number `line`, as far as they were read. */
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

  /** Reads a chunk, whoever wants it; false at the end. A request that was ended may still be waiting for the same one. */
  #read(): Promise<boolean> {
    this.#reading ??= this.#gather().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Keeps the next part, with those after it that come without waiting. */
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

  /** Takes the header from what was read; false while its end is not among that. */
  #keepHeader(): boolean {
    if (this.#header) return true;
    const decoder = new TextDecoder();
    const text = this.#kept.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
    const lines = text.split("\n").slice(0, -1);
    const begin = lines.findIndex((line) => line.trim() !== "" && !DELIMITER_LINE.test(line));
    if (begin < 0) return false;
    for (let end = begin + 1; end <= lines.length; end += 1) {
      // A name in quotes may go on in the next line.
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
