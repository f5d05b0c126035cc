import { describe, expect, it } from "vitest";
import { changesBetween } from "../../supabase/functions/_shared/content/compare.ts";
import {
  type Conflict,
  merge,
  type Resolution,
} from "../../supabase/functions/_shared/content/merge.ts";
import { blocksOf, canonical, type Document, idsOf, rich } from "./documents.js";

// The rules of merge and compare, one by one. Their properties are in merge_any.test.ts.

it("a merge that would compare too many items is refused, and the refusal says what to do", () => {
  const lists = (of: (ids: number[]) => number[]) =>
    Object.fromEntries(
      Array.from({ length: 5 }, (_, n) => [
        `list${n}`,
        of(Array.from({ length: 1000 }, (_, i) => i)).map((i) => ({ id: `${i}` })),
      ]),
    );
  const base = lists((ids) => ids);
  const ours = lists(([first, ...others]) => [...others, first as number]);
  const theirs = lists((ids) => ids.toReversed());
  expect(() => merge(base, ours, theirs)).toThrowError(
    expect.objectContaining({
      code: "LIMIT_REACHED",
      status: 422,
      message: expect.stringMatching(/list4.* same order .* try again/),
      beside: { cap: "merged_pairs", maximum: 2_000_000 },
    }),
  );
  // A list that only one side has sorted needs no pairs.
  expect(merge(base, base, theirs)).toMatchObject({ merged: theirs, conflicts: [] });
});

describe("parts", () => {
  const [one, two, three] = [rich("one"), rich("two"), rich("three")];
  const list = (...ids: string[]) => ids.map((id) => ({ id }));

  it.each<[rule: string, base: unknown, ours: unknown, theirs: unknown, merged: unknown]>([
    ["keys are merged one by one", { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    [
      "at any depth",
      { a: { b: { c: 1 } } },
      { a: { b: {} } },
      { a: { b: { c: 1, d: 2 } } },
      { a: { b: { d: 2 } } },
    ],
    ["the same change is no conflict", { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    ["the same removal is no conflict", { a: 1 }, {}, {}, {}],
    ["a key that one side removed is gone", { a: 1 }, {}, { a: 1, b: 1 }, { b: 1 }],
    ["null is not absent", { a: 1 }, { a: null }, { a: 1 }, { a: null }],
    ["undefined is", { a: 1 }, { a: undefined }, { a: 1 }, {}],
    ["both may add to nothing", {}, { a: { b: 1 } }, { a: { c: 1 } }, { a: { b: 1, c: 1 } }],
    ["and to null", { a: null }, { a: { b: 1 } }, { a: { c: 1 } }, { a: { b: 1, c: 1 } }],
    ["rich text that one side wrote", { a: one }, { a: two }, { a: one }, { a: two }],
    [
      "an object with the type of a rich text but without its content",
      { a: { type: "doc", b: 1, c: 1 } },
      { a: { type: "doc", b: 2, c: 1 } },
      { a: { type: "doc", b: 1, c: 2 } },
      { a: { type: "doc", b: 2, c: 2 } },
    ],
    ["a list that one side wrote", { a: [1, 2] }, { a: [1, 2] }, { a: [2] }, { a: [2] }],
    [
      "items by their id, in any list",
      { a: list("x") },
      { a: list("x", "y") },
      { a: list("z", "x") },
      { a: list("z", "x", "y") },
    ],
    ["an object that became a list", { a: { b: 1 } }, { a: [1] }, { a: { b: 1 } }, { a: [1] }],
    [
      "two lists that were null",
      { a: null },
      { a: list("x") },
      { a: list("y") },
      { a: list("x", "y") },
    ],
  ])("%s", (_, base, ours, theirs, merged) => {
    expect(merge(base, ours, theirs)).toStrictEqual({ merged, conflicts: [], unknown: [] });
    expect(merge(base, theirs, ours).conflicts).toEqual([]);
  });

  it.each<[rule: string, base: unknown, ours: unknown, theirs: unknown, conflict: Conflict]>([
    [
      "a leaf",
      { fields: { color: 1 } },
      { fields: { color: 2 } },
      { fields: { color: 3 } },
      { path: "fields.color", base: 1, ours: 2, theirs: 3 },
    ],
    [
      "a value that both added",
      {},
      { seo: { title: "a" } },
      { seo: { title: "b" } },
      { path: "seo.title", base: null, ours: "a", theirs: "b" },
    ],
    [
      "removed here, changed there",
      { a: { b: 1 } },
      {},
      { a: { b: 2 } },
      { path: "a", base: { b: 1 }, ours: null, theirs: { b: 2 } },
    ],
    [
      "rich text that both wrote",
      { a: one },
      { a: two },
      { a: three },
      { path: "a", base: one, ours: two, theirs: three },
    ],
    [
      "rich text is not merged with an object",
      { a: one },
      { a: { type: "doc" } },
      { a: two },
      { path: "a", base: one, ours: { type: "doc" }, theirs: two },
    ],
    [
      "a list that both wrote",
      { a: [1] },
      { a: [1, 2] },
      { a: [0, 1] },
      { path: "a", base: [1], ours: [1, 2], theirs: [0, 1] },
    ],
    [
      "items with a repeated id are a plain list",
      { a: list("x", "x") },
      { a: list("x") },
      { a: list("y") },
      { path: "a", base: list("x", "x"), ours: list("x"), theirs: list("y") },
    ],
    [
      "items without an id are a plain list",
      { a: [] },
      { a: [{ id: 1 }] },
      { a: list("y") },
      { path: "a", base: [], ours: [{ id: 1 }], theirs: list("y") },
    ],
    [
      "a dot in a key",
      { "a.b": 1 },
      { "a.b": 2 },
      { "a.b": 3 },
      { path: "a\\.b", base: 1, ours: 2, theirs: 3 },
    ],
    ["values that are not documents", 1, 2, 3, { path: "", base: 1, ours: 2, theirs: 3 }],
  ])("conflict: %s", (_, base, ours, theirs, conflict) => {
    expect(merge(base, ours, theirs)).toMatchObject({ merged: ours, conflicts: [conflict] });
  });

  it("treats inherited names as ordinary keys", () => {
    const sent = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": {"b": 1}}}');
    const { merged, conflicts } = merge({}, sent, JSON.parse('{"__proto__": {"c": 1}}'));
    expect(conflicts).toEqual([]);
    expect(canonical(merged)).toBe(
      '{"__proto__":{"a":1,"c":1},"constructor":{"prototype":{"b":1}}}',
    );
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
    expect(merge<unknown>({}, {}, { toString: 1 }).merged).toStrictEqual({ toString: 1 });
  });
});

describe("items of a list", () => {
  it.each<[rule: string, base: string, ours: string, theirs: string, merged: string]>([
    ["one side adds", "ABC", "AxBC", "ABC", "AxBC"],
    ["both add, in different places", "ABC", "AxBC", "ABCy", "AxBCy"],
    ["both add in one place: ours first", "AB", "AxyB", "AzB", "AxyzB"],
    ["both add at the head", "A", "xA", "yA", "xyA"],
    ["both add to nothing", "", "xy", "z", "xyz"],
    ["both add the same", "AB", "AxB", "AxBy", "AxBy"],
    ["both remove different items", "ABCD", "ACD", "ABC", "AC"],
    ["one adds after an item that the other removes", "ABC", "ABxC", "AC", "AxC"],
    ["one side moves", "ABCD", "DABC", "ABCD", "DABC"],
    ["both move the same way", "ABCD", "DABC", "DABC", "DABC"],
    ["both move different items", "ABCD", "BACD", "ABDC", "BADC"],
    ["both move items past each other", "ABC", "BCA", "CAB", "CBA"],
    ["both move one thing the same way: as far as either", "ABCD", "BACD", "BCDA", "BCDA"],
    [
      "one moves, one adds: an added item stays after the one that it followed",
      "ABC",
      "BCA",
      "AxBC",
      "BCAx",
    ],
    ["one moves, one removes another", "ABC", "CAB", "AC", "CA"],
    ["one moves an item that the other removes", "ABC", "CAB", "AB", "AB"],
    ["one reverses the order, one adds", "ABC", "CBA", "ABxCy", "CyBxA"],
  ])("%s", (_, base, ours, theirs, merged) => {
    const { conflicts, ...outcome } = merge(blocksOf(base), blocksOf(ours), blocksOf(theirs));
    expect(conflicts).toEqual([]);
    expect(idsOf(outcome.merged)).toBe(merged);
  });

  it.each<[rule: string, base: string, ours: string, theirs: string]>([
    ["both move one item differently", "ABC", "BAC", "ACB"],
    ["both move one item, to different ends", "ABCDE", "CABDE", "ABDEC"],
    ["both add one item in different places", "AB", "xAB", "ABx"],
  ])("conflict: %s", (_, base, ours, theirs) => {
    const three = [base, ours, theirs].map(blocksOf) as [Document, Document, Document];
    const outcome = merge(...three);
    expect(idsOf(outcome.merged)).toBe(ours);
    expect(outcome.conflicts).toEqual([
      { path: "blocks", base: [...base], ours: [...ours], theirs: [...theirs] },
    ]);
    expect(idsOf(merge(...three, [{ path: "blocks", take: "theirs" }]).merged)).toBe(theirs);
  });

  const edited = (document: Document, id: string, title: string): Document => ({
    ...document,
    blocks: document.blocks.map((block) =>
      block.id === id ? { ...block, content: { title } } : block,
    ),
  });

  it("merges a move with a change of the moved block", () => {
    const { merged, conflicts } = merge(
      blocksOf("ABC"),
      blocksOf("CAB"),
      edited(blocksOf("ABC"), "C", "new"),
    );
    expect(conflicts).toEqual([]);
    expect(merged).toEqual(edited(blocksOf("CAB"), "C", "new"));
  });

  it("merges two edits of one block key by key, and reports the value that both changed", () => {
    const base = { blocks: [{ id: "A", content: { title: "a", text: "a" }, settings: {} }] };
    const ours = { blocks: [{ id: "A", content: { title: "b", text: "a" }, settings: { x: 1 } }] };
    const theirs = { blocks: [{ id: "A", content: { title: "c", text: "c" }, settings: {} }] };
    const { merged, conflicts } = merge<unknown>(base, ours, theirs);
    expect(conflicts).toEqual([
      { path: "blocks.A.content.title", base: "a", ours: "b", theirs: "c" },
    ]);
    expect(merged).toEqual({
      blocks: [{ id: "A", content: { title: "b", text: "c" }, settings: { x: 1 } }],
    });
  });

  it("reports a block that one side removed and the other changed, and takes either", () => {
    const base = blocksOf("ABC");
    const removed = blocksOf("AC");
    const changed = edited(blocksOf("BAC"), "B", "new");
    const [, B] = base.blocks;
    const conflict = { path: "blocks.B", base: B, ours: null, theirs: changed.blocks[0] };
    expect(merge(base, removed, changed).conflicts).toEqual([conflict]);
    const decide = (resolution: Resolution) => merge(base, removed, changed, [resolution]);
    expect(decide({ path: "blocks.B", take: "theirs" })).toStrictEqual({
      merged: changed,
      conflicts: [],
      unknown: [],
    });
    expect(decide({ path: "blocks.B", take: "ours" }).merged).toEqual(removed);
    expect(decide({ path: "blocks.B", value: null }).merged).toEqual(removed);
    const value = { id: "B", content: { title: "of both" } };
    expect(decide({ path: "blocks.B", value }).merged.blocks).toContainEqual(value);
  });

  it("does not compare every pair of a very long list", () => {
    const ids = Array.from({ length: 5_000 }, (_, number) => ({ id: `${number}` }));
    const moved = [...ids.slice(1), ids[0]!];
    const merged = [merge(ids, moved, ids), merge(ids, ids, moved)];
    const { conflicts } = merge(ids, moved, ids.toReversed());
    const isMoved = { merged: moved, conflicts: [], unknown: [] };
    expect(JSON.stringify(merged)).toBe(JSON.stringify([isMoved, isMoved]));
    expect(conflicts.map(({ path }) => path)).toEqual([""]);
  });
});

describe("resolutions", () => {
  const base = { a: 1, b: { c: 1 }, d: 1 };
  const ours = { a: 2, b: { c: 2 }, d: 1 };
  const theirs = { a: 3, b: { c: 3 }, d: 2 };

  it("resolve the conflict with the same path, and leave the others", () => {
    expect(merge(base, ours, theirs, [{ path: "a", take: "theirs" }])).toStrictEqual({
      merged: { a: 3, b: { c: 2 }, d: 2 },
      conflicts: [{ path: "b.c", base: 1, ours: 2, theirs: 3 }],
      unknown: [],
    });
    const all: Resolution[] = [
      { path: "a", value: null },
      { path: "b.c", value: { any: 1 } },
    ];
    expect(merge<unknown>(base, ours, theirs, all)).toStrictEqual({
      merged: { a: null, b: { c: { any: 1 } }, d: 2 },
      conflicts: [],
      unknown: [],
    });
  });

  it("are reported as unknown if their path has no conflict", () => {
    const paths = ["b", "d", "b.c.x", "constructor", ""];
    const { unknown, conflicts } = merge(
      base,
      ours,
      theirs,
      paths.map((path) => ({ path, take: "theirs" })),
    );
    expect(unknown).toEqual(paths);
    expect(conflicts.map(({ path }) => path)).toEqual(["a", "b.c"]);
  });

  it("put items in any order, by their ids", () => {
    const three = [blocksOf("ABC"), blocksOf("BACx"), blocksOf("ACyB")] as const;
    const put = (value: unknown) => merge(...three, [{ path: "blocks", value }]);
    expect(idsOf(put(["C", "y", "x", "B", "A"]).merged)).toBe("CyxBA");
    expect(put(["C", "B", "A"]).conflicts).toEqual([]);
    // Items that are not named stay after the item that they followed. Unknown ids are ignored.
    expect(idsOf(put(["C", "B", "gone", "B", "A"]).merged)).toBe("CxyBA");
    expect(put("CBA")).toMatchObject({ conflicts: [{ path: "blocks" }], unknown: ["blocks"] });
  });
});

it("merges documents of 1 MB in less than 200 ms of CPU time", () => {
  const text = (at: number, by: string) => ({
    type: "doc",
    content: Array.from({ length: 12 }, (_, line) => ({
      type: "paragraph",
      content: [{ type: "text", text: `${by} ${at} ${line} ${"words ".repeat(22)}` }],
    })),
  });
  const written = (by: (at: number) => string): Document => ({
    blocks: Array.from({ length: 400 }, (_, at) => ({
      id: `block ${at}`,
      type: "text",
      content: { text: text(at, by(at)) },
      settings: { width: at },
    })),
    fields: {},
  });
  const base = written(() => "base");
  const ours = written((at) => (at % 3 === 0 ? "ours" : "base"));
  const theirs = written((at) => (at % 3 === 0 ? "base" : "theirs"));
  const each = written(() => "each");
  ours.blocks.push(...ours.blocks.splice(10, 50));
  theirs.blocks.unshift(...theirs.blocks.splice(300, 50));
  expect(JSON.stringify(base).length).toBeGreaterThan(900_000);
  const median = (work: () => void) => {
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      work();
      return process.cpuUsage(start).user / 1000;
    });
    return times.sort((one, other) => one - other)[2]!;
  };
  expect(merge(base, ours, theirs).conflicts).toEqual([]);
  expect(median(() => merge(base, ours, theirs))).toBeLessThan(200);
  expect(median(() => merge(base, ours, each))).toBeLessThan(200);
  expect(median(() => changesBetween(ours, theirs))).toBeLessThan(200);
});

describe("changes between two versions", () => {
  const [one, two] = [rich("one"), rich("two")];

  it.each<[rule: string, from: unknown, to: unknown, changes: unknown[]]>([
    ["nothing", { a: [one] }, { a: [one] }, []],
    ["leaves", { a: { b: 1, c: 1 } }, { a: { b: 2, c: 1 } }, [["a.b", 1, 2]]],
    ["what came", {}, { a: { b: 1 } }, [["a", null, { b: 1 }]]],
    ["what went", { a: { b: 1 } }, {}, [["a", { b: 1 }, null]]],
    ["rich text whole", { a: one }, { a: two }, [["a", one, two]]],
    ["lists whole", { a: [1, 2] }, { a: [2] }, [["a", [1, 2], [2]]]],
    ["another kind", { a: { b: 1 } }, { a: [1] }, [["a", { b: 1 }, [1]]]],
    [
      "a value of a block",
      { blocks: [{ id: "A", content: { title: "a" } }] },
      { blocks: [{ id: "A", content: { title: "b" } }] },
      [["blocks.A.content.title", "a", "b"]],
    ],
    [
      "a block more",
      { blocks: [{ id: "A" }] },
      { blocks: [{ id: "B" }, { id: "A" }] },
      [["blocks.B", null, { id: "B" }]],
    ],
    [
      "a block less",
      { blocks: [{ id: "A" }, { id: "B" }] },
      { blocks: [{ id: "B" }] },
      [["blocks.A", { id: "A" }, null]],
    ],
    [
      "items with a repeated id",
      { a: [{ id: "A" }, { id: "A" }] },
      { a: [{ id: "A" }] },
      [["a", [{ id: "A" }, { id: "A" }], [{ id: "A" }]]],
    ],
  ])("%s", (_, from, to, changes) => {
    const expected = changes.map((change) => {
      const [path, from, to] = change as unknown[];
      return { path, from, to };
    });
    expect(changesBetween(from, to)).toEqual(expected);
  });

  it("a move is one change, from ids to ids", () => {
    expect(changesBetween(blocksOf("ABC"), blocksOf("CAxB"))).toEqual([
      { path: "blocks.x", from: null, to: blocksOf("x").blocks[0] },
      { path: "blocks", from: [..."ABC"], to: [..."CAxB"] },
    ]);
  });
});
