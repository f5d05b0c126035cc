import { Node } from "prosemirror-model";
import { isDeeperThan, isObject, RICH_TEXT_LEVELS } from "../http/depth.ts";
import { ApiError, type FieldError, pathOf, wrongFields } from "../http/errors.ts";
import { NOT_KNOWN } from "../http/messages.ts";
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

/** A document of ProseMirror, as JSON. */
export type RichText = RichTextNode & { type: "doc" };

/** What an editor begins with. */
export const emptyRichText: RichText = { type: "doc", content: [{ type: "paragraph" }] };

const NODES_AT_MOST = 10_000;

const EMPTY = "must be an empty list";

type Path = readonly PropertyKey[];

/** What has been seen of a document so far. */
interface Seen {
  wrong: FieldError[];
  nodes: number;
}

/**
 * A document in its one form: attributes that nobody knows, and those that are null, are left out, and marks stand in
 * one sequence. `field` is where it stands in the body. Errors: VALIDATION_ERROR for nodes, marks and addresses that
 * are not taken, each on its path (`content.content[2].marks[0].attrs.href`), NESTING_TOO_DEEP.
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
  const doc = judgedNode(value, [field], seen);
  if (seen.wrong.length === 0 && !isDocument(doc)) blame(seen, [field, "type"], "must be doc");
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

/** Stands for what has been blamed: nobody uses what comes of a document with faults. */
const FAULTY = { type: "" };

/** A node in its one form. */
function judgedNode(value: unknown, at: Path, seen: Seen): RichTextNode {
  seen.nodes += 1;
  if (seen.nodes > NODES_AT_MOST) {
    const field = String(at[0]);
    throw wrongFields([{ field, message: `must have at most ${NODES_AT_MOST} nodes` }]);
  }
  const sent = judgedObject(value, at, seen);
  const type = sent && judgedType(sent.type, schema.nodes, [...at, "type"], seen);
  if (!type) return FAULTY;
  const attrs = judgedAttributes(type, sent.attrs, [...at, "attrs"], seen);
  const marks = judgedMarks(sent.marks, [...at, "marks"], seen);
  const node = { type, ...(attrs && { attrs }), ...(marks.length > 0 && { marks }) };
  if (type === "text") return { ...node, text: judgedText(sent.text, [...at, "text"], seen) };
  const content = judgedList(sent.content, [...at, "content"], seen).map((child, i) =>
    judgedNode(child, [...at, "content", i], seen),
  );
  return { ...node, ...(content.length > 0 && { content }) };
}

function judgedMarks(value: unknown, at: Path, seen: Seen): RichTextMark[] {
  const marks = new Map<string, RichTextMark>();
  for (const [i, one] of judgedList(value, at, seen).entries()) {
    const sent = judgedObject(one, [...at, i], seen);
    const type = sent && judgedType(sent.type, schema.marks, [...at, i, "type"], seen);
    if (!type) continue;
    if (marks.has(type)) blame(seen, [...at, i, "type"], "must not come twice");
    const attrs = judgedAttributes(type, sent.attrs, [...at, i, "attrs"], seen);
    marks.set(type, { type, ...(attrs && { attrs }) });
  }
  return MARKS.flatMap((type) => marks.get(type) ?? []);
}

function judgedType(value: unknown, known: object, at: Path, seen: Seen): string | undefined {
  if (typeof value === "string" && Object.hasOwn(known, value)) return value;
  blame(seen, at, typeof value === "string" ? NOT_KNOWN : notOf("a string", value));
}

function judgedAttributes(type: string, value: unknown, at: Path, seen: Seen) {
  const sent = hasAttributes(type) && judgedObject(value ?? {}, at, seen);
  if (!sent) return undefined;
  // An editor writes null for what is not set.
  const set = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  const { data, error } = ATTRIBUTES[type].safeParse(set);
  for (const { path, message } of error?.issues ?? []) blame(seen, [...at, ...path], message);
  return data && Object.keys(data).length > 0 ? data : undefined;
}

function judgedText(value: unknown, at: Path, seen: Seen): string {
  if (typeof value === "string" && value !== "") return value;
  blame(seen, at, value === "" ? "must have at least 1 character" : notOf("a string", value));
  return "";
}

function judgedList(value: unknown, at: Path, seen: Seen): unknown[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null) blame(seen, at, notOf("a list", value));
  return [];
}

function judgedObject(value: unknown, at: Path, seen: Seen): Record<string, unknown> | undefined {
  if (isObject(value)) return value;
  blame(seen, at, notOf("an object", value));
}

function notOf(kind: string, value: unknown): string {
  return value === undefined ? "is missing" : `must be ${kind}`;
}

function blame(seen: Seen, at: Path, message: string) {
  seen.wrong.push({ field: pathOf(at), message });
}

/** Where nodes, each right by itself, do not go together: ProseMirror tells that they do not, but not where. */
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
