/** Below this length the engine looks for a text in one way only, which takes no longer than the text is long. */
const SHORT = 7;

/** Comparisons that take about a millisecond. */
const LITTLE = 1_000_000;

/**
 * Where a text holds a word, one place after the other, none of them overlapping; `most` ends the search. The engine's
 * own search compares a long word with each place anew, which takes minutes for half a million of the same letter, so
 * long words are looked for by what is known of the letters already passed (Knuth, Morris and Pratt).
 */
export function placesOf(text: string, word: string, most = Number.POSITIVE_INFINITY): number[] {
  if (word === "" || word.length > text.length) return [];
  return word.length <= SHORT || word.length * text.length <= LITTLE
    ? placesByEngine(text, word, most)
    : placesByTable(text, word, most);
}

function placesByEngine(text: string, word: string, most: number): number[] {
  const places: number[] = [];
  let at = text.indexOf(word);
  while (at !== -1 && places.length < most) {
    places.push(at);
    at = text.indexOf(word, at + word.length);
  }
  return places;
}

function placesByTable(text: string, word: string, most: number): number[] {
  const table = tableOf(word);
  const places: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length && places.length < most; at++) {
    while (matched > 0 && text.charCodeAt(at) !== word.charCodeAt(matched)) {
      matched = table[matched - 1] ?? 0;
    }
    if (text.charCodeAt(at) === word.charCodeAt(matched)) matched++;
    if (matched < word.length) continue;
    places.push(at - word.length + 1);
    matched = 0;
  }
  return places;
}

/** For each beginning of a word, how long its longest end is that the word begins with, too. */
function tableOf(word: string): Int32Array {
  const table = new Int32Array(word.length);
  let matched = 0;
  for (let at = 1; at < word.length; at++) {
    while (matched > 0 && word.charCodeAt(at) !== word.charCodeAt(matched)) {
      matched = table[matched - 1] ?? 0;
    }
    if (word.charCodeAt(at) === word.charCodeAt(matched)) matched++;
    table[at] = matched;
  }
  return table;
}
