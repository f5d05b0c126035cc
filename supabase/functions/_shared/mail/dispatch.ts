import { type Letter, LetterFailed } from "./letter.ts";
import { NotSent } from "./transport.ts";

/** How many mails are taken together. */
const BATCH = 25;
/**
 * How many mails one request sends: a second of a function's time, of the two that it has. The rest is sent by the
 * requests that follow.
 */
const TURN = 150;
/** Half the time of a lease: what nobody has tried by then is given back. */
const HOLDING_MS = 60_000;
/** When what was given back since sending took too long is due again. */
const LATER_S = 30;

/** What a tenant is told of it. */
const OUR_FAULT = "Something went wrong on our side.";

/** A letter as it was rendered at the first attempt. */
export type Content = Pick<Letter, "subject" | "html" | "text">;

/** A mail that was taken, with what it takes to send it. */
export interface Taken {
  id: string;
  lease: string;
  to: string;
  name: string;
  /** Null at the first attempt. */
  content: Content | null;
}

/** A letter that is to be kept, or why there is none. */
export type KeptLetter = Pick<Taken, "id" | "lease"> &
  (Pick<Letter, "subject" | "html" | "text" | "error"> | { error: string });

/** What came of a mail. */
export interface Outcome extends Pick<Taken, "id" | "lease"> {
  outcome: "sent" | "untried" | NotSent["kind"];
  provider_id?: string | null;
  error?: string;
  retry_after_seconds?: number;
  address_gone?: boolean;
}

/** What a dispatcher is given. */
export interface Means<Mail extends Taken = Taken> {
  /** Takes mails that are due; 0 takes none, and wakes another dispatcher if any are left. */
  take(batch: number): Promise<Mail[]>;
  /** Renders what is not rendered yet. Throws LetterFailed where nothing can come of it. */
  render(mail: Mail): Promise<Letter>;
  keep(letters: KeptLetter[]): Promise<void>;
  /** Sends a mail, but for its end until `before` has come about. Throws NotSent. */
  send(
    mail: Mail,
    content: Content,
    before: Promise<unknown>,
  ): Promise<{ providerId: string | null }>;
  record(outcome: Outcome): Promise<void>;
  /** Called with what went wrong on our side. */
  complain(error: unknown): void;
}

/** Sends what waits, a turn for each time it is woken, as long as anything does. */
export function createDispatcher<Mail extends Taken>(
  means: Means<Mail>,
): { wake(): Promise<void> } {
  let working = false;
  let woken = false;
  return {
    async wake() {
      // Whoever is at work then looks once more.
      woken = true;
      if (working) return;
      working = true;
      try {
        while (woken) {
          woken = false;
          await takeTurn(means);
        }
      } catch (error) {
        // The next minute's job wakes another one.
        means.complain(error);
      } finally {
        working = false;
      }
    },
  };
}

/** Mails that were taken together, and what each says. */
interface Batch<Mail extends Taken> {
  mails: Mail[];
  contents: Map<string, Content>;
  /** When what nobody has tried is given back. */
  until: number;
}

async function takeTurn<Mail extends Taken>(means: Means<Mail>): Promise<void> {
  let next = prepare(means);
  for (let sent = BATCH; ; sent += BATCH) {
    const batch = await next;
    if (batch.mails.length === 0) return;
    const isLast = sent >= TURN;
    // Rendered while this one is sent, which is waiting for others mostly.
    if (!isLast) next = prepare(means);
    // What is wrong with it is thrown where it is awaited.
    next.catch(() => {});
    const later = await sendAll(batch, means);
    if (later !== undefined) {
      if (!isLast) await giveBack(await next, later, means);
      return;
    }
    if (isLast) break;
  }
  await means.take(0);
}

async function prepare<Mail extends Taken>(means: Means<Mail>): Promise<Batch<Mail>> {
  const mails = await means.take(BATCH);
  const until = Date.now() + HOLDING_MS;
  return { mails, contents: await renderAll(mails, means), until };
}

/**
 * One after the other, each recorded while the next is handed over and before that one's end: so whoever is killed has
 * sent one at most that will be sent again. Answers in how many seconds the provider takes more; undefined where it does now.
 */
async function sendAll<Mail extends Taken>(
  { mails, contents, until }: Batch<Mail>,
  means: Means<Mail>,
): Promise<number | undefined> {
  let recorded: Promise<void> = Promise.resolve();
  for (const [place, mail] of mails.entries()) {
    if (Date.now() > until) {
      await recorded;
      return giveBack({ mails: mails.slice(place), contents }, LATER_S, means);
    }
    const content = contents.get(mail.id);
    if (!content) continue;
    const outcome = await attempt(mail, content, recorded, means);
    await recorded;
    recorded = means.record({ id: mail.id, lease: mail.lease, ...outcome });
    // What is wrong with it is thrown where it is awaited.
    recorded.catch(() => {});
    if (outcome.outcome === "throttled") {
      await recorded;
      const later = outcome.retry_after_seconds ?? LATER_S;
      return giveBack({ mails: mails.slice(place + 1), contents }, later, means);
    }
  }
  await recorded;
  return undefined;
}

/** Has mails that nobody has tried wait for so many seconds, which it answers. */
async function giveBack<Mail extends Taken>(
  { mails, contents }: Pick<Batch<Mail>, "mails" | "contents">,
  later: number,
  means: Means<Mail>,
): Promise<number> {
  for (const { id, lease } of mails.filter(({ id }) => contents.has(id))) {
    await means.record({ id, lease, outcome: "untried", retry_after_seconds: later });
  }
  return later;
}

/** What each mail says, by its id: as it was kept, or as it is rendered now and kept for all attempts. */
async function renderAll<Mail extends Taken>(
  mails: Mail[],
  means: Means<Mail>,
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
      const { error, ...letter } = await means.render(mail);
      const content = {
        subject: keepable(letter.subject),
        html: keepable(letter.html),
        text: keepable(letter.text),
      };
      contents.set(id, content);
      fresh.push({ id, lease, ...content, error: error && keepable(error) });
    } catch (error) {
      if (error instanceof LetterFailed) {
        fresh.push({ id, lease, error: keepable(error.message) });
      } else {
        means.complain(error);
        await means.record({ id, lease, outcome: "temporary", error: OUR_FAULT });
      }
    }
  }
  if (fresh.length > 0) await means.keep(fresh);
  return contents;
}

/** What no column can keep, half of a pair or NUL, would have all that is kept with it refused. */
const keepable = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text)).replaceAll("\0", " ");

async function attempt<Mail extends Taken>(
  mail: Mail,
  content: Content,
  before: Promise<unknown>,
  means: Means<Mail>,
): Promise<Omit<Outcome, "id" | "lease">> {
  try {
    const { providerId } = await means.send(mail, content, before);
    return { outcome: "sent", provider_id: providerId };
  } catch (error) {
    if (!(error instanceof NotSent)) {
      means.complain(error);
      return { outcome: "temporary", error: OUR_FAULT };
    }
    return {
      outcome: error.kind,
      error: keepable(error.message),
      retry_after_seconds: error.retryAfterSeconds,
      address_gone: error.addressGone,
    };
  }
}
