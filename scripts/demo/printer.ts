// Tells the story on a terminal: who, what at which address, the status, and what came back.

const WHO = 10;
const CALL = 44;
const STATUS = 4;

export interface Teller {
  heading(text: string): void;
  /** One line of the story; `status` is short: an HTTP status, or a word such as `ok`. */
  line(who: string, call: string, status: string | number, told: string): void;
  plain(text: string): void;
}

/** Colours add nothing but comfort: without them the same text comes out. */
export function createTeller(
  out: NodeJS.WriteStream = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): Teller {
  const coloured = out.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
  const paint = (code: number, text: string) =>
    coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const bold = (text: string) => paint(1, text);
  const faint = (text: string) => paint(2, text);
  const green = (text: string) => paint(32, text);
  const say = (text: string) => void out.write(`${text}\n`);

  return {
    heading: (text) => say(`\n${bold(text)}`),
    line: (who, call, status, told) =>
      say(
        `  ${faint(who.padEnd(WHO))} ${call.padEnd(CALL)} ${green(String(status).padEnd(STATUS))} ${told}`,
      ),
    plain: say,
  };
}

/** An id by its beginning, which is enough to tell it from the others of the story. */
export function short(id: string): string {
  return `${id.slice(0, 8)}…`;
}

/** An address with its ids by their beginning, and without the record above the one that it is about. */
export function shortAddress(address: string): string {
  return address
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, short)
    .replace(/^.*…(?=\/[a-z-]+\/\w{8}…)/, "…");
}

/** An amount with two decimals and its currency. */
export function money(amount: number, { currency }: { currency: string }): string {
  return `${amount.toFixed(2)} ${currency}`;
}
