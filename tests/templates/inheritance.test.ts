import { expect, it } from "vitest";
import { joinTemplates } from "../../supabase/functions/_shared/templates/inheritance.ts";
import type {
  Block,
  Override,
  TemplateContent,
} from "../../supabase/functions/_shared/templates/template.ts";

const block = (id: string, content = id): Block => ({ id, type: "static_content", content });

const parent: TemplateContent = {
  layout: "sidebar_left",
  sections: [
    { id: "top", name: "Top", blocks: [block("hero"), block("sale")] },
    {
      id: "rest",
      blocks: [
        {
          id: "choice",
          type: "conditional",
          content: {
            expression: { variable: "product", operator: "exists" },
            // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
            then: [block("within")],
          },
        },
      ],
    },
  ],
  variables: [
    { name: "headline", type: "string", default_value: "Parent" },
    { name: "size", type: "number" },
  ],
  bindings: [{ variable: "newest", source: { type: "static", value: 1 } }],
  styles: ".a { color: red }",
};

const child = (
  overrides: Override[],
  more: Partial<TemplateContent> = {},
  extensions: TemplateContent["sections"] = [],
): TemplateContent => ({
  ...more,
  inheritance: { parent_id: "p", overrides, extensions },
});

const join = (content: TemplateContent, ...parents: TemplateContent[]) =>
  joinTemplates(parents.length > 0 ? parents : [parent], content);

const ids = (content: TemplateContent) =>
  content.sections?.map(({ id, blocks }) => [id, ...blocks.map((one) => one.id)]);

it("a template without parents stays unchanged", () => {
  const { content, warnings } = joinTemplates([], parent);
  expect(content).toEqual({ ...parent, inheritance: null });
  expect(warnings).toEqual([]);
});

it("an empty child equals its parent", () => {
  expect(join(child([])).content).toEqual({ ...parent, sidebar: undefined, inheritance: null });
});

it("replace replaces a block, and keeps its id by default", () => {
  const { id, ...without } = block("x", "new");
  const { content } = join(
    child([
      { block_id: "hero", action: "replace", content: without },
      { block_id: "sale", action: "replace", content: block("other") },
    ]),
  );
  expect(ids(content)?.[0]).toEqual(["top", "hero", "other"]);
  expect(content.sections?.[0]?.blocks[0]?.content).toBe("new");
});

it("extend merges fields, objects key by key", () => {
  const under: TemplateContent = {
    sections: [
      {
        id: "top",
        blocks: [
          {
            id: "hero",
            type: "component",
            content: { component_id: "c", props: { a: 1, b: [1, 2] } },
            settings: { class: "wide", element: "section" },
          },
        ],
      },
    ],
  };
  const { content } = join(
    child([
      {
        block_id: "hero",
        action: "extend",
        content: {
          id: "stolen",
          required: true,
          settings: { class: "narrow" },
          content: { props: { b: [3], c: JSON.parse('{"__proto__": 1}') } },
        },
      },
    ]),
    under,
  );
  expect(content.sections?.[0]?.blocks[0]).toEqual({
    id: "hero",
    type: "component",
    required: true,
    content: {
      component_id: "c",
      props: { a: 1, b: [3], c: JSON.parse('{"__proto__": 1}') },
    },
    settings: { class: "narrow", element: "section" },
  });
});

it("prepend and append insert blocks beside a block, also a nested one", () => {
  const { content } = join(
    child([
      { block_id: "hero", action: "prepend", content: block("before") },
      { block_id: "hero", action: "append", content: [block("after"), block("later")] },
      { block_id: "within", action: "append", content: block("beside") },
    ]),
  );
  expect(ids(content)?.[0]).toEqual(["top", "before", "hero", "after", "later", "sale"]);
  expect(content.sections?.[1]?.blocks[0]?.content).toMatchObject({
    // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
    then: [{ id: "within" }, { id: "beside" }],
  });
});

it("warns of an override for a missing block", () => {
  const { content, warnings } = join(
    child([{ block_id: "nobody", action: "replace", content: block("x") }]),
  );
  expect(ids(content)).toEqual(ids(parent));
  expect(warnings).toMatchObject([{ code: "BLOCK_NOT_FOUND", block: "nobody" }]);
});

it("extensions add sections, and replace inherited ones with the same id", () => {
  const { content } = join(
    child([], {}, [
      { id: "rest", blocks: [block("new")] },
      { id: "more", blocks: [] },
    ]),
  );
  expect(ids(content)).toEqual([["top", "hero", "sale"], ["rest", "new"], ["more"]]);
});

it("the child's variables, bindings and layout replace the parent's; styles are joined", () => {
  const { content } = join(
    child([], {
      layout: "full_width",
      variables: [{ name: "headline", type: "string", default_value: "Child" }],
      bindings: [{ variable: "newest", source: { type: "static", value: 2 } }],
      styles: ".b { color: blue }",
    }),
  );
  expect(content).toMatchObject({
    layout: "full_width",
    variables: [{ name: "headline", default_value: "Child" }, { name: "size" }],
    bindings: [{ variable: "newest", source: { value: 2 } }],
    styles: ".a { color: red }\n.b { color: blue }",
  });
});

it("applies parents from the farthest to the nearest", () => {
  const middle = child([{ block_id: "hero", action: "append", content: block("middle") }]);
  const { content } = join(
    child([{ block_id: "middle", action: "append", content: block("last") }]),
    middle,
    parent,
  );
  expect(ids(content)?.[0]).toEqual(["top", "hero", "middle", "last", "sale"]);
  expect(parent.sections?.[0]?.blocks).toHaveLength(2);
});
