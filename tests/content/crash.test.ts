import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query, sessionsEnd } from "../database.js";
import { freshPlace } from "../place.js";
import { call, must, openTestTenant } from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";

// A separate stack, killed with SIGKILL. Afterwards every acknowledged page has its versions, its publication and its
// events, and content that became due while the stack was down is published once.

const PAGES = 16;

async function start(place: string[]): Promise<RunningStack> {
  const stack = await startStack(place, { functions: ["api", "auth"] });
  onTestFinished(stack.stop);
  return stack;
}

it("after a crash during saves and publications, every page is complete with its events or unchanged", async () => {
  const place = await freshPlace();
  const first = await start(place);
  const { operator } = await openTestTenant(first);
  await setRateLimit(first, "admin", 1_000_000);
  const send = (method: string, path: string, body: unknown, stack: RunningStack) =>
    must(method, `/api/content/static_pages${path}`, { as: operator, body, stack });
  const approved = async (name: string) => {
    const piece = await send("POST", "", { title: { en: name } }, first);
    await send("POST", `/${piece.id}/submit`, {}, first);
    await send("POST", `/${piece.id}/approve`, {}, first);
    return piece.id as string;
  };
  const due = await approved("due");
  const at = new Date(Date.now() + 3_600_000).toISOString();
  await send("POST", `/${due}/publish`, { at }, first);

  const confirmed: string[] = [];
  const gone = once(first.process, "exit");
  const outcomes = await Promise.allSettled(
    Array.from({ length: PAGES }, async (_, i) => {
      const id = await approved(`page ${i}`);
      await send("POST", `/${id}/publish`, {}, first);
      confirmed.push(id);
      if (confirmed.length === PAGES / 4) first.process.kill("SIGKILL");
    }),
  );
  await gone;
  await sessionsEnd(first);
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);

  const second = await start(place);
  const pieces = await query<{
    id: string;
    status: string;
    versions: number;
    seen: number;
    moves: string[];
    events: string[];
  }>(
    `select c.id, c.status,
       (select count(*)::integer from private.content_versions v where v.content_id = c.id) as versions,
       (select count(*)::integer from private.published_texts t where t.content_id = c.id) as seen,
       array(select m.move from public.content_moves m where m.content_id = c.id order by m.created_at) as moves,
       array(
         select e.name from public.events e
         where e.name like 'content.%' and e.payload #>> '{data,content,id}' = c.id::text
         order by e.created_at, e.id
       ) as events
     from public.content c where c.tenant_id = $1`,
    [operator.tenantId],
    second,
  );
  const WAY = ["draft", "in_review", "approved", "published"];
  for (const { id, status, ...kept } of pieces) {
    const steps = id === due ? 2 : WAY.indexOf(status);
    const moves = ["submit", "approve", "publish"].slice(0, steps);
    const events = moves.map(() => "content.status_changed");
    expect({ status, ...kept }).toEqual({
      status,
      versions: 1,
      seen: status === "published" ? 1 : 0,
      moves: id === due ? [...moves, "schedule"] : moves,
      events: [
        "content.created",
        ...events,
        ...(status === "published" ? ["content.published"] : []),
      ],
    });
  }
  const published = pieces.filter(({ status }) => status === "published").map(({ id }) => id);
  expect(published).toEqual(expect.arrayContaining(confirmed));

  // The schedule became due while the stack was down.
  await query("update public.content set scheduled_at = now() where id = $1", [due], second);
  await Promise.all([1, 2, 3].map(() => runJob("run-content-schedule", second)));
  const answer = await call("GET", `/api/content/static_pages/${due}`, {
    as: operator,
    stack: second,
  });
  expect(answer.body).toMatchObject({ status: "published", scheduled_at: null });
  const { moves } = await must("GET", `/api/content/static_pages/${due}/moves`, {
    as: operator,
    stack: second,
  });
  expect(moves.filter(({ move }: { move: string }) => move === "publish")).toHaveLength(1);
}, 240_000);
