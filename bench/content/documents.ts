// Long pages of random words with a natural frequency. Every run has the same pages.

const VOCABULARY = 2000;

interface Block {
  id: string;
  type: "text";
  content: { text: RichText };
  settings: object;
  permissions: object;
}

interface RichText {
  type: "doc";
  content: { type: string; content: object[] }[];
}

/** The measured part of a document: its blocks, or one rich text. */
export interface Page {
  blocks: Block[];
  content: RichText | null;
}

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Random numbers from 0 to 1 that follow from the seed. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function words(random: () => number, count: number): string {
  // A few words are frequent, as in any language.
  const word = () => `w${Math.floor(VOCABULARY * random() ** 3).toString(36)}`;
  return Array.from({ length: count }, word).join(" ");
}

function paragraph(random: () => number) {
  return {
    type: "paragraph",
    content: [
      { type: "text", text: `${words(random, 60)} ` },
      { type: "text", text: words(random, 4), marks: [{ type: "bold" }] },
      { type: "text", text: ` ${words(random, 30)}` },
    ],
  };
}

function richText(random: () => number, paragraphs: number): RichText {
  return { type: "doc", content: Array.from({ length: paragraphs }, () => paragraph(random)) };
}

/** A page with blocks of about `bytes` bytes. */
export function pageOfBlocks(bytes: number, paragraphs = 5, seed = 1): Page {
  const random = numbers(seed);
  const blocks: Block[] = [];
  for (let size = 0; size < bytes; size += bytesOf(blocks.at(-1))) {
    const content = { text: richText(random, paragraphs) };
    const id = `block-${blocks.length}`;
    blocks.push({ id, type: "text", content, settings: {}, permissions: {} });
  }
  return { blocks, content: null };
}

/** A page with one rich text of about `bytes` bytes. */
export function pageOfText(bytes: number, seed = 1): Page {
  const random = numbers(seed);
  const content = richText(random, 1);
  for (let size = 0; size < bytes; size += bytesOf(content.content.at(-1))) {
    content.content.push(paragraph(random));
  }
  return { blocks: [], content };
}

/** The same page with one other paragraph. */
export function rewritten(page: Page, random: () => number): Page {
  const changed = structuredClone(page);
  const at = Math.floor(random() * changed.blocks.length);
  const text = changed.content ?? (changed.blocks[at] as Block).content.text;
  text.content[Math.floor(random() * text.content.length)] = paragraph(random);
  return changed;
}
