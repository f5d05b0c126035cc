import { createLoop } from "../jobs/loop.ts";
import { learnWords } from "./learn.ts";
import { type Provider, ProviderError } from "./provider.ts";

/** A product that needs a vector. */
export interface Job {
  product_id: string;
  /** The product's text; null if the database makes the vector itself. */
  content: string | null;
  /** The lease of the job. It is sent back with the outcome. */
  lease: string;
}

/** The outcome of a job: a vector as text, or the reason for its absence. Both are null if the database makes it. */
export interface Done extends Omit<Job, "content"> {
  embedding: string | null;
  error: string | null;
  retry_after_seconds: number | null;
}

/** The task to learn the words of one tenant: their meaning in its catalog, as `learnWords` computes it. */
export interface Lesson {
  tenant_id: string;
  lease: string;
}

/** A product to learn from: its words, separated by blanks. */
export interface Page {
  id: string;
  words: string;
}

/** Words with their vectors as texts. `is_last`: no more words follow. */
export interface Learnt {
  words: string[];
  vectors: string[];
  is_last: boolean;
}

/** The operations that an embedder needs. */
export interface Dependencies {
  provider: Provider;
  /**
   * Records outcomes and takes up to `batch` jobs. With 0 it wakes another worker if jobs are left; with null it leaves
   * them.
   */
  take(done: Done[], batch: number | null): Promise<Job[]>;
  takeLesson(): Promise<Lesson | null>;
  /** Reads the next products of a tenant, after the id `after`. */
  read(lesson: Lesson, after: string, limit: number): Promise<Page[]>;
  /** Stores words; false if the lease has expired. */
  record(lesson: Lesson, learnt: Learnt): Promise<boolean>;
  /** Reports an error. */
  reportError(error: unknown): void;
}

/** Timeout of the provider, in milliseconds. It is shorter than a lease. */
const PROVIDER_TIMEOUT_MS = 60_000;
/** Maximum number of products to learn from. The time grows with it, and functions have two seconds of CPU time. */
const MOST_PRODUCTS = 5_000;
const PRODUCTS_AT_ONCE = 1_000;
const WORDS_AT_ONCE = 400;
const NONE_YET = "00000000-0000-0000-0000-000000000000";

/**
 * Makes missing vectors until none are left, and learns words in between. `wake` makes it look for more, and resolves
 * when it has finished.
 */
export function createEmbedder(dependencies: Dependencies): { wake(): Promise<void> } {
  return createLoop({ round: () => work(dependencies), reportError: dependencies.reportError });
}

async function work(dependencies: Dependencies): Promise<void> {
  const { provider } = dependencies;
  const until = performance.now() + provider.takingMs;
  let done: Done[] = [];
  do {
    const jobs = await dependencies.take(done, provider.batch);
    done = [];
    if (jobs.length > 0) {
      const made = await make(dependencies, jobs);
      done = made.done;
      if (made.failed) {
        // The provider would fail for the others, too. They wait for the next minute.
        await dependencies.take(done, null);
        return;
      }
    } else if (provider.embed || !(await learn(dependencies))) {
      return;
    }
  } while (performance.now() < until);
  // The next worker takes the rest.
  await dependencies.take(done, 0);
}

type Ended = Pick<Done, "embedding" | "error" | "retry_after_seconds">;

/** Makes the vectors of jobs. `failed`: the provider failed for a reason other than the texts. */
async function make(
  dependencies: Dependencies,
  jobs: Job[],
): Promise<{ done: Done[]; failed: boolean }> {
  const { provider, reportError } = dependencies;
  const end = (end: (i: number) => Partial<Ended>) =>
    jobs.map(({ product_id, lease }, i) => ({
      ...{ product_id, lease },
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
      // One of the texts is refused. The batch is split, so that the others succeed.
      const middle = Math.ceil(jobs.length / 2);
      const first = await make(dependencies, jobs.slice(0, middle));
      const second = await make(dependencies, jobs.slice(middle));
      return {
        done: [...first.done, ...second.done],
        failed: first.failed || second.failed,
      };
    }
    reportError(error);
    return {
      done: end(() => ({
        error: error instanceof ProviderError ? error.message : "the vector could not be made",
        retry_after_seconds: retryAfterSeconds,
      })),
      failed: !refused,
    };
  }
}

/** Learns the words of one tenant; false if no tenant has words to learn. */
async function learn(dependencies: Dependencies): Promise<boolean> {
  const lesson = await dependencies.takeLesson();
  if (!lesson) return false;
  const texts: string[][] = [];
  let after: string | undefined = NONE_YET;
  while (after !== undefined && texts.length < MOST_PRODUCTS) {
    const pages: Page[] = await dependencies.read(lesson, after, PRODUCTS_AT_ONCE);
    for (const { words } of pages) texts.push(words.split(" ").filter(Boolean));
    after = pages.length === PRODUCTS_AT_ONCE ? pages.at(-1)?.id : undefined;
  }

  const learnt = learnWords(texts);
  for (let at = 0; ; at += WORDS_AT_ONCE) {
    const slice = learnt.slice(at, at + WORDS_AT_ONCE);
    const is_last = at + WORDS_AT_ONCE >= learnt.length;
    const kept = await dependencies.record(lesson, {
      words: slice.map(({ word }) => word),
      vectors: slice.map(({ vector }) => `[${vector}]`),
      is_last,
    });
    if (is_last || !kept) return true;
  }
}
