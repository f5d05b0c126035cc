import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { query } from "../database.js";
import {
  type Answer,
  call,
  must,
  openTestTenant,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import type { StackAddress } from "../stack.js";
import { doc, paragraph, text } from "./rich_texts.js";

// Writing, reviewing and reading content, for several tests.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Piece = any;

/** A tenant with one member for each content role. */
export interface Newsroom extends TestTenant {
  editor: Person;
  reviewer: Person;
  publisher: Person;
  chief: Person;
}

/** A member with these content roles. The tenant role is client, which has a high rate limit. */
export async function staff(
  tenantId: string,
  content_roles: string[],
  stack?: StackAddress,
): Promise<Person> {
  const person = await register({ tenant_id: tenantId }, stack);
  await supabaseAsService(stack)
    .from("members")
    .update({ content_roles, role: "client" })
    .eq("user_id", person.id)
    .throwOnError();
  return person;
}

export async function openNewsroom(): Promise<Newsroom> {
  const testTenant = await openTestTenant();
  const [editor, reviewer, publisher, chief] = await Promise.all(
    ["editor", "reviewer", "publisher", "admin"].map((role) => staff(testTenant.tenantId, [role])),
  );
  return { ...testTenant, editor, reviewer, publisher, chief } as Newsroom;
}

/**
 * Runs `work` for each item, at most `atOnce` at the same time: enough to save time, but few enough to avoid lock
 * timeouts.
 */
export async function together<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  atOnce = 6,
): Promise<void> {
  const waiting = [...items.entries()];
  const turn = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, turn));
}

/** A new slug. */
export const freeSlug = () => `page-${randomUUID()}`.slice(0, 25);

export const words = (one: string) => doc(paragraph(text(one)));

export const at = (piece: Piece, more = "") =>
  `/api/content/${piece.type ?? "static_pages"}/${piece.id}${more}`;

/** Creates a draft, a static page by default. */
export function write(
  as: Person,
  { type = "static_pages", ...fields }: Piece = {},
): Promise<Piece> {
  const body = { title: { en: "A page" }, slug: freeSlug(), ...fields };
  return must("POST", `/api/content/${type}`, { as, body });
}

/** Saves changes on top of the version of `piece`, or of `version_number` in the changes. */
export function save(as: Person, piece: Piece, changes: object, query = ""): Promise<Answer> {
  const body = { version_number: piece.version_number, ...changes };
  return call("PUT", at(piece, query), { as, body });
}

export async function saved(...save_: Parameters<typeof save>): Promise<Piece> {
  const answer = await save(...save_);
  expect(answer.body).toMatchObject({ id: save_[1].id });
  return answer.body;
}

export function move(as: Person, piece: Piece, name: string, body: object = {}): Promise<Answer> {
  return call("POST", at(piece, `/${name}`), { as, body });
}

export async function moved(...move_: Parameters<typeof move>): Promise<Piece> {
  const answer = await move(...move_);
  expect(answer.body).toMatchObject({ id: move_[1].id });
  return answer.body;
}

/** Publishes a draft, with all moves in between. */
export async function published(as: Person, piece: Piece, body: object = {}): Promise<Piece> {
  await moved(as, piece, "submit");
  await moved(as, piece, "approve");
  return moved(as, piece, "publish", body);
}

/** A published page. */
export async function publish(as: Person, fields: object = {}): Promise<Piece> {
  return published(as, await write(as, fields));
}

export function read(as: Person | undefined, piece: Piece, query = ""): Promise<Answer> {
  return call("GET", at(piece, query), { as });
}

export async function seen(...read_: Parameters<typeof read>): Promise<Piece> {
  const answer = await read(...read_);
  expect(answer.body).toMatchObject({ id: read_[1].id });
  return answer.body;
}

/** The moves of a piece of content, newest first. */
export async function movesOf(as: Person, piece: Piece): Promise<string[]> {
  const { moves } = await must("GET", at(piece, "/moves"), { as });
  return moves.map(({ move }: { move: string }) => move);
}

/** Saves a translation and moves it to a status. */
export async function translate(
  as: Person,
  piece: Piece,
  language: string,
  texts: object,
  status = "published",
): Promise<Piece> {
  const { version_number } = await seen(as, piece);
  const translation = await must("PUT", at(piece, `/localizations/${language}`), {
    as,
    body: { version_number, ...texts },
  });
  const states = ["draft", "in_progress", "review", "approved", "published"];
  const steps = states.slice(states.indexOf(translation.status) + 1, states.indexOf(status) + 1);
  for (const step of steps) {
    const answer = await moveTranslation(as, piece, language, step);
    expect(answer.body).toMatchObject({ language, status: step });
  }
  return translation;
}

export function moveTranslation(as: Person, piece: Piece, language: string, status: string) {
  return call("PATCH", at(piece, `/localizations/${language}/status`), { as, body: { status } });
}

/** Calls a database function with supabase-js, without the edge functions. */
export async function rpc(as: Person, name: string, args: object): Promise<Answer> {
  const { data, error, status } = await supabaseAs(as).rpc(name, args);
  // In the form of the HTTP errors.
  const refusal = error && { code: error.message, details: parsed(error.details) };
  return { status, headers: new Headers(), body: error ? { error: refusal } : data };
}

function parsed(details: string | null): unknown {
  try {
    return JSON.parse(details ?? "null");
  } catch {
    return details;
  }
}

/** The events of a piece of content, in order. */
export function eventsOf(piece: Piece, stack?: StackAddress): Promise<Piece[]> {
  return query(
    `select e.name, e.payload from public.events e
     where e.name like 'content.%' and e.payload #>> '{data,content,id}' = $1 order by e.created_at, e.id`,
    [piece.id],
    stack,
  );
}

/** Moves the schedule of a piece of content into the past. */
export function timeComes(piece: Piece): Promise<unknown> {
  return query(
    `update public.content
     set scheduled_at = scheduled_at - interval '30 days', unpublish_at = unpublish_at - interval '30 days'
     where id = $1`,
    [piece.id],
  );
}
