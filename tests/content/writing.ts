import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { query } from "../database.js";
import {
  type Answer,
  type Bazaar,
  call,
  must,
  openBazaar,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import type { StackAddress } from "../stack.js";
import { doc, paragraph, text } from "./rich_texts.js";

// Writing, judging and reading content, as several tests do.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Piece = any;

/** A bazaar in which somebody has each role in content, and no other. */
export interface Newsroom extends Bazaar {
  editor: Person;
  reviewer: Person;
  publisher: Person;
  chief: Person;
}

/** Somebody of a tenant with these roles in content; a client otherwise, since clients may ask most often in a minute. */
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
  const bazaar = await openBazaar();
  const [editor, reviewer, publisher, chief] = await Promise.all(
    ["editor", "reviewer", "publisher", "admin"].map((role) => staff(bazaar.tenantId, [role])),
  );
  return { ...bazaar, editor, reviewer, publisher, chief } as Newsroom;
}

/** A slug that nobody has. */
export const freeSlug = () => `page-${randomUUID()}`.slice(0, 25);

export const words = (one: string) => doc(paragraph(text(one)));

export const at = (piece: Piece, more = "") =>
  `/api/content/${piece.type ?? "static_pages"}/${piece.id}${more}`;

/** Begins a static page, unless wished otherwise. */
export function write(as: Person, { type = "static_pages", ...wish }: Piece = {}): Promise<Piece> {
  const body = { title: { en: "A page" }, slug: freeSlug(), ...wish };
  return must("POST", `/api/content/${type}`, { as, body });
}

/** Saves changes on top of a piece as it was read; `version_number` among them says otherwise. */
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

/** Takes a draft to its readers, by the moves in between. */
export async function published(as: Person, piece: Piece, body: object = {}): Promise<Piece> {
  await moved(as, piece, "submit");
  await moved(as, piece, "approve");
  return moved(as, piece, "publish", body);
}

/** A page that readers see. */
export async function publish(as: Person, wish: object = {}): Promise<Piece> {
  return published(as, await write(as, wish));
}

export function read(as: Person | undefined, piece: Piece, query = ""): Promise<Answer> {
  return call("GET", at(piece, query), { as });
}

export async function seen(...read_: Parameters<typeof read>): Promise<Piece> {
  const answer = await read(...read_);
  expect(answer.body).toMatchObject({ id: read_[1].id });
  return answer.body;
}

/** The names of a piece's moves, the newest first. */
export async function movesOf(as: Person, piece: Piece): Promise<string[]> {
  const { moves } = await must("GET", at(piece, "/moves"), { as });
  return moves.map(({ move }: { move: string }) => move);
}

/** Takes a translation as far as wished. */
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

/** The same as supabase-js does it, past the functions. */
export async function rpc(as: Person, name: string, args: object): Promise<Answer> {
  const { data, error, status } = await supabaseAs(as).rpc(name, args);
  // In the form in which the functions tell what is refused.
  const told = error && { code: error.message, details: parsed(error.details) };
  return { status, headers: new Headers(), body: error ? { error: told } : data };
}

function parsed(details: string | null): unknown {
  try {
    return JSON.parse(details ?? "null");
  } catch {
    return details;
  }
}

/** The events that the database has told of a piece, in their sequence. */
export function eventsOf(piece: Piece, stack?: StackAddress): Promise<Piece[]> {
  return query(
    `select e.name, e.payload from public.events e
     where e.name like 'content.%' and e.payload #>> '{data,content,id}' = $1 order by e.created_at, e.id`,
    [piece.id],
    stack,
  );
}

/** Lets the time come for which a piece is scheduled. */
export function timeComes(piece: Piece): Promise<unknown> {
  return query(
    `update public.content
     set scheduled_at = scheduled_at - interval '30 days', unpublish_at = unpublish_at - interval '30 days'
     where id = $1`,
    [piece.id],
  );
}
