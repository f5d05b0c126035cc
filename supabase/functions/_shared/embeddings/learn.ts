import { DIMENSIONS } from "./provider.ts";

/** A word with its vector: the direction is what it means, the length how much it says. Whole numbers. */
export interface Word {
  word: string;
  vector: Int16Array;
}

/** How many words of a catalog are learnt: those that most products have. */
export const MOST_WORDS = 8_000;

/** A vector of the length 1 is written in whole numbers up to this. */
const SCALE = 1000;
const WORD_MARKS = 12;
const PART_MARKS = 4;
/** The share of a word's starting point that comes from its parts, which makes `sofas` near to `sofa`. */
const SHARE_OF_PARTS = 0.3;
/** The shares of a word's vector: from the word itself, from the words beside it, and from the words beside those. */
const SHARES = [0.35, 0.7, 0.7] as const;

/**
 * Learns from texts, each a list of its words, what words mean: those that stand beside the same others are close
 * to each other, even if they never meet. It is random indexing: every word begins as a few marks at places
 * that its letters decide, and takes up the marks of the words beside it; doing so twice relates words by the
 * company of their company. What all of them have in common is taken away. The same texts
 * always teach the same.
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
  /** For each text the numbers of its words, each once: a word that comes twice teaches nothing more. */
  documents: Int32Array[];
  /** What each word says: the less the more texts have it. */
  weights: Float32Array;
}

function counted(texts: string[][]): Counted {
  const frequencies = new Map<string, number>();
  const sets = texts.map((text) => new Set(text));
  for (const set of sets)
    for (const word of set) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const known = [...frequencies]
    // A number that a single product has names it, and means nothing.
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

/** Where a word begins, before anything is learnt. */
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

/** Adds ones and minus ones at places that the text decides. */
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

/** The end of murmur3: every bit of what goes in changes half of what comes out. */
function scramble(number: number): number {
  let state = number >>> 0;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** Each word's company: the sum of what stands beside it, over all texts, less what stands beside any word. */
function contexts(
  vectors: Float32Array,
  documents: Int32Array[],
  weights: Float32Array,
): Float32Array {
  const sums = new Float32Array(vectors.length);
  const average = new Float32Array(DIMENSIONS);
  const whole = new Float32Array(DIMENSIONS);
  /** In how many texts each word is, and its own share of them: no word stands beside itself. */
  const texts = new Float32Array(weights.length);
  const shares = new Float32Array(weights.length);
  for (const words of documents) {
    whole.fill(0);
    for (const word of words) add(whole, 0, vectors, word * DIMENSIONS, weights[word] as number);
    // Long texts say no more than short ones.
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

/** Makes a vector one long, and answers how long it was. */
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
