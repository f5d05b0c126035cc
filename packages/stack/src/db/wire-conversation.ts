import type { PGlite } from "@electric-sql/pglite";
import { parse } from "libpg-query";
import {
  applySettings,
  changesStatements,
  discard,
  readSettings,
  restore,
  type SessionSettings,
  settingNames,
} from "./wire-settings.js";

/** One program's talk with PGlite. */
export interface Conversation {
  /** Does what a message asks for. Resolves when `reply` has got the whole answer. */
  hear(message: Uint8Array, reply: Reply): Promise<number>;
  /** Leaves nothing of the program in the session, and lets the next one in. Can be called again. */
  end(): Promise<void>;
  /** Ends, and tells the program why. */
  refuse(fatal: Fatal): Promise<void>;
}

type Reply = (bytes: Uint8Array) => void;

/** Whose session it is. */
export interface Owner {
  /** What the owner listens to. */
  channels: ReadonlySet<string>;
  /** The session may have lost the statements that it kept for its owner. */
  forget(): void;
}

export interface ServiceContext {
  /** Answers with what lets the next program in; null when there is another one inside. */
  enter(): Promise<(() => void) | null>;
  hangUp(): void;
  /** How long a program may do nothing within a transaction. */
  idleMs: number;
}

/** Ends a conversation, in Postgres' words. */
export class Fatal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
  }
}

/** The messages that a program may send once it is let in, besides its farewell. Others would kill PGlite. */
const spoken = new Set("QPBDECHSFdcf");
const USER = "postgres";
const DATABASE = "postgres";

/**
 * Runs a program's statements between those of the stack. From the first message of a transaction to
 * its end the session is the program's, under the settings that it made; in between it is the stack's.
 */
export function converse(pg: PGlite, owner: Owner, context: ServiceContext): Conversation {
  const { enter, hangUp, idleMs } = context;
  let work: Promise<unknown> = Promise.resolve();
  let say: Reply = () => {};
  let leave: (() => void) | null = null;
  let ended = false;
  let idle: NodeJS.Timeout | undefined;
  /** What the program has set, and the names of those settings that are of its own making. */
  let settings: SessionSettings = [];
  const names = new Set<string>();
  /** Whether the statements that the session keeps for its owner may be others since the program is here. */
  let changed = false;
  /** While the session is the program's. */
  let turn: { over(): void } | null = null;
  /** What the stack has set, which sets nothing more once it lets programs in. */
  let stack: SessionSettings | null = null;
  /** A `copy from stdin` and what came for it so far: PGlite cannot wait for more. */
  let copy: Uint8Array[] | null = null;

  async function begin(): Promise<SessionSettings> {
    const over = await new Promise<() => void>((taken, failed) => {
      pg._runExclusiveTransaction(() => new Promise<void>((done) => taken(done))).catch(failed);
    });
    turn = { over };
    stack ??= await readSettings(pg, []);
    return stack;
  }

  async function giveBack(): Promise<void> {
    if (!turn) return;
    const { over } = turn;
    turn = null;
    if (changed) owner.forget();
    await restore(pg, stack ?? [], owner.channels).finally(over);
  }

  async function welcome(message: Uint8Array): Promise<void> {
    const words = Buffer.from(message.subarray(8)).toString().split("\0");
    const startup = new Map<string, string>();
    for (let i = 0; words[i]; i += 2) startup.set(String(words[i]), String(words[i + 1]));
    const user = startup.get("user");
    const database = startup.get("database") ?? user;
    leave = await enter();
    if (ended) return leave?.();
    if (!leave) {
      throw new Fatal(
        "53300",
        "sorry, too many clients already",
        "The local stack's database is PGlite, which serves one client at a time: close the other one.",
      );
    }
    if (user !== USER) {
      throw new Fatal(
        "28P01",
        `password authentication failed for user "${user}"`,
        `The local stack lets "${USER}" in.`,
      );
    }
    if (database !== DATABASE) throw new Fatal("3D000", `database "${database}" does not exist`);
    const own = [...startup].filter(
      ([name]) => !/^(user|database|options|replication|_pq_.*)$/.test(name),
    );
    settings = [...(await begin()), ...own];
    for (const [name] of own) names.add(name);
    await applySettings(pg, settings);
    say((await pg.execProtocol(message)).data);
    await giveBack();
  }

  async function perform(message: Uint8Array): Promise<void> {
    clearTimeout(idle);
    const kind = String.fromCharCode(message[0] ?? 0);
    if (ended || kind === "X") return;
    if (kind === "\0" && !leave) return await welcome(message);
    if (!leave || !spoken.has(kind)) throw new Fatal("08P01", `unexpected message "${kind}"`);

    if (namesStatement(kind, message)) changed = true;
    let statement = message;
    if (copy) {
      copy.push(message);
      if (kind !== "c" && kind !== "f") return;
      statement = Buffer.concat(copy);
    } else if (kind === "Q" || kind === "P") {
      const text = Buffer.from(message).toString();
      for (const name of settingNames(text)) names.add(name);
      if (changesStatements(text)) changed = true;
      if (await readsInput(kind, text)) {
        copy = [message];
        return say(copyInResponse(/\bbinary\b/i.test(text)));
      }
    }
    if (!turn) {
      await begin();
      await applySettings(pg, settings);
    }
    const { data } = await pg.execProtocol(statement, { throwOnError: false });
    say(without(data, copy !== null, owner.channels));
    const whole = copy !== null || "QSF".includes(kind);
    copy = null;
    if (whole && !pg.isInTransaction()) {
      settings = await readSettings(pg, names);
      await giveBack();
    } else {
      idle = setTimeout(() => void conversation.refuse(tooIdle()), idleMs);
    }
  }

  async function finish(): Promise<void> {
    if (ended) return;
    ended = true;
    clearTimeout(idle);
    if (!leave) return;
    try {
      if (!turn) await begin();
      await discard(pg, changed);
    } finally {
      await giveBack().finally(leave);
    }
  }

  /** One after the other: a socket delivers the next message while one is being answered. */
  function next<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  }

  const conversation: Conversation = {
    async hear(message, reply) {
      say = reply;
      await next(() => perform(message)).catch((error: unknown) => {
        return conversation.refuse(
          error instanceof Fatal ? error : new Fatal("XX000", (error as Error).message),
        );
      });
      return message.length;
    },
    end: () => next(finish),
    async refuse(fatal) {
      if (!ended) say(errorResponse(fatal));
      await conversation.end();
      hangUp();
    },
  };
  return conversation;
}

const tooIdle = () =>
  new Fatal(
    "25P03",
    "terminating connection due to idle-in-transaction timeout",
    "On PGlite an open transaction keeps everybody else waiting.",
  );

/** Whether a message makes or drops a statement that has a name. */
function namesStatement(kind: string, message: Uint8Array): boolean {
  // Behind kind and length comes the name; in `Close` behind an S, if not the name of a portal.
  if (kind === "P") return message[5] !== 0;
  return kind === "C" && message[5] === "S".charCodeAt(0) && message[6] !== 0;
}

/** Whether a message asks for rows from the program. Throws `Fatal` where PGlite would die of it. */
async function readsInput(kind: string, text: string): Promise<boolean> {
  if (!/\bstdin\b/i.test(text)) return false;
  // The text of a query begins behind its length; that of a statement behind its name.
  const sql = kind === "Q" ? text.slice(5) : text.slice(text.indexOf("\0", 5) + 1);
  const { stmts = [] } = await parse(sql.slice(0, sql.indexOf("\0"))).catch(() => ({ stmts: [] }));
  const copies = stmts.filter(({ stmt }: { stmt: { CopyStmt?: CopyStatement } }) => {
    const copy = stmt.CopyStmt;
    return copy?.is_from && !copy.filename;
  });
  if (copies.length > 1 || (copies.length === 1 && kind === "P")) {
    throw new Fatal("0A000", "PGlite takes one `copy from stdin` at a time, as a simple query");
  }
  return copies.length === 1;
}

interface CopyStatement {
  is_from?: boolean;
  filename?: string;
}

const frame = (kind: string, body: Buffer) => {
  const head = Buffer.from(`${kind}\0\0\0\0`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Asks for rows, without saying how many columns they have, which clients need not know. */
const copyInResponse = (binary: boolean) => frame("G", Buffer.from([binary ? 1 : 0, 0, 0]));

function errorResponse({ code, message, hint }: Fatal): Uint8Array {
  const fields = { S: "FATAL", V: "FATAL", C: code, M: message, ...(hint ? { H: hint } : {}) };
  const body = Object.entries(fields).map(([kind, text]) => `${kind}${text}\0`);
  return frame("E", Buffer.from(`${body.join("")}\0`));
}

/** An answer without the request for rows that we made ourselves, and without what the stack listens to. */
function without(answer: Uint8Array, copied: boolean, channels: ReadonlySet<string>): Uint8Array {
  const bytes = Buffer.from(answer);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    const kind = String.fromCharCode(bytes[at] as number);
    // Behind kind and length comes the sender, then the channel.
    const channel = kind === "A" ? bytes.toString("utf8", at + 9, bytes.indexOf(0, at + 9)) : null;
    const ours = (kind === "G" && copied) || (channel !== null && channels.has(channel));
    if (!ours) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
