import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  type Person,
  register,
  registerClient,
} from "../souk.js";
import {
  at,
  move,
  moved,
  movesOf,
  moveTranslation,
  type Newsroom,
  openNewsroom,
  type Piece,
  publish,
  rpc,
  saved,
  seen,
  staff,
  translate,
  write,
} from "./writing.js";

let room: Newsroom;
let people: Record<string, Person>;
beforeAll(async () => {
  room = await openNewsroom();
  const { editor, reviewer, publisher, chief, operator, customer, supplier } = room;
  const [rival, client] = await Promise.all([
    register({ tenant_id: room.tenantId, role: "supplier" }),
    registerClient(room.tenantId),
  ]);
  people = { editor, reviewer, publisher, chief, operator, customer, client, supplier, rival };
});

/** The role of each move. Admins and the content role admin make every move. */
const MOVES: Record<string, { from: string; to: string; role: string }> = {
  submit: { from: "draft", to: "in_review", role: "editor" },
  reject: { from: "in_review", to: "draft", role: "reviewer" },
  approve: { from: "in_review", to: "approved", role: "reviewer" },
  publish: { from: "approved", to: "published", role: "publisher" },
  unpublish: { from: "published", to: "draft", role: "publisher" },
  archive: { from: "published", to: "archived", role: "publisher" },
  restore: { from: "archived", to: "draft", role: "publisher" },
};

/** A sequence with every move. */
const WAY = [
  ...["submit", "reject", "submit", "approve", "publish", "unpublish"],
  ...["submit", "approve", "publish", "archive", "restore"],
];

const tenant = ["operator", "chief"];

describe.each([
  ["a page", [] as string[], ["editor", "reviewer", "publisher"]],
  [
    "content about a supplier's product",
    ["supplier"],
    ["editor", "reviewer", "publisher", "supplier"],
  ],
])("%s", (_, owners, lookers) => {
  const mine = async () =>
    owners.length > 0
      ? { type: "products", subject_id: (await listProduct(room.supplier)).id }
      : {};

  it("makes each move for its role, and for no other", async () => {
    const piece = await write(room.editor, await mine());
    const tried = new Set<string>();
    for (const name of WAY) {
      const { role, from, to } = MOVES[name] as (typeof MOVES)[string];
      const may = [...tenant, role, ...(role === "editor" ? owners : [])];
      const isFirst = !tried.has(name);
      tried.add(name);
      const others = isFirst ? Object.keys(people).filter((person) => !may.includes(person)) : [];
      const refused = await Promise.all(
        others.map(async (other) => [
          other,
          (await move(people[other] as Person, piece, name)).status,
        ]),
      );
      expect({ name, refused }).toEqual({
        name,
        refused: others.map((other) => [other, lookers.includes(other) ? 403 : 404]),
      });
      expect(await seen(room.editor, piece)).toMatchObject({ status: from });
      expect(await moved(people[role] as Person, piece, name)).toMatchObject({ status: to });
    }
    expect(await movesOf(room.editor, piece)).toEqual(WAY.toReversed());
    for (const mover of [...tenant, "rpc"]) {
      for (const name of WAY) {
        const args = { type: piece.type, id: piece.id, move: name };
        const answer =
          mover === "rpc"
            ? await rpc(room.operator, "move_content", args)
            : await move(people[mover] as Person, piece, name);
        expect(answer.body).toMatchObject({ status: MOVES[name]?.to });
      }
    }
    // The supplier of a product can submit, and nothing else.
    if (owners.length > 0) await moved(room.supplier, piece, "submit");
  });
});

it("no other move is possible", async () => {
  const piece = await write(room.editor);
  for (const [way, status] of [
    [[], "draft"],
    [["submit"], "in_review"],
    [["approve"], "approved"],
    [["publish"], "published"],
    [["archive"], "archived"],
  ] as const) {
    for (const step of way) await moved(room.operator, piece, step);
    const wrong = Object.keys(MOVES).filter((name) => MOVES[name]?.from !== status);
    for (const name of wrong) {
      expectRefusal(await move(room.operator, piece, name), 422, "INVALID_TRANSITION", {
        field: "move",
      });
    }
    const args = { type: piece.type, id: piece.id };
    for (const name of ["edit", "delete", "schedule", "", ...wrong]) {
      const answer = await rpc(room.operator, "move_content", { ...args, move: name });
      expectRefusal(answer, 422, "INVALID_TRANSITION");
    }
    expect((await move(room.operator, piece, "edit")).status).toBe(404);
    expect(await seen(room.editor, piece)).toMatchObject({ status });
  }
});

it("each move is recorded with actor, time and comment", async () => {
  const { editor, reviewer } = room;
  const piece = await write(editor);
  await moved(editor, piece, "submit", { comment: "Please" });
  await moved(reviewer, piece, "reject", { comment: "<b>No</b>" });
  const page = await must("GET", at(piece, "/moves?limit=1"), { as: editor });
  expect(page).toMatchObject({
    total: 2,
    page: 1,
    limit: 1,
    moves: [
      {
        move: "reject",
        from_status: "in_review",
        to_status: "draft",
        actor_id: reviewer.id,
        comment: "<b>No</b>",
        version_number: 1,
        content_id: piece.id,
      },
    ],
  });
  const long = await move(editor, piece, "submit", { comment: "x".repeat(2001) });
  expectRefusal(long, 422, "VALIDATION_ERROR", { field: "comment" });
  const args = { type: piece.type, id: piece.id, move: "submit", comment: "x".repeat(2001) };
  expectRefusal(await rpc(editor, "move_content", args), 422, "LIMIT_REACHED", {
    field: "comment",
  });
});

it("of concurrent requests for the same move, one makes it", async () => {
  const piece = await write(room.editor);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => move(room.operator, piece, "submit")),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422]);
  expect(await movesOf(room.editor, piece)).toEqual(["submit"]);
});

describe("with four_eyes", () => {
  it("nobody approves their own content, not even admins", async () => {
    const { tenantId, operator, editor, chief } = await fourEyed();
    const both = await staff(tenantId, ["editor", "reviewer"]);
    for (const [author, judge] of [
      [both, chief],
      [chief, operator],
      [operator, both],
    ] as const) {
      const piece = await write(author);
      await moved(author, piece, "submit");
      expectRefusal(await move(author, piece, "approve"), 403, "FORBIDDEN");
      await moved(judge, piece, "approve");
    }
    // Everybody who saved a version since the last publication is an author.
    const piece = await write(editor);
    await saved(both, piece, { layout: "a" });
    await saved(editor, await seen(editor, piece), { layout: "b" });
    await moved(editor, piece, "submit");
    expectRefusal(await move(both, piece, "approve"), 403, "FORBIDDEN");
    await moved(operator, piece, "approve");
    await moved(operator, piece, "publish");
    await saved(editor, await seen(editor, piece), { layout: "c" });
    await moved(editor, piece, "submit");
    await moved(both, piece, "approve");
    // The last publication counts even after it has ended.
    await moved(operator, piece, "publish");
    await moved(operator, piece, "unpublish");
    await moved(editor, piece, "submit");
    await moved(both, piece, "approve");
  });

  it("nobody approves their own translation", async () => {
    const { editor, chief, operator } = await fourEyed();
    const piece = await write(editor, { title: { en: "A", fr: "B" } });
    await translate(chief, piece, "de", { title: "Eine" }, "review");
    expectRefusal(await moveTranslation(chief, piece, "de", "approved"), 403, "FORBIDDEN");
    expect((await moveTranslation(operator, piece, "de", "approved")).status).toBe(200);
    expect((await moveTranslation(chief, piece, "de", "published")).status).toBe(200);
    // The author of the original may approve a translation of somebody else.
    await saved(operator, await seen(operator, piece), { layout: "a" });
    await translate(chief, piece, "de", { title: "Zwei" }, "review");
    expect((await moveTranslation(operator, piece, "de", "approved")).status).toBe(200);
  });

  it("no step approves automatically", async () => {
    const { operator, editor } = await fourEyed();
    await workflow(operator, [{ ...step("approve"), auto_transition: true }]);
    const piece = await write(editor);
    expect(await moved(editor, piece, "submit")).toMatchObject({ status: "in_review" });
  });

  async function fourEyed() {
    const four = await openNewsroom();
    await must("PATCH", "/api/tenant", {
      as: four.operator,
      body: { settings: { content: { four_eyes: true } } },
    });
    return four;
  }
});

const step = (action: string, assignee_role = "reviewer") => ({
  id: action,
  name: action,
  assignee_role,
  required_actions: [action],
});

const workflow = (as: Person, steps: object[], key = "static_pages") =>
  must("PUT", `/api/content-types/${key}/workflow`, { as, body: { steps } });

describe("a workflow", () => {
  it("says which role makes a move", async () => {
    const { operator, editor, reviewer, publisher, chief } = room;
    const type = `memo_${room.tenantId.slice(0, 4)}`;
    await must("POST", "/api/content-types", { as: operator, body: { key: type, name: "Memo" } });
    const steps = [
      { ...step("approve", "publisher"), required_actions: ["approve", "reject"] },
      step("publish", "editor"),
    ];
    expect(await workflow(chief, steps, type)).toEqual({ steps });
    expect(await must("GET", `/api/content-types/${type}/workflow`, { as: editor })).toEqual({
      steps,
    });
    const piece = await write(editor, { type });
    await moved(editor, piece, "submit");
    expectRefusal(await move(reviewer, piece, "approve"), 403, "FORBIDDEN");
    expectRefusal(await move(reviewer, piece, "reject"), 403, "FORBIDDEN");
    await moved(publisher, piece, "approve");
    expectRefusal(await move(publisher, piece, "publish"), 403, "FORBIDDEN");
    await moved(editor, piece, "publish");
    // A move that no step names keeps its role.
    expectRefusal(await move(editor, piece, "archive"), 403, "FORBIDDEN");
    await moved(publisher, piece, "archive");
  });

  it("makes automatic steps, without an actor", async () => {
    const { operator, editor, customer } = room;
    for (const [name, actions, ends] of [
      ["judged", ["approve"], "approved"],
      ["trusted", ["approve", "publish"], "published"],
      ["quick", ["publish"], "in_review"],
    ] as const) {
      await must("POST", "/api/content-types", { as: operator, body: { key: name, name } });
      await workflow(
        operator,
        actions.map((one) => ({ ...step(one), auto_transition: true })),
        name,
      );
      const piece = await write(editor, { type: name });
      expect(await moved(editor, piece, "submit")).toMatchObject({ status: ends });
      const { moves } = await must("GET", at(piece, "/moves"), { as: editor });
      const made = moves.filter(({ actor_id }: Piece) => actor_id === null);
      expect(made.map((one: Piece) => one.move).toReversed()).toEqual(
        ends === "in_review" ? [] : actions,
      );
      if (ends === "published") await seen(customer, piece);
      if (ends === "in_review") {
        expect(await moved(operator, piece, "approve")).toMatchObject({ status: "published" });
      }
    }
  });

  it("with automatic publication cancels an earlier schedule", async () => {
    const { operator, editor } = room;
    const name = "hasty";
    await must("POST", "/api/content-types", { as: operator, body: { key: name, name } });
    const piece = await write(editor, { type: name });
    await moved(editor, piece, "submit");
    await moved(operator, piece, "approve");
    const later = new Date(Date.now() + 86_400_000).toISOString();
    await moved(operator, piece, "publish", { at: later });
    await saved(editor, piece, { layout: "newer" });
    await workflow(operator, [{ ...step("publish"), auto_transition: true }], name);
    await moved(editor, piece, "submit");
    expect(await moved(operator, piece, "approve")).toMatchObject({
      status: "published",
      layout: "newer",
      scheduled_at: null,
      scheduled_version_number: null,
    });
  });

  it("with a fault is refused, with the path", async () => {
    const { operator, editor, customer, reviewer } = room;
    for (const [steps, field] of [
      [[{ ...step("approve"), id: "a b" }], "steps[0].id"],
      [[{ ...step("approve"), assignee_role: "king" }], "steps[0].assignee_role"],
      [[{ ...step("approve"), required_actions: [] }], "steps[0].required_actions"],
      [[{ ...step("approve"), required_actions: ["edit"] }], "steps[0].required_actions"],
      [[{ ...step("submit"), auto_transition: true }], "steps[0].auto_transition"],
      [[{ ...step("approve"), name: "" }], "steps[0].name"],
      [[step("approve"), step("approve")], "steps"],
      [[step("approve"), { ...step("approve"), id: "other" }], "steps"],
      [Array.from({ length: 21 }, (_, i) => ({ ...step("submit"), id: `s${i}` })), "steps"],
    ] as const) {
      const put = await call("PUT", "/api/content-types/static_pages/workflow", {
        as: operator,
        body: { steps },
      });
      expectRefusal(put, 422, "VALIDATION_ERROR");
      expect(put.body.error.details.field).toContain(field);
      const changes = { workflow: steps };
      const direct = await rpc(operator, "update_content_type", { key: "static_pages", changes });
      expectRefusal(direct, 422, "VALIDATION_ERROR", { field });
    }
    for (const person of [editor, reviewer, customer]) {
      const answer = await call("PUT", "/api/content-types/static_pages/workflow", {
        as: person,
        body: { steps: [] },
      });
      expectRefusal(answer, 403, "FORBIDDEN");
    }
  });
});

it("submit is refused while a required field is missing", async () => {
  const { operator, editor } = room;
  const fields = [{ name: "minutes", type: "number", required: true }];
  await must("POST", "/api/content-types", {
    as: operator,
    body: { key: "needy", name: "Needy", fields },
  });
  const piece = await write(editor, { type: "needy" });
  expectRefusal(await move(editor, piece, "submit"), 422, "VALIDATION_ERROR", {
    field: "fields.minutes",
  });
  await saved(editor, piece, { fields: { minutes: 5 } });
  await moved(editor, piece, "submit");
});

it("readers do not see archived content", async () => {
  const piece = await publish(room.operator);
  await moved(room.publisher, piece, "archive");
  expect((await call("GET", at(piece), { as: room.customer })).status).toBe(404);
});
