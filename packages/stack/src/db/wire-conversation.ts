import type { PGlite } from "@electric-sql/pglite";
import { parse } from "libpg-query";
import { ADMIN, OWNER } from "./roles.js";
import {
  applySettings,
  discardAll,
  listenAgain,
  readSettings,
  type SessionSettings,
  settingNames,
} from "./wire-settings.js";

/** The protocol session of one client of PGlite. */
export interface Conversation {
  /** Handles a message. Resolves when `reply` has received the whole answer. */
  hear(message: Uint8Array, reply: Reply): Promise<number>;
  /** Removes everything that the client left in the session, and admits the next one. Idempotent. */
  end(): Promise<void>;
  /** Ends the session and sends the client the reason. */
  refuse(fatal: Fatal): Promise<void>;
}

type Reply = (bytes: Uint8Array) => void;

/** The stack's own use of the session. */
export interface Owner {
  /** The channels that the stack listens to. */
  channels: ReadonlySet<string>;
  /** Called when the session may have lost the stack's prepared statements. */
  forget(): void;
}

export interface ServiceContext {
  /** Admits a client: returns a function that admits the next one; null when another client is connected. */
  enter(): Promise<(() => void) | null>;
  closeSocket(): void;
  /** Maximum idle time of a client within a transaction, in ms. */
  idleMs: number;
}

/** A fatal error, in the words of Postgres, that ends the session. */
export class Fatal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
  }
}

/**
 * The message types that a client may send after it is admitted, besides Terminate. Others would
 * crash PGlite.
 */
const allowedMessages = new Set("QPBDECHSFdcf");
const DATABASE = "postgres";

/**
 * Runs a client's statements between those of the stack. From the first message of a transaction to its end, the
 * session has the client's settings; the rest of the time, the stack's.
 */
export function converse(pg: PGlite, owner: Owner, context: ServiceContext): Conversation {
  const { enter, closeSocket, idleMs } = context;
  let work: Promise<unknown> = Promise.resolve();
  let send: Reply = () => {};
  let leave: (() => void) | null = null;
  let ended = false;
  let idle: NodeJS.Timeout | undefined;
  /** The client's settings, and the names of its custom settings. */
  let settings: SessionSettings = [];
  const names = new Set<string>();
  /** Set while the client has the session. */
  let turn: { stack: SessionSettings; over(): void } | null = null;
  /** A `copy from stdin` and the messages received for it so far: PGlite cannot wait for more. */
  let copy: Uint8Array[] | null = null;

  async function begin(): Promise<SessionSettings> {
    const over = await new Promise<() => void>((taken, failed) => {
      pg._runExclusiveTransaction(() => new Promise<void>((done) => taken(done))).catch(failed);
    });
    const stack = await readSettings(pg, []);
    turn = { stack, over };
    return stack;
  }

  async function restoreStackSession(): Promise<void> {
    if (!turn) return;
    const { stack, over } = turn;
    turn = null;
    owner.forget();
    await applySettings(pg, stack)
      .then(() => listenAgain(pg, owner.channels))
      .finally(over);
  }

  async function startSession(message: Uint8Array): Promise<void> {
    const words = Buffer.from(message.subarray(8)).toString().split("\0");
    const asked = new Map<string, string>();
    for (let i = 0; words[i]; i += 2) asked.set(String(words[i]), String(words[i + 1]));
    const user = asked.get("user");
    const database = asked.get("database") ?? user;
    leave = await enter();
    if (ended) return leave?.();
    if (!leave) {
      throw new Fatal(
        "53300",
        "sorry, too many clients already",
        "The local stack's database is PGlite, which serves one client at a time: close the other client.",
      );
    }
    if (user !== OWNER && user !== ADMIN) {
      throw new Fatal(
        "28P01",
        `password authentication failed for user "${user}"`,
        `Connect as the user "${OWNER}", or as the superuser "${ADMIN}": the local stack admits no other.`,
      );
    }
    if (database !== DATABASE) throw new Fatal("3D000", `database "${database}" does not exist`);
    const own = [...asked].filter(
      ([name]) => !/^(user|database|options|replication|_pq_.*)$/.test(name),
    );
    const stack = await begin();
    settings = [...stack, ["session_authorization", user], ...own];
    for (const [name] of own) names.add(name);
    await applySettings(pg, settings);
    send((await pg.execProtocol(message)).data);
    await restoreStackSession();
  }

  async function perform(message: Uint8Array): Promise<void> {
    clearTimeout(idle);
    const kind = String.fromCharCode(message[0] ?? 0);
    if (ended || kind === "X") return;
    if (kind === "\0" && !leave) return await startSession(message);
    if (!leave || !allowedMessages.has(kind))
      throw new Fatal("08P01", `unexpected message "${kind}"`);

    let asked = message;
    if (copy) {
      copy.push(message);
      if (kind !== "c" && kind !== "f") return;
      asked = Buffer.concat(copy);
    } else if (kind === "Q" || kind === "P") {
      const text = Buffer.from(message).toString();
      for (const name of settingNames(text)) names.add(name);
      if (await readsInput(kind, text)) {
        copy = [message];
        return send(copyInResponse(/\bbinary\b/i.test(text)));
      }
    }
    if (!turn) {
      await begin();
      await applySettings(pg, settings);
    }
    const { data } = await pg.execProtocol(asked, { throwOnError: false });
    send(without(data, copy !== null, owner.channels));
    const whole = copy !== null || "QSF".includes(kind);
    copy = null;
    if (whole && !pg.isInTransaction()) {
      settings = await readSettings(pg, names);
      await restoreStackSession();
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
      await discardAll(pg);
    } finally {
      await restoreStackSession().finally(leave);
    }
  }

  /** Runs steps in sequence: a socket delivers the next message while one is being answered. */
  function next<T>(step: () => Promise<T>): Promise<T> {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  }

  const conversation: Conversation = {
    async hear(message, reply) {
      send = reply;
      await next(() => perform(message)).catch((error: unknown) => {
        return conversation.refuse(
          error instanceof Fatal ? error : new Fatal("XX000", (error as Error).message),
        );
      });
      return message.length;
    },
    end: () => next(finish),
    async refuse(fatal) {
      if (!ended) send(errorResponse(fatal));
      await conversation.end();
      closeSocket();
    },
  };
  return conversation;
}

const tooIdle = () =>
  new Fatal(
    "25P03",
    "terminating connection due to idle-in-transaction timeout",
    "On PGlite an open transaction blocks all other clients.",
  );

/**
 * Whether a message requests rows from the client. Throws `Fatal` for statements that would crash
 * PGlite.
 */
async function readsInput(kind: string, text: string): Promise<boolean> {
  if (!/\bstdin\b/i.test(text)) return false;
  // The text of a simple query starts after its length, that of a prepared statement after its
  // name.
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

/** CopyInResponse: requests rows without their number of columns, which clients do not need. */
const copyInResponse = (binary: boolean) => frame("G", Buffer.from([binary ? 1 : 0, 0, 0]));

function errorResponse({ code, message, hint }: Fatal): Uint8Array {
  const fields = { S: "FATAL", V: "FATAL", C: code, M: message, ...(hint ? { H: hint } : {}) };
  const body = Object.entries(fields).map(([kind, text]) => `${kind}${text}\0`);
  return frame("E", Buffer.from(`${body.join("")}\0`));
}

/** Removes our own CopyInResponse and the stack's notifications from an answer. */
function without(answer: Uint8Array, copied: boolean, channels: ReadonlySet<string>): Uint8Array {
  const bytes = Buffer.from(answer);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    const kind = String.fromCharCode(bytes[at] as number);
    // A notification has kind, length and sender before the channel.
    const channel = kind === "A" ? bytes.toString("utf8", at + 9, bytes.indexOf(0, at + 9)) : null;
    const ours = (kind === "G" && copied) || (channel !== null && channels.has(channel));
    if (!ours) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
