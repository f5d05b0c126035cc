/** Up to this length, the search of the JavaScript engine takes linear time. */
const SHORT = 7;

/** Number of comparisons that take about a millisecond. */
const LITTLE = 1_000_000;

/**
 * The offsets of a word in a text, without overlaps, at most `most`. The search of the JavaScript engine takes quadratic time
 * for long words, which is minutes for half a million equal letters. So long words are searched by Knuth, Morris and Pratt.
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

/** The failure table: for each prefix of a word, the length of its longest proper suffix that is also a prefix. */
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
