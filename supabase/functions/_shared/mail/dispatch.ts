import { createLoop } from "../jobs/loop.ts";
import { type Letter, LetterFailed } from "./letter.ts";
import { NotSent } from "./transport.ts";

/** Number of mails per take. */
const BATCH = 25;
/**
 * Maximum number of mails that a round sends: about a second of processor time, of the two that a request to a function
 * has. Then another request is woken.
 */
const ROUND = 150;
/** Time after which mails that were not tried are given back, in milliseconds. Half a lease. */
const HOLDING_MS = 60_000;
/** Wait before mails that were given back are due again, in seconds. */
const LATER_S = 30;

/** The error that a tenant sees if the cause is ours. */
const OUR_FAULT = "Something went wrong on our side.";

/** The content of a letter, as rendered at the first attempt. */
export type Content = Pick<Letter, "subject" | "html" | "text">;

/** A mail that the dispatcher has leased. */
export interface Taken {
  id: string;
  lease: string;
  to: string;
  name: string;
  /** Null at the first attempt. */
  content: Content | null;
}

/** A rendered letter to store, or the reason why it cannot be rendered. */
export type KeptLetter = Pick<Taken, "id" | "lease"> &
  (Pick<Letter, "subject" | "html" | "text" | "error"> | { error: string });

/** The result of an attempt. */
export interface Outcome extends Pick<Taken, "id" | "lease"> {
  outcome: "sent" | "untried" | NotSent["kind"];
  provider_id?: string | null;
  error?: string;
  retry_after_seconds?: number;
  address_gone?: boolean;
}

/** The operations and options of a dispatcher. */
export interface DispatcherOptions<Mail extends Taken = Taken> {
  /** Leases mails that are due; 0 leases none, and wakes another dispatcher if any are due. */
  take(batch: number): Promise<Mail[]>;
  /** Renders a mail that has no content yet. Throws LetterFailed if each attempt would fail. */
  render(mail: Mail): Promise<Letter>;
  keep(letters: KeptLetter[]): Promise<void>;
  /** Sends a mail. It is not completed until `before` resolves. Throws NotSent. */
  send(
    mail: Mail,
    content: Content,
    before: Promise<unknown>,
  ): Promise<{ providerId: string | null }>;
  record(outcome: Outcome): Promise<void>;
  reportError(error: unknown): void;
}

/** Sends mails that are due, one round for each time it is woken. */
export function createDispatcher<Mail extends Taken>(
  options: DispatcherOptions<Mail>,
): { wake(): Promise<void> } {
  return createLoop({ round: () => sendRound(options), reportError: options.reportError });
}

/** Mails that were taken together. */
interface Batch<Mail extends Taken> {
  mails: Mail[];
  contents: Map<string, Content>;
  /** When mails that were not tried are given back, in milliseconds since 1970. */
  until: number;
}

async function sendRound<Mail extends Taken>(options: DispatcherOptions<Mail>): Promise<void> {
  let next = prepare(options);
  for (let sent = BATCH; ; sent += BATCH) {
    const batch = await next;
    if (batch.mails.length === 0) return;
    const isLast = sent >= ROUND;
    // The next batch is rendered while this one is sent.
    if (!isLast) next = prepare(options);
    // An error is thrown where it is awaited.
    next.catch(() => {});
    const later = await sendAll(batch, options);
    if (later !== undefined) {
      if (!isLast) await giveBack(await next, later, options);
      return;
    }
    if (isLast) break;
  }
  await options.take(0);
}

async function prepare<Mail extends Taken>(options: DispatcherOptions<Mail>): Promise<Batch<Mail>> {
  const mails = await options.take(BATCH);
  const until = Date.now() + HOLDING_MS;
  return { mails, contents: await renderAll(mails, options), until };
}

/**
 * Sends mails one after the other. Each is recorded before the next one is completed, so that a crash leaves at most one
 * mail that is sent again. Resolves to the seconds until the provider accepts more mails; to undefined if it accepts them now.
 */
async function sendAll<Mail extends Taken>(
  { mails, contents, until }: Batch<Mail>,
  options: DispatcherOptions<Mail>,
): Promise<number | undefined> {
  let recorded: Promise<void> = Promise.resolve();
  for (const [place, mail] of mails.entries()) {
    if (Date.now() > until) {
      await recorded;
      return giveBack({ mails: mails.slice(place), contents }, LATER_S, options);
    }
    const content = contents.get(mail.id);
    if (!content) continue;
    const outcome = await attempt(mail, content, recorded, options);
    await recorded;
    recorded = options.record({ id: mail.id, lease: mail.lease, ...outcome });
    // An error is thrown where it is awaited.
    recorded.catch(() => {});
    if (outcome.outcome === "throttled") {
      await recorded;
      const later = outcome.retry_after_seconds ?? LATER_S;
      return giveBack({ mails: mails.slice(place + 1), contents }, later, options);
    }
  }
  await recorded;
  return undefined;
}

/** Gives back mails that were not tried. They are due again after `later` seconds, which it returns. */
async function giveBack<Mail extends Taken>(
  { mails, contents }: Pick<Batch<Mail>, "mails" | "contents">,
  later: number,
  options: DispatcherOptions<Mail>,
): Promise<number> {
  for (const { id, lease } of mails.filter(({ id }) => contents.has(id))) {
    await options.record({ id, lease, outcome: "untried", retry_after_seconds: later });
  }
  return later;
}

/** The content of each mail, by its id: stored before, or rendered now and stored for all attempts. */
async function renderAll<Mail extends Taken>(
  mails: Mail[],
  options: DispatcherOptions<Mail>,
): Promise<Map<string, Content>> {
  const contents = new Map<string, Content>();
  const fresh: KeptLetter[] = [];
  for (const mail of mails) {
    if (mail.content) {
      contents.set(mail.id, mail.content);
      continue;
    }
    const { id, lease } = mail;
    try {
      const { error, ...letter } = await options.render(mail);
      const content = {
        subject: storable(letter.subject),
        html: storable(letter.html),
        text: storable(letter.text),
      };
      contents.set(id, content);
      fresh.push({ id, lease, ...content, error: error && storable(error) });
    } catch (error) {
      if (error instanceof LetterFailed) {
        fresh.push({ id, lease, error: storable(error.message) });
      } else {
        options.reportError(error);
        await options.record({ id, lease, outcome: "temporary", error: OUR_FAULT });
      }
    }
  }
  if (fresh.length > 0) await options.keep(fresh);
  return contents;
}

/** Replaces characters that Postgres cannot store: lone surrogates and NUL. */
const storable = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text)).replaceAll("\0", " ");

async function attempt<Mail extends Taken>(
  mail: Mail,
  content: Content,
  before: Promise<unknown>,
  options: DispatcherOptions<Mail>,
): Promise<Omit<Outcome, "id" | "lease">> {
  try {
    const { providerId } = await options.send(mail, content, before);
    return { outcome: "sent", provider_id: providerId };
  } catch (error) {
    if (!(error instanceof NotSent)) {
      options.reportError(error);
      return { outcome: "temporary", error: OUR_FAULT };
    }
    return {
      outcome: error.kind,
      error: storable(error.message),
      retry_after_seconds: error.retryAfterSeconds,
      address_gone: error.addressGone,
    };
  }
}
