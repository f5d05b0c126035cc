/** Number of dimensions of every vector, for all providers. The database's columns have this width. */
export const DIMENSIONS = 384;

/** A source of vectors for texts. */
export interface Provider {
  /** Name of the model. Vectors of different models are never compared. */
  model: string;
  /** Largest number of texts per call. */
  batch: number;
  /** Time for which one worker takes jobs, in milliseconds. A function's lifetime is limited. */
  takingMs: number;
  /**
   * Returns a vector for each text, in the same order. Throws `ProviderError`. If it is undefined, the database makes the
   * vectors itself from the words that it has learnt of a tenant's catalog.
   */
  embed?(texts: string[], signal: AbortSignal): Promise<number[][]>;
}

/** The failure of a provider. The message holds no secret. */
export class ProviderError extends Error {
  override name = "ProviderError";
  constructor(
    message: string,
    /** Whether the provider refused the texts, so that other texts may succeed. */
    readonly refused = false,
    /** Seconds until the provider accepts requests again; null if unknown. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** Returns the vectors if their number and dimensions are right. Throws `ProviderError`. */
export function checkedVectors(vectors: unknown[], count: number): number[][] {
  if (vectors.length !== count)
    throw new ProviderError(`the provider made ${vectors.length} vectors for ${count} texts`);
  for (const vector of vectors) {
    if (!Array.isArray(vector) || !vector.every(Number.isFinite))
      throw new ProviderError("the provider's answer has no vectors");
    if (vector.length !== DIMENSIONS)
      throw new ProviderError(
        `the provider's vectors have ${vector.length} dimensions, and must have ${DIMENSIONS}`,
      );
  }
  return vectors as number[][];
}
