import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesBetween } from "../../supabase/functions/_shared/content/compare.ts";
import {
  type Conflict,
  merge,
  type Resolution,
} from "../../supabase/functions/_shared/content/merge.ts";
import { SEED } from "../random.js";
import { canonical, type Document, documents, parts, threes } from "./documents.js";

// The properties of merge and compare. The documents are frozen, so a merge that changed one would fail.
//
// MERGE_RUNS is the number of runs. A failure prints the smallest counterexample; SOUK_TEST_SEED repeats a run.

const settings = {
  numRuns: Number(process.env.MERGE_RUNS ?? 200),
  seed: SEED,
};

const pathsOf = (conflicts: Conflict[]) => conflicts.map(({ path }) => path).sort();

describe("any three documents", () => {
  const holds = (of: (base: Document, ours: Document, theirs: Document) => void) =>
    fc.assert(
      fc.property(threes, (three) => of(...three)),
      settings,
    );

  it("merge into the side that changed something, or into the common change", () => {
    holds((base, ours) => {
      for (const three of [
        [base, base, ours],
        [base, ours, base],
        [base, ours, ours],
      ] as const) {
        const { merged, conflicts } = merge(...three);
        expect(conflicts).toEqual([]);
        expect(canonical(merged)).toBe(canonical(ours));
      }
    });
  });

  it("have the same conflicts from both sides", () => {
    holds((base, ours, theirs) => {
      const turned = merge(base, theirs, ours).conflicts.map((conflict) => ({
        ...conflict,
        ours: conflict.theirs,
        theirs: conflict.ours,
      }));
      const sorted = (conflicts: Conflict[]) => conflicts.map(canonical).sort();
      const { conflicts } = merge(base, ours, theirs);
      expect(sorted(turned)).toEqual(sorted(conflicts));
      expect(new Set(pathsOf(conflicts)).size).toBe(conflicts.length);
    });
  });

  it("merge deterministically, and symmetrically except for additions in the same place", () => {
    holds((base, ours, theirs) => {
      const first = merge(base, ours, theirs);
      expect(JSON.stringify(merge(base, ours, theirs))).toBe(JSON.stringify(first));
      const take = (take: "ours" | "theirs") =>
        first.conflicts.map(({ path }): Resolution => ({ path, take }));
      const { merged } = merge(base, ours, theirs, take("ours"));
      const turned = merge(base, theirs, ours, take("theirs")).merged;
      expect(canonical(byId(turned))).toBe(canonical(byId(merged)));
      for (const side of [ours, theirs]) {
        const own = new Set(idsIn(side));
        const others = (document: Document) => idsIn(document).filter((id) => !own.has(id));
        expect(others(turned)).toEqual(others(merged));
        const theirOwn = (document: Document) => idsIn(document).filter((id) => own.has(id));
        expect(theirOwn(turned)).toEqual(theirOwn(merged));
      }
    });
  });

  it("lose no value that only one side changed", () => {
    holds((base, ours, theirs) => {
      const { merged, conflicts } = merge(base, ours, theirs);
      const [was, our, their, now] = [base, ours, theirs, merged].map(leavesOf);
      const open = conflicts.map(({ path }) => path);
      for (const path of new Set([...was!.keys(), ...our!.keys(), ...their!.keys()])) {
        if (open.some((at) => path === at || path.startsWith(`${at}.`))) continue;
        const [b, o, t, m] = [was, our, their, now].map((leaves) => leaves!.get(path));
        // Both sides changed it: there must be a conflict.
        const expected = o === t || t === b ? o : o === b ? t : "a conflict";
        if (m !== expected) expect([path, m]).toEqual([path, expected]);
      }
    });
  });

  it("keep every block that neither side removed, once", () => {
    holds((base, ours, theirs) => {
      const { merged, conflicts } = merge(base, ours, theirs);
      const [was, our, their, now] = [base, ours, theirs, merged].map(idsIn);
      expect(new Set(now).size).toBe(now!.length);
      const open = new Set(pathsOf(conflicts));
      for (const id of new Set([...was!, ...our!, ...their!])) {
        if (open.has(`blocks.${id.replace(".", "\\.")}`)) continue;
        const isIn = [our, their].map((side) => side!.includes(id));
        const stays = was!.includes(id) ? isIn[0] && isIn[1] : true;
        if (now!.includes(id) !== stays) expect([id, now]).toEqual([id, stays]);
      }
    });
  });

  it("keep the order of two blocks of the side that changed it", () => {
    holds((base, ours, theirs) => {
      const { merged, conflicts } = merge(base, ours, theirs);
      if (conflicts.some(({ path }) => path === "blocks")) return;
      const [was, our, their, now] = [base, ours, theirs, merged].map(idsIn);
      const common = now!.filter((id) => our!.includes(id) && their!.includes(id));
      for (const [place, first] of common.entries()) {
        for (const second of common.slice(place + 1)) {
          const before = (ids: string[]) => ids.indexOf(first) < ids.indexOf(second);
          const isOld = was!.includes(first) && was!.includes(second);
          // If the sides disagree, one of them kept the old order, and the other one decides.
          const isRight = before(our!) === before(their!) ? before(our!) : isOld && !before(was!);
          if (!isRight) expect.unreachable(`${first} is before ${second} in ${now}`);
        }
      }
    });
  });

  it("keep a block that only one side has behind the block that it followed", () => {
    holds((base, ours, theirs) => {
      const now = idsIn(merge(base, ours, theirs).merged);
      const both = new Set(idsIn(ours).filter((id) => idsIn(theirs).includes(id)));
      const behind = (ids: string[], id: string) =>
        ids.slice(0, ids.indexOf(id)).findLast((other) => both.has(other));
      for (const side of [ours, theirs].map(idsIn)) {
        for (const id of now.filter((id) => side.includes(id) && !both.has(id))) {
          expect([id, behind(now, id)]).toEqual([id, behind(side, id)]);
        }
      }
    });
  });

  it("change in ours only what theirs changed", () => {
    holds((base, ours, theirs) => {
      const { merged, conflicts } = merge(base, ours, theirs);
      if (conflicts.length > 0) return;
      const brought = changesBetween(ours, merged).map(({ path }) => path);
      const changed = changesBetween(base, theirs).map(({ path }) => path);
      for (const path of brought) {
        const isTheirs = changed.some(
          (at) => `${path}.`.startsWith(`${at}.`) || at.startsWith(`${path}.`),
        );
        expect([path, isTheirs]).toEqual([path, true]);
      }
    });
  });

  it("have no conflicts left if all are resolved", () => {
    holds((base, ours, theirs) => {
      const { conflicts } = merge(base, ours, theirs);
      for (const take of ["ours", "theirs"] as const) {
        const resolutions = conflicts.map(({ path }) => ({ path, take }));
        const outcome = merge(base, ours, theirs, resolutions);
        expect(outcome).toMatchObject({ conflicts: [], unknown: [] });
      }
    });
  });

  it("do not conflict if each side changed different parts", () => {
    const edits = fc.record({
      base: documents,
      ours: fc.tuple(parts, fc.array(fc.nat(9)), fc.array(fc.constantFrom("u", "v", "w"))),
      theirs: fc.tuple(parts, fc.array(fc.nat(9)), fc.array(fc.constantFrom("x", "y", "z"))),
      moved: fc.tuple(fc.nat(9), fc.nat(9)),
    });
    fc.assert(
      fc.property(edits, ({ base, ours: [part, at, added], theirs, moved: [from, to] }) => {
        /** Changes or removes every second block, adds blocks, and writes a field. */
        const edit = (mine: number, part: unknown, at: number[], added: string[]) => {
          const blocks = base.blocks.flatMap((block, place) => {
            if (place % 2 !== mine || !at.includes(place)) return [block];
            return part === null ? [] : [{ ...block, content: part }];
          });
          for (const id of new Set(added)) {
            blocks.splice(at[0] ?? 0, 0, { id, content: part });
          }
          return { ...base, blocks, fields: { ...base.fields, [`of ${mine}`]: part } };
        };
        const ours = edit(0, part, at, added);
        ours.blocks.splice(to, 0, ...ours.blocks.splice(from, 1));
        const changed = edit(1, ...theirs);
        const { merged, conflicts } = merge<Document>(base, ours, changed);
        expect(conflicts).toEqual([]);
        expect(merged.fields).toMatchObject({ "of 0": part, "of 1": theirs[0] });
        expect(idsIn(merged)).toEqual(expect.arrayContaining([...added, ...theirs[2]]));
      }),
      settings,
    );
  });
});

describe("any two documents", () => {
  it("have no changes only if they are equal, and the reversed changes backwards", () => {
    fc.assert(
      fc.property(threes, ([from, to]) => {
        const changes = changesBetween(from, to);
        expect(changes.length === 0).toBe(canonical(from) === canonical(to));
        expect(changesBetween(from, structuredClone(from))).toEqual([]);
        const turned = changesBetween(to, from).map(({ path, from, to }) => ({
          path,
          from: to,
          to: from,
        }));
        expect(turned.map(canonical).sort()).toEqual(changes.map(canonical).sort());
      }),
      settings,
    );
  });
});

/** The ids of a document's blocks. */
function idsIn(document: Document): string[] {
  return document.blocks.map((block) => block.id);
}

/** Whether every item of a list has its own id. */
function isOfThings(list: unknown[]): list is { id: string }[] {
  const ids = list.map((thing) => (thing as { id?: unknown } | null)?.id);
  return ids.every((id) => typeof id === "string") && new Set(ids).size === ids.length;
}

/** A document with its items sorted by id. */
function byId(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if (!Array.isArray(part)) {
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, byId(value)]));
  }
  if (!isOfThings(part)) return part;
  return part.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(byId);
}

/** The values of a document by path. Lists of items and empty objects have no value of their own. */
function leavesOf(document: unknown): Map<string, string | undefined> {
  const leaves = new Map<string, string | undefined>();
  const walk = (part: unknown, path: string[]) => {
    const isList = Array.isArray(part);
    const isText = !isList && (part as { type?: unknown } | null)?.type === "doc";
    if (typeof part !== "object" || part === null || isText || (isList && !isOfThings(part))) {
      leaves.set(path.join("."), canonical(part));
      return;
    }
    for (const [key, value] of Object.entries(part)) {
      const name = isList ? (value as { id: string }).id : key;
      walk(value, [...path, name.replace(/[\\.]/g, "\\$&")]);
    }
  };
  walk(document, []);
  return leaves;
}
