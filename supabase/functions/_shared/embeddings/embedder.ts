import { learnWords } from "./learn.ts";
import { type Provider, ProviderError } from "./provider.ts";

/** A product whose vector is to be made. */
export interface Job {
  tenant_id: string;
  product_id: string;
  /** Its text; null where the database makes the vector itself. */
  content: string | null;
  /** The lease it was taken with; its outcome is reported with the lease. */
  leased_until: string;
}

/** What came of a job: a vector as text, or in words why there is none; neither, where the database makes it. */
export interface Done extends Omit<Job, "content"> {
  embedding: string | null;
  error: string | null;
  retry_after_seconds: number | null;
}

/** A lesson is the learning of one tenant's words: what they mean in its catalog, as `learnWords` finds it. */
export interface Lesson {
  tenant_id: string;
  leased_until: string;
}

/** A product to learn from: its words, divided by blanks. */
export interface Page {
  id: string;
  words: string;
}

/** Words with their vectors as texts, and whether they are the last ones. */
export interface Learnt {
  words: string[];
  vectors: string[];
  is_last: boolean;
}

/** What a worker is given. */
export interface Means {
  provider: Provider;
  /**
   * Records what came of jobs and takes so many; with 0 it wakes another worker if any are left, and with null
   * leaves them.
   */
  take(done: Done[], batch: number | null): Promise<Job[]>;
  takeLesson(): Promise<Lesson | null>;
  /** The next of a tenant's products after that id. */
  read(lesson: Lesson, after: string, limit: number): Promise<Page[]>;
  /** False when the lease is lost. */
  record(lesson: Lesson, learnt: Learnt): Promise<boolean>;
  /** Called with what went wrong. */
  complain(error: unknown): void;
}

/** Below the time of a lease. */
const PROVIDER_TIMEOUT_MS = 60_000;
/** What learning takes grows with it, and functions have two seconds of computing. */
const MOST_PRODUCTS = 5_000;
const PRODUCTS_AT_ONCE = 1_000;
const WORDS_AT_ONCE = 400;
const NONE_YET = "00000000-0000-0000-0000-000000000000";

/**
 * Makes vectors for as long as some are missing, and learns words in between. `wake` has it look for more, and
 * resolves when it has ended.
 */
export function createEmbedder(means: Means): { wake(): Promise<void> } {
  let rest: Promise<void> | undefined;
  let isWanted = false;

  async function rounds(): Promise<void> {
    try {
      while (isWanted) {
        isWanted = false;
        await work(means);
      }
    } catch (error) {
      // What was taken is due again when its lease is over.
      means.complain(error);
    } finally {
      rest = undefined;
    }
  }

  return {
    wake() {
      isWanted = true;
      rest ??= rounds();
      return rest;
    },
  };
}

async function work(means: Means): Promise<void> {
  const { provider } = means;
  const until = performance.now() + provider.takingMs;
  let done: Done[] = [];
  do {
    const jobs = await means.take(done, provider.batch);
    done = [];
    if (jobs.length > 0) {
      const made = await make(means, jobs);
      done = made.done;
      if (made.failed) {
        // It would fail with the others too: they wait for the next minute.
        await means.take(done, null);
        return;
      }
    } else if (provider.embed || !(await learn(means))) {
      return;
    }
  } while (performance.now() < until);
  // The worker that is woken now does the rest.
  await means.take(done, 0);
}

type Ended = Pick<Done, "embedding" | "error" | "retry_after_seconds">;

/** Makes the vectors of jobs; `failed`, when that did not lie in their texts. */
async function make(means: Means, jobs: Job[]): Promise<{ done: Done[]; failed: boolean }> {
  const { provider, complain } = means;
  const end = (end: (i: number) => Partial<Ended>) =>
    jobs.map(({ tenant_id, product_id, leased_until }, i) => ({
      ...{ tenant_id, product_id, leased_until },
      ...{ embedding: null, error: null, retry_after_seconds: null },
      ...end(i),
    }));
  if (!provider.embed) return { done: end(() => ({})), failed: false };
  try {
    const vectors = await provider.embed(
      jobs.map(({ content }) => content ?? ""),
      AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    );
    return { done: end((i) => ({ embedding: `[${vectors[i]}]` })), failed: false };
  } catch (error) {
    const { refused, retryAfterSeconds } =
      error instanceof ProviderError ? error : new ProviderError("");
    if (refused && jobs.length > 1) {
      // One of them it will not take: the others shall not suffer for it.
      const middle = Math.ceil(jobs.length / 2);
      const first = await make(means, jobs.slice(0, middle));
      const second = await make(means, jobs.slice(middle));
      return {
        done: [...first.done, ...second.done],
        failed: first.failed || second.failed,
      };
    }
    complain(error);
    return {
      done: end(() => ({
        error: error instanceof ProviderError ? error.message : "the vector could not be made",
        retry_after_seconds: retryAfterSeconds,
      })),
      failed: !refused,
    };
  }
}

/** Learns the words of a tenant that has some to learn; false when there is none. */
async function learn(means: Means): Promise<boolean> {
  const lesson = await means.takeLesson();
  if (!lesson) return false;
  const texts: string[][] = [];
  let after: string | undefined = NONE_YET;
  while (after !== undefined && texts.length < MOST_PRODUCTS) {
    const pages: Page[] = await means.read(lesson, after, PRODUCTS_AT_ONCE);
    for (const { words } of pages) texts.push(words.split(" ").filter(Boolean));
    after = pages.length === PRODUCTS_AT_ONCE ? pages.at(-1)?.id : undefined;
  }

  const learnt = learnWords(texts);
  for (let at = 0; ; at += WORDS_AT_ONCE) {
    const slice = learnt.slice(at, at + WORDS_AT_ONCE);
    const is_last = at + WORDS_AT_ONCE >= learnt.length;
    const kept = await means.record(lesson, {
      words: slice.map(({ word }) => word),
      vectors: slice.map(({ vector }) => `[${vector}]`),
      is_last,
    });
    if (is_last || !kept) return true;
  }
}
