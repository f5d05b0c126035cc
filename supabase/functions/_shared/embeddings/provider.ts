/** How many numbers a vector has, for every provider: the database's columns are that wide. */
export const DIMENSIONS = 384;

/** What makes vectors of texts. */
export interface Provider {
  /** Names its vectors: those of two models are never compared. */
  model: string;
  /** How many texts it takes at once. */
  batch: number;
  /** How long one worker goes on taking, in milliseconds: functions do not live for ever. */
  takingMs: number;
  /**
   * A vector for each text, in the same order. Throws `ProviderError`. Without it the database makes the
   * vectors itself, from the words it has learnt of a tenant's catalog.
   */
  embed?(texts: string[], signal: AbortSignal): Promise<number[][]>;
}

/** Why a provider made no vectors, in words without a secret. */
export class ProviderError extends Error {
  override name = "ProviderError";
  constructor(
    message: string,
    /** Whether it is the texts that it will not take, so that others may fare better. */
    readonly refused = false,
    /** When it wants to be asked again; null when it does not say. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** Answers vectors that are as many as the texts and as long as they have to be. Throws `ProviderError`. */
export function checkedVectors(vectors: unknown[], count: number): number[][] {
  if (vectors.length !== count)
    throw new ProviderError(`the provider made ${vectors.length} vectors of ${count} texts`);
  for (const vector of vectors) {
    if (!Array.isArray(vector) || !vector.every(Number.isFinite))
      throw new ProviderError("the provider answered something else than vectors");
    if (vector.length !== DIMENSIONS)
      throw new ProviderError(
        `the provider's vectors have ${vector.length} dimensions, and must have ${DIMENSIONS}`,
      );
  }
  return vectors as number[][];
}
