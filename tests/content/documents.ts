import fc from "fast-check";

// Generated documents: small, with few names, so that two of them often have the same keys.

export interface Block {
  id: string;
  [key: string]: unknown;
}

export interface Document {
  blocks: Block[];
  fields: Record<string, unknown>;
  [key: string]: unknown;
}

/** A rich text of one paragraph. */
export function rich(text: string) {
  return { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text }] }] };
}

/** A document of blocks with these ids, each a letter: "ABC". */
export function blocksOf(ids: string): Document {
  return { blocks: [...ids].map((id) => ({ id, content: { title: id } })), fields: {} };
}

/** The ids of a document's blocks. */
export function idsOf(document: Document): string {
  return document.blocks.map((block) => block.id).join("");
}

/** JSON with sorted keys: equal for equal values. */
export function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** The same value, deeply frozen. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).map(frozen);
  return value;
}

const scalar = fc.constantFrom<unknown>(null, true, 0, 1, "", "red", "blue");
const key = fc.constantFrom("a", "b", "a.b", "a\\", "__proto__", "constructor", "toString");
const id = fc.constantFrom("A", "B", "C", "D", "E", "F", "G", "constructor", "__proto__", "x.y");

/** An object from entries, because a key may be "__proto__". */
const keyed = (part: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(key, part), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));

const thing = (part: fc.Arbitrary<unknown>) =>
  fc.tuple(id, keyed(part)).map(([id, rest]): Block => ({ ...rest, id }));

/** Any value of a field or block, also lists with duplicate ids. */
export const parts: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.constantFrom("one", "two").map(rich),
    fc.array(scalar, { maxLength: 2 }),
    keyed(tie("part")),
    fc.array(thing(tie("part")), { maxLength: 3 }),
    fc.uniqueArray(thing(tie("part")), { selector: (thing) => thing.id, maxLength: 5 }),
  ),
})).part;

/** Any document. */
export const documents: fc.Arbitrary<Document> = fc.record({
  blocks: fc.uniqueArray(thing(parts), { selector: (block) => block.id, maxLength: 8 }),
  fields: keyed(parts),
  seo: fc.oneof(keyed(scalar), fc.constant(null)),
  content: fc.constantFrom(null, rich("one"), rich("two")),
});

type Edit = (document: Document) => Document;

const at = fc.nat(9);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(key, parts).map(([key, part]) => (document: Document) => ({
    ...document,
    fields: Object.fromEntries([...Object.entries(document.fields), [key, part]]),
  })),
  fc.tuple(at, fc.constantFrom("a", "b"), parts).map(([at, key, part]) => (document: Document) => ({
    ...document,
    blocks: document.blocks.map((block, place) =>
      place === at ? { ...block, [key]: part } : block,
    ),
  })),
  at.map((at) => (document: Document) => ({
    ...document,
    blocks: document.blocks.filter((_, place) => place !== at),
  })),
  fc.tuple(at, at).map(([from, to]) => (document: Document) => {
    const moved = document.blocks[from];
    return moved ? inserted(without(document, moved.id), to, moved) : document;
  }),
  fc.tuple(at, thing(parts)).map(
    ([at, block]) =>
      (document: Document) =>
        inserted(without(document, block.id), at, block),
  ),
);

function without(document: Document, id: string): Document {
  return { ...document, blocks: document.blocks.filter((block) => block.id !== id) };
}

function inserted(document: Document, at: number, block: Block): Document {
  return { ...document, blocks: document.blocks.toSpliced(at, 0, block) };
}

const edits = fc.array(edit, { maxLength: 5 });

/** A base and two sides: the base with a few edits each, or unrelated documents. */
export const threes: fc.Arbitrary<[base: Document, ours: Document, theirs: Document]> = fc
  .oneof(
    fc.tuple(documents, documents, documents),
    fc
      .tuple(documents, edits, edits)
      .map(([base, our, their]): [Document, Document, Document] => [
        base,
        our.reduce((document, edit) => edit(document), base),
        their.reduce((document, edit) => edit(document), base),
      ]),
  )
  .map((three) => frozen(three) as [Document, Document, Document]);
