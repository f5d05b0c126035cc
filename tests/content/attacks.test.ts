import { beforeAll, describe, expect, it } from "vitest";
import { parseUrl } from "../../supabase/functions/_shared/values/urls.ts";
import { query } from "../database.js";
import { call, expectRefusal, must, type Person } from "../souk.js";
import { doc, linked, node, paragraph, text } from "./rich_texts.js";
import { faultsIn, wordsIn } from "./safe_html.js";
import {
  at,
  freeSlug,
  type Newsroom,
  openNewsroom,
  type Piece,
  published,
  read,
  rpc,
  seen,
  translate,
  write,
} from "./writing.js";
import { ADDRESSES, DOCUMENTS, TEXTS } from "./xss.js";

let room: Newsroom;
beforeAll(async () => {
  room = await openNewsroom();
});

/** The texts that Postgres can store: without NUL and lone surrogates. */
const KEPT = TEXTS.filter((words) => !words.includes("\0") && !/\p{Cs}/u.test(words));

const documentOf = (words: string) =>
  doc(
    paragraph(text(words), text(words, { type: "bold" }, { type: "code" })),
    node("heading", { level: 2 }, text(words)),
    node("codeBlock", { language: "html" }, text(words)),
    node("image", { src: "/a.png", alt: words, title: words }),
  );

const textBlocks = () =>
  KEPT.map((words, i) => ({ id: `text-${i}`, type: "text", content: { text: documentOf(words) } }));

const otherBlocks = () =>
  KEPT.slice(0, 95).flatMap((words, i) => [
    { id: `banner-${i}`, type: "banner", content: { title: words, text: words } },
    {
      id: `words-${i}`,
      type: "testimonials",
      content: { items: [{ author: words, text: words }] },
    },
  ]);

/** A page with the texts in every place that takes text. */
const page = (blocks: object[]) => ({
  title: { en: KEPT[0], de: KEPT[1] },
  slug: freeSlug(),
  content: doc(...KEPT.map((words) => paragraph(text(words, { type: "italic" })))),
  seo: {
    title: KEPT[2],
    description: KEPT[3],
    keywords: KEPT.slice(0, 50),
    og_tags: { "og:title": KEPT[4] },
  },
  blocks,
  localizations: {
    de: { content: doc(...KEPT.map((words) => node("blockquote", null, paragraph(text(words))))) },
  },
});

/** The parts of a record that are HTML with format=html. */
const htmlIn = ({ content, blocks }: Piece): string[] => [
  content ?? "",
  ...blocks.flatMap((block: Piece) => (block.type === "text" ? [block.content.text ?? ""] : [])),
];

/** The two interfaces. */
const WAYS = {
  HTTP: (as: Person, piece: Piece, version_number: number, changes: object) =>
    call("PUT", at(piece), { as, body: { version_number, ...changes } }),
  "the database": (as: Person, piece: Piece, version_number: number, changes: object) =>
    rpc(as, "save_content", { type: piece.type, id: piece.id, version_number, changes }),
};

describe.each(Object.entries(WAYS))("an XSS vector sent by %s", (way, send) => {
  it("stays text in every place of a document", async () => {
    const piece = await write(room.operator);
    for (const [i, blocks] of [textBlocks(), otherBlocks()].entries()) {
      const answer = await send(room.operator, piece, i + 1, page(blocks));
      expect(JSON.stringify(answer.body.error ?? "").slice(0, 500)).toBe('""');
      for (const language of ["", "&language=de"]) {
        const htmls = htmlIn(await seen(room.operator, piece, `?format=html${language}`));
        expect(htmls).toHaveLength(i === 0 ? KEPT.length + 1 : 1);
        expect(htmls.flatMap(faultsIn)).toEqual([]);
        expect(htmls.map(wordsIn).every((words) => words.length > 0)).toBe(true);
      }
    }
  });

  it("is refused as the address of a link, an image or a banner, and as a document", async () => {
    const pieces = await Promise.all(Array.from({ length: 8 }, () => write(room.operator)));
    // rich-text.test.ts and links have every vector for the edge functions. Here a sample proves that they are called.
    const isTried = (_: unknown, i: number) => i % (way === "HTTP" ? 6 : 4) === 0;
    const sent = [
      ...ADDRESSES.filter(isTried).flatMap((address) => [
        { content: linked({ href: address }) },
        { content: doc(node("image", { src: address })) },
        { blocks: [{ id: "a", type: "banner", content: { href: address } }] },
      ]),
      ...DOCUMENTS.filter(isTried).map((document) => ({ content: document })),
    ];
    const taken: object[] = [];
    await Promise.all(
      pieces.map(async (piece) => {
        let version = 1;
        for (let changes = sent.pop(); changes; changes = sent.pop()) {
          const answer = await send(room.operator, piece, version, changes);
          expect([changes, answer.status < 500]).toEqual([changes, true]);
          if (answer.status >= 300) continue;
          version = answer.body.version_number;
          taken.push(changes);
        }
      }),
    );
    // An accepted address leads to the destination that it shows, or is not followed.
    for (const changes of taken as Piece[]) {
      const [href] = changes.blocks?.map((block: Piece) => block.content.href) ?? [];
      if (href && parseUrl(href, "https://shop.example/"))
        expect([href, faultsIn(anchor(href))]).toEqual([href, []]);
    }
    const texts = taken.flatMap(({ content }: Piece) => (content ? [content] : []));
    expect(await drawn(pieces[0], texts)).toEqual(texts.map(() => []));
  });
});

const anchor = (href: string) =>
  `<a href="${href.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">x</a>`;

/** The faults in the HTML of documents that are written straight into the table, past every check. */
async function drawn(piece: Piece, documents: unknown[]): Promise<string[][]> {
  const blocks = documents.map((text, i) => ({
    id: `b${i}`,
    type: "text",
    content: { text },
    settings: {},
    permissions: {},
  }));
  await query(
    `update private.content_branches set document = document || jsonb_build_object('blocks', $2::jsonb)
     where content_id = $1 and name = 'main'`,
    [piece.id, JSON.stringify(blocks).replaceAll(/\\u(0000|d[89a-f]..)/g, "")],
  );
  const answer = await seen(room.operator, piece, "?format=html");
  return answer.blocks.map((block: Piece) => faultsIn(block.content.text ?? ""));
}

it("HTML is safe even for a document that was never checked", async () => {
  const documents = [
    ...DOCUMENTS,
    ...ADDRESSES.flatMap((address) => [
      linked({ href: address }),
      doc(node("image", { src: address })),
    ]),
    "<script>alert(1)</script>",
    5,
    ["<script>"],
    { type: "paragraph" },
  ];
  expect(await drawn(await write(room.operator), documents)).toEqual(documents.map(() => []));
});

it("the database takes no unsafe address", async () => {
  const taken = await query<{ href: string }>(
    "select a as href from unnest($1::text[]) as a where private.is_safe_link(a)",
    [ADDRESSES.filter((address) => !address.includes("\0") && !/\p{Cs}/u.test(address))],
  );
  for (const { href } of taken) {
    if (parseUrl(href, "https://shop.example/"))
      expect([href, faultsIn(anchor(href))]).toEqual([href, []]);
  }
});

describe("another tenant", () => {
  it("cannot see, save or move another tenant's content", async () => {
    const neighbour = await openNewsroom();
    const { operator } = neighbour;
    const piece = await published(room.operator, await write(room.operator));
    await translate(room.operator, piece, "de", { title: "x" });
    const body = { version_number: 1, layout: "x" };
    for (const [method, path, sent] of [
      ["GET", "", undefined],
      ["PUT", "", body],
      ["DELETE", "", undefined],
      ["POST", "/submit", {}],
      ["POST", "/publish", {}],
      ["POST", "/unpublish", {}],
      ["POST", "/archive", {}],
      ["DELETE", "/schedule", undefined],
      ["GET", "/moves", undefined],
      ["GET", "/versions", undefined],
      ["GET", "/versions/1", undefined],
      ["GET", "/compare?from=1&to=1", undefined],
      ["POST", "/rollback", { version_number: 1 }],
      ["GET", "/branches", undefined],
      ["POST", "/branches", { name: "mine" }],
      ["POST", "/merge", { from: "main", into: "main" }],
      ["GET", "/localizations/de", undefined],
      ["PUT", "/localizations/de", { version_number: 1, title: "y" }],
      ["PATCH", "/localizations/de/status", { status: "draft" }],
      ["POST", "/preview", {}],
      ["DELETE", "/preview", undefined],
    ] as const) {
      const answer = await call(method, at(piece, path), { as: operator, body: sent });
      expectRefusal(answer, 404, "NOT_FOUND");
    }
    expect(await seen(room.operator, piece)).toMatchObject({ status: "published", layout: null });
    const mine = { title: { en: "x" }, marketplace_id: room.marketplace.id };
    expect(
      (await call("POST", "/api/content/static_pages", { as: operator, body: mine })).status,
    ).toBe(422);
    // A link to another tenant's content is removed.
    const linking = await write(operator, {
      content: linked({ ref: { type: "static_pages", id: piece.id } }),
    });
    const { content } = await seen(operator, linking, "?format=html");
    expect(content).toBe("<p>here</p>");
    const { token } = await must("POST", at(linking, "/preview"), { as: operator, body: {} });
    const looked = await call("GET", at(linking, `?preview=${token}&format=html`));
    expect(looked.body.content).toBe("<p>here</p>");
  });
});

it("content with the deepest nesting that the database accepts can be read", async () => {
  const piece = await write(room.operator);
  const deep = JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`);
  const changes = {
    blocks: [{ id: "a", type: "banner", content: {}, settings: { deep } }],
    seo: { schema_markup: { deep } },
  };
  const direct = await rpc(room.operator, "save_content", {
    type: piece.type,
    id: piece.id,
    version_number: 1,
    changes,
  });
  expect(direct.status).toBeLessThan(500);
  for (const query of ["", "?format=html", "?resolve=true", "?language=de"]) {
    expect((await read(room.operator, piece, query)).status).toBe(200);
  }
});
