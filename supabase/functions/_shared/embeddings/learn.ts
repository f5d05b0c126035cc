import { DIMENSIONS } from "./provider.ts";

/** A word with its vector. The direction is its meaning, the length its weight. The numbers are integers. */
export interface Word {
  word: string;
  vector: Int16Array;
}

/** Maximum number of words learnt of a catalog. The words in most products are kept. */
export const MOST_WORDS = 8_000;

/** A component of 1 is stored as this integer. */
const SCALE = 1000;
const WORD_MARKS = 12;
const PART_MARKS = 4;
/** Share of a word's initial vector that comes from its parts. Parts make `sofas` similar to `sofa`. */
const SHARE_OF_PARTS = 0.3;
/** Shares of the word itself, of its neighbouring words, and of their neighbouring words in a word's vector. */
const SHARES = [0.35, 0.7, 0.7] as const;

/**
 * Learns the meaning of words from texts, each a list of words. Words in similar contexts get similar vectors, even if
 * they never occur together. The method is random indexing: each word starts with a few marks at positions that its
 * letters determine, and adds the marks of the words in its texts. A second pass relates words whose contexts are
 * similar. The average of all is subtracted. The result is deterministic.
 */
export function learnWords(texts: string[][]): Word[] {
  const { words, documents, weights } = counted(texts);
  const own = matrix(words.map(beginning));
  const beside = contexts(own, documents, weights);
  const further = contexts(beside, documents, weights);
  const sum = new Float32Array(own.length);
  [own, beside, further].forEach((part, i) => {
    const share = SHARES[i] as number;
    for (let at = 0; at < sum.length; at += DIMENSIONS) add(sum, at, part, at, share);
  });
  normaliseRows(sum);
  return words.map((word, i) => {
    const vector = new Int16Array(DIMENSIONS);
    const scale = SCALE * (weights[i] as number);
    for (let at = 0; at < DIMENSIONS; at++)
      vector[at] = Math.round((sum[i * DIMENSIONS + at] as number) * scale);
    return { word, vector };
  });
}

interface Counted {
  words: string[];
  /** The indexes of the words of each text, without duplicates: a repeated word adds no information. */
  documents: Int32Array[];
  /** The weight of each word, which falls with the number of texts that have it. */
  weights: Float32Array;
}

function counted(texts: string[][]): Counted {
  const frequencies = new Map<string, number>();
  const sets = texts.map((text) => new Set(text));
  for (const set of sets)
    for (const word of set) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const known = [...frequencies]
    // A number in a single product is an identifier without a meaning.
    .filter(([word, times]) => times > 1 || !/\d/.test(word))
    .sort(([a, timesOfA], [b, timesOfB]) => timesOfB - timesOfA || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
  const numbers = new Map(known.map(([word], i) => [word, i]));
  return {
    words: known.map(([word]) => word),
    weights: Float32Array.from(known, ([, times]) => Math.log((texts.length + 1) / times)),
    documents: sets.map((set) =>
      Int32Array.from([...set].flatMap((word) => numbers.get(word) ?? [])),
    ),
  };
}

/** The initial vector of a word. */
function beginning(word: string): Float32Array {
  const whole = mark(new Float32Array(DIMENSIONS), word, WORD_MARKS);
  const parts = new Float32Array(DIMENSIONS);
  const edged = `<${word}>`;
  for (let i = 0; i + 4 <= edged.length; i++) mark(parts, edged.slice(i, i + 4), PART_MARKS);
  normalise(whole);
  normalise(parts);
  return whole.map(
    (value, i) =>
      value * Math.sqrt(1 - SHARE_OF_PARTS) + (parts[i] as number) * Math.sqrt(SHARE_OF_PARTS),
  );
}

/** Adds 1 and -1 at positions that the text determines. */
function mark(vector: Float32Array, text: string, marks: number): Float32Array {
  let state = hash(text);
  for (let i = 0; i < marks; i++) {
    state = scramble(state + 0x9e3779b9);
    const at = (state >>> 1) % DIMENSIONS;
    vector[at] = (vector[at] as number) + (state & 1 ? 1 : -1);
  }
  return vector;
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state >>> 0;
}

/** The finalizer of MurmurHash3: each input bit changes half of the output bits. */
function scramble(number: number): number {
  let state = number >>> 0;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** The context of each word: the sum of the texts with it, minus the average context. */
function contexts(
  vectors: Float32Array,
  documents: Int32Array[],
  weights: Float32Array,
): Float32Array {
  const sums = new Float32Array(vectors.length);
  const average = new Float32Array(DIMENSIONS);
  const whole = new Float32Array(DIMENSIONS);
  /** Number of texts with each word, and the word's own share in them, which is subtracted. */
  const texts = new Float32Array(weights.length);
  const shares = new Float32Array(weights.length);
  for (const words of documents) {
    whole.fill(0);
    for (const word of words) add(whole, 0, vectors, word * DIMENSIONS, weights[word] as number);
    // Long texts have the same weight as short ones.
    const length = normalise(whole);
    if (length === 0) continue;
    add(average, 0, whole, 0, 1 / documents.length);
    for (const word of words) {
      add(sums, word * DIMENSIONS, whole, 0, 1);
      texts[word] = (texts[word] as number) + 1;
      shares[word] = (shares[word] as number) + (weights[word] as number) / length;
    }
  }
  for (let word = 0; word < weights.length; word++) {
    const at = word * DIMENSIONS;
    add(sums, at, average, 0, -(texts[word] as number));
    add(sums, at, vectors, at, -(shares[word] as number));
  }
  normaliseRows(sums);
  return sums;
}

function add(to: Float32Array, at: number, from: Float32Array, start: number, times: number) {
  for (let i = 0; i < DIMENSIONS; i++)
    to[at + i] = (to[at + i] as number) + times * (from[start + i] as number);
}

function normaliseRows(vectors: Float32Array) {
  for (let at = 0; at < vectors.length; at += DIMENSIONS)
    normalise(vectors.subarray(at, at + DIMENSIONS));
}

/** Scales a vector to length 1 and returns its previous length. */
function normalise(vector: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += (vector[i] as number) ** 2;
  const length = Math.sqrt(squares);
  if (length > 0)
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
  return length;
}

function matrix(rows: Float32Array[]): Float32Array {
  const all = new Float32Array(rows.length * DIMENSIONS);
  rows.forEach((values, i) => {
    all.set(values, i * DIMENSIONS);
  });
  return all;
}
