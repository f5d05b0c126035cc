import { describe, expect, it } from "vitest";
import { changesBetween } from "../../supabase/functions/_shared/content/compare.ts";
import { blocksOf, rich } from "./documents.js";

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
      "a block's leaf",
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
      "things of which two have one id",
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

  it("a move, from ids to ids", () => {
    expect(changesBetween(blocksOf("ABC"), blocksOf("CAxB"))).toEqual([
      { path: "blocks.x", from: null, to: blocksOf("x").blocks[0] },
      { path: "blocks", from: [..."ABC"], to: [..."CAxB"] },
    ]);
  });
});
