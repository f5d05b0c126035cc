import { expect } from "vitest";
import { openNewsroom, rpc, staff } from "../content/writing.js";
import { type Answer, call, must, openGuest, type Person } from "../souk.js";

// Helpers for tests of templates.

export { openNewsroom, rpc, staff };

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Row = any;

export const at = ({ id }: Row, more = "") => `/api/templates/${id}${more}`;

/** The content of a template with one section and one block. */
export function contentOf(text: string, more: object = {}): Row {
  const block = { id: "words", type: "dynamic_content", content: text };
  return { sections: [{ id: "top", name: "Top", blocks: [block] }], ...more };
}

export function make(as: Person, overrides: Row = {}): Promise<Row> {
  const body = {
    name: "A page",
    type: "homepage",
    content: contentOf("<p>Hello</p>"),
    ...overrides,
  };
  return must("POST", "/api/templates", { as, body });
}

export function save(as: Person, template: Row, changes: object): Promise<Answer> {
  const body = { version_number: template.version_number, ...changes };
  return call("PUT", at(template), { as, body });
}

export async function saved(...save_: Parameters<typeof save>): Promise<Row> {
  const answer = await save(...save_);
  expect(answer.body).toMatchObject({ id: save_[1].id });
  return answer.body;
}

export function activate(as: Person, template: Row, version: number): Promise<Answer> {
  return call("POST", at(template, `/versions/${version}/activate`), { as });
}

export function read(as: Person, template: Row, query = ""): Promise<Answer> {
  return call("GET", at(template, query), { as });
}

export function makeComponent(as: Person, overrides: object = {}): Promise<Row> {
  const body = { name: "Card", category: "content", content: "<b>{{ title }}</b>", ...overrides };
  return must("POST", "/api/templates/components", { as, body });
}

/** Content that inherits from another template. */
export const inheriting = (parent: Row, more: object = {}) => ({
  content: { inheritance: { parent_id: parent.id }, ...more },
});

/** Content that includes other templates. */
export const including = (...others: Row[]) => ({
  content: {
    sections: [
      {
        blocks: others.map(({ id }) => ({ type: "include", content: { template_id: id } })),
      },
    ],
  },
});

export async function inputs(as: Person, idOrType: string, options: object = {}): Promise<Row> {
  const answer = await rpc(as, "template_inputs", { id_or_type: idOrType, options });
  expect(answer.body).toMatchObject({ key: expect.any(String) });
  return answer.body;
}

export async function keyOf(as: Person, idOrType: string, options: object = {}): Promise<string> {
  const { body } = await rpc(as, "template_key", { id_or_type: idOrType, options });
  expect(body).toMatch(/^[0-9a-f]{64}$/);
  return body;
}

export type { Newsroom } from "../content/writing.js";
export type { Person } from "../souk.js";
export { openGuest };
