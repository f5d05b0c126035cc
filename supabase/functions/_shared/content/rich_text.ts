import { Node } from "prosemirror-model";
import { ApiError, type FieldError, wrongFields } from "../http/errors.ts";
import { NOT_KNOWN } from "../http/messages.ts";
import { isDeeperThan, isObject, RICH_TEXT_LEVELS } from "../values/depth.ts";
import { pathOf } from "../values/field_path.ts";
import { ATTRIBUTES, hasAttributes, MARKS, schema } from "./rich_text_schema.ts";

export interface RichTextMark {
  type: string;
  attrs?: Record<string, unknown>;
}

export interface RichTextNode {
  type: string;
  attrs?: Record<string, unknown>;
  content?: RichTextNode[];
  marks?: RichTextMark[];
  text?: string;
}

/** A ProseMirror document as JSON. */
export type RichText = RichTextNode & { type: "doc" };

/** An empty document, as an editor starts with. */
export const emptyRichText: RichText = { type: "doc", content: [{ type: "paragraph" }] };

const NODES_AT_MOST = 10_000;

const EMPTY = "must be an empty list";

type Path = readonly PropertyKey[];

/** The state of a check. */
interface Seen {
  wrong: FieldError[];
  nodes: number;
}

/**
 * A document in canonical form: without unknown attributes and null attributes, and with marks in one order. `field` is its
 * path in the body. Errors: VALIDATION_ERROR for unknown nodes, marks and unsafe addresses, each on its path
 * (`content.content[2].marks[0].attrs.href`); NESTING_TOO_DEEP.
 */
export function checkedRichText(value: unknown, field: string): RichText {
  if (isDeeperThan(RICH_TEXT_LEVELS, value)) {
    throw new ApiError(
      "NESTING_TOO_DEEP",
      `${field} is nested more than ${RICH_TEXT_LEVELS} levels deep.`,
      [{ field }],
    );
  }
  const seen: Seen = { wrong: [], nodes: 0 };
  const doc = checkedNode(value, [field], seen);
  if (seen.wrong.length === 0 && !isDocument(doc)) report(seen, [field, "type"], "must be doc");
  if (seen.wrong.length > 0 || !isDocument(doc)) throw wrongFields(seen.wrong);
  const node = Node.fromJSON(schema, doc);
  try {
    node.check();
  } catch {
    const misplaced = misplacedIn(node, [field]);
    throw wrongFields(
      misplaced.length > 0 ? misplaced : [{ field, message: "must be a document" }],
    );
  }
  return doc;
}

function isDocument(node: RichTextNode): node is RichText {
  return node.type === "doc";
}

/** Replaces a wrong node. Nobody uses the result of a document with faults. */
const FAULTY = { type: "" };

/** A node in canonical form. */
function checkedNode(value: unknown, at: Path, seen: Seen): RichTextNode {
  seen.nodes += 1;
  if (seen.nodes > NODES_AT_MOST) {
    const field = String(at[0]);
    throw wrongFields([{ field, message: `must have at most ${NODES_AT_MOST} nodes` }]);
  }
  const sent = checkedObject(value, at, seen);
  const type = sent && knownType(sent.type, schema.nodes, [...at, "type"], seen);
  if (!type) return FAULTY;
  const attrs = checkedAttributes(type, sent.attrs, [...at, "attrs"], seen);
  const marks = checkedMarks(sent.marks, [...at, "marks"], seen);
  const node = { type, ...(attrs && { attrs }), ...(marks.length > 0 && { marks }) };
  if (type === "text") return { ...node, text: checkedText(sent.text, [...at, "text"], seen) };
  const content = checkedList(sent.content, [...at, "content"], seen).map((child, i) =>
    checkedNode(child, [...at, "content", i], seen),
  );
  return { ...node, ...(content.length > 0 && { content }) };
}

function checkedMarks(value: unknown, at: Path, seen: Seen): RichTextMark[] {
  const marks = new Map<string, RichTextMark>();
  for (const [i, one] of checkedList(value, at, seen).entries()) {
    const sent = checkedObject(one, [...at, i], seen);
    const type = sent && knownType(sent.type, schema.marks, [...at, i, "type"], seen);
    if (!type) continue;
    if (marks.has(type)) report(seen, [...at, i, "type"], "must not occur twice");
    const attrs = checkedAttributes(type, sent.attrs, [...at, i, "attrs"], seen);
    marks.set(type, { type, ...(attrs && { attrs }) });
  }
  return MARKS.flatMap((type) => marks.get(type) ?? []);
}

function knownType(value: unknown, known: object, at: Path, seen: Seen): string | undefined {
  if (typeof value === "string" && Object.hasOwn(known, value)) return value;
  report(seen, at, typeof value === "string" ? NOT_KNOWN : notOf("a string", value));
}

function checkedAttributes(type: string, value: unknown, at: Path, seen: Seen) {
  const sent = hasAttributes(type) && checkedObject(value ?? {}, at, seen);
  if (!sent) return undefined;
  // Editors write null for attributes that are not set.
  const set = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  const { data, error } = ATTRIBUTES[type].safeParse(set);
  for (const { path, message } of error?.issues ?? []) report(seen, [...at, ...path], message);
  return data && Object.keys(data).length > 0 ? data : undefined;
}

function checkedText(value: unknown, at: Path, seen: Seen): string {
  if (typeof value === "string" && value !== "") return value;
  report(seen, at, value === "" ? "must have at least 1 character" : notOf("a string", value));
  return "";
}

function checkedList(value: unknown, at: Path, seen: Seen): unknown[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) report(seen, at, notOf("a list", value));
  return [];
}

function checkedObject(value: unknown, at: Path, seen: Seen): Record<string, unknown> | undefined {
  if (isObject(value)) return value;
  report(seen, at, notOf("an object", value));
}

function notOf(kind: string, value: unknown): string {
  return value === undefined ? "is missing" : `must be ${kind}`;
}

function report(seen: Seen, at: Path, message: string) {
  seen.wrong.push({ field: pathOf(at), message });
}

/** The paths of valid nodes that may not be where they are. ProseMirror reports that there are some, but not where. */
function misplacedIn(node: Node, at: Path): FieldError[] {
  const wrong: FieldError[] = [];
  const inside = [...at, "content"];
  let match = node.type.contentMatch;
  for (const [i, child] of node.children.entries()) {
    const next = match.matchType(child.type);
    if (!next) {
      const field = node.isLeaf ? inside : [...inside, i, "type"];
      return [...wrong, { field: pathOf(field), message: node.isLeaf ? EMPTY : expected(match) }];
    }
    if (!node.type.allowsMarks(child.marks)) {
      wrong.push({ field: pathOf([...inside, i, "marks"]), message: EMPTY });
    }
    wrong.push(...misplacedIn(child, [...inside, i]));
    match = next;
  }
  if (!match.validEnd) {
    wrong.push({ field: pathOf(inside), message: "must have at least 1 entry" });
  }
  return wrong;
}

function expected(match: Node["type"]["contentMatch"]): string {
  const names = Array.from({ length: match.edgeCount }, (_, i) => match.edge(i).type.name);
  return names.length === 1 ? `must be ${names[0]}` : `must be one of ${names.join(", ")}`;
}
