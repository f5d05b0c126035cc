import { randomUUID } from "node:crypto";

/** Why a channel was not joined, in hosted's words. */
export class JoinRefused extends Error {
  override name = "JoinRefused";
}

/** What a client asks for when it joins a topic. */
export interface Join {
  /** The token it brings; null where the connection's key is its identity. */
  token: string | null;
  isPrivate: boolean;
  broadcast: { ack: boolean; self: boolean };
  presence: { enabled: boolean; key: string };
  /** Asked, unless undefined, to hear what was said before. */
  replay: unknown;
  /** Asked to be told when broadcasts from the database arrive. */
  replicationReady: boolean;
  /** The entries of `config.postgres_changes`. */
  changes: Record<string, unknown>[];
}

/** As hosted, which reads the word, too. */
const flag = (value: unknown) => value === true || /^true$/i.test(String(value));

/** Reads the payload of a `phx_join`: as hosted, a value it cannot use counts as left out. */
export function readJoin(payload: unknown): Join {
  const join = mapOf(payload);
  const config = mapOf(join.config ?? {});
  const broadcast = mapOf(config.broadcast ?? {});
  const changes = Array.isArray(config.postgres_changes) ? config.postgres_changes : [];
  const presence = isMap(config.presence) ? config.presence : {};
  return {
    token: tokenOf(join.user_token) ?? tokenOf(join.access_token),
    isPrivate: flag(config.private),
    broadcast: { ack: flag(broadcast.ack), self: flag(broadcast.self) },
    presence: { enabled: flag(presence.enabled), key: String(presence.key ?? "") || randomUUID() },
    replay: broadcast.replay,
    replicationReady: (broadcast.replication_ready ?? false) !== false,
    changes: changes.filter((entry) => entry !== null).map(mapOf),
  };
}

/** The new API keys are no JWTs: as hosted, a channel that brings one keeps the identity it has. */
export function tokenOf(value: unknown): string | null {
  return typeof value === "string" && !value.startsWith("sb_") ? value : null;
}

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function mapOf(value: unknown): Record<string, unknown> {
  if (isMap(value)) return value;
  throw new JoinRefused(`UnknownErrorOnChannel: expected a map, got: ${JSON.stringify(value)}`);
}
