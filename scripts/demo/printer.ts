// Prints the demo on a terminal: the person, the call, the status, and the result.

const WHO = 10;
const CALL = 44;
const STATUS = 4;

export interface Printer {
  heading(text: string): void;
  /** Prints one step; `status` is short: an HTTP status, or a word such as `ok`. */
  line(who: string, call: string, status: string | number, result: string): void;
  plain(text: string): void;
}

/** Colours are optional: without them the text is the same. */
export function createPrinter(
  out: NodeJS.WriteStream = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): Printer {
  const coloured = out.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
  const paint = (code: number, text: string) =>
    coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const bold = (text: string) => paint(1, text);
  const faint = (text: string) => paint(2, text);
  const green = (text: string) => paint(32, text);
  const write = (text: string) => void out.write(`${text}\n`);

  return {
    heading: (text) => write(`\n${bold(text)}`),
    line: (who, call, status, result) =>
      write(
        `  ${faint(who.padEnd(WHO))} ${call.padEnd(CALL)} ${green(String(status).padEnd(STATUS))} ${result}`,
      ),
    plain: write,
  };
}

/** Shortens an id to its beginning, which is unique within the demo. */
export function short(id: string): string {
  return `${id.slice(0, 8)}…`;
}

/** Shortens the ids of an address, and drops the parent records. */
export function shortAddress(address: string): string {
  return address
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, short)
    .replace(/^.*…(?=\/[a-z-]+\/\w{8}…)/, "…");
}

/** Formats an amount with two decimals and its currency. */
export function money(amount: number, { currency }: { currency: string }): string {
  return `${amount.toFixed(2)} ${currency}`;
}
