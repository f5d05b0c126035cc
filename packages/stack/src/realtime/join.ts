import { randomUUID } from "node:crypto";

/** A join was refused. The message is that of hosted. */
export class JoinRefused extends Error {
  override name = "JoinRefused";
}

/** Maximum number of joins of all clients in a second, as on hosted's Pro plan. */
const MAX_JOINS = 500;

/** Returns a function that counts a join, and throws `JoinRefused` if there are too many in a second. */
export function createJoinLimit(): () => void {
  let second = 0;
  let joins = 0;
  return () => {
    const now = Math.floor(Date.now() / 1000);
    joins = now === second ? joins + 1 : 1;
    second = now;
    if (joins > MAX_JOINS) {
      throw new JoinRefused("ClientJoinRateLimitReached: Too many joins per second");
    }
  };
}

/** The parameters of a join. */
export interface Join {
  /** The channel's token; null if it uses the connection's key. */
  token: string | null;
  isPrivate: boolean;
  broadcast: { ack: boolean; self: boolean };
  presence: { enabled: boolean; key: string };
  /** Requests earlier messages, unless undefined. */
  replay: unknown;
  /** Whether the client wants to be notified when broadcasts from the database arrive. */
  replicationReady: boolean;
  /** The entries of `config.postgres_changes`. */
  changes: Record<string, unknown>[];
}

/** Accepts the text "true" as well, as hosted. */
const flag = (value: unknown) => value === true || /^true$/i.test(String(value));

/** Parses the payload of a `phx_join`. As hosted, an unusable value counts as left out. */
export function readJoin(payload: unknown): Join {
  const asked = mapOf(payload);
  const config = mapOf(asked.config ?? {});
  const broadcast = mapOf(config.broadcast ?? {});
  const changes = Array.isArray(config.postgres_changes) ? config.postgres_changes : [];
  const presence = isMap(config.presence) ? config.presence : {};
  return {
    token: tokenOf(asked.user_token) ?? tokenOf(asked.access_token),
    isPrivate: flag(config.private),
    broadcast: { ack: flag(broadcast.ack), self: flag(broadcast.self) },
    presence: { enabled: flag(presence.enabled), key: String(presence.key ?? "") || randomUUID() },
    replay: broadcast.replay,
    replicationReady: (broadcast.replication_ready ?? false) !== false,
    changes: changes.filter((entry) => entry !== null).map(mapOf),
  };
}

/** Returns a token. New API keys are not JWTs: as hosted, a channel with one keeps its identity. */
export function tokenOf(value: unknown): string | null {
  return typeof value === "string" && !value.startsWith("sb_") ? value : null;
}

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function mapOf(value: unknown): Record<string, unknown> {
  if (isMap(value)) return value;
  throw new JoinRefused(`UnknownErrorOnChannel: expected a map, got: ${JSON.stringify(value)}`);
}
