import { randomBytes } from "node:crypto";
import type { Broadcast } from "./frames.js";

/** A channel as its room knows it. */
export interface Member {
  readsBroadcast(): boolean;
  readsPresence(): boolean;
  hearBroadcast(broadcast: Broadcast): void;
  hearPresence(event: "presence_state" | "presence_diff", payload: unknown): void;
}

type Meta = Record<string, unknown> & { phx_ref: string };
type Presences = Record<string, { metas: Meta[] }>;

/** All who joined one topic. Private and public channels of the same name are two rooms. */
interface Room {
  members: Set<Member>;
  present: Map<Member, { key: string; meta: Meta }>;
}

export interface Rooms {
  enter(topic: string, isPrivate: boolean, member: Member): void;
  leave(topic: string, isPrivate: boolean, member: Member): void;
  /** Reaches everybody in the room but `from`. */
  broadcast(topic: string, isPrivate: boolean, broadcast: Broadcast, from?: Member): void;
  /** Tells one member who is present. */
  tellState(topic: string, isPrivate: boolean, member: Member): void;
  track(
    topic: string,
    isPrivate: boolean,
    member: Member,
    key: string,
    payload: Record<string, unknown>,
  ): void;
  untrack(topic: string, isPrivate: boolean, member: Member): void;
}

export function createRooms(): Rooms {
  const rooms = new Map<string, Room>();
  const nameOf = (topic: string, isPrivate: boolean) =>
    `${isPrivate ? "private" : "public"}:${topic}`;
  const roomOf = (topic: string, isPrivate: boolean) => rooms.get(nameOf(topic, isPrivate));

  function tellDiff(room: Room, joins: Presences, leaves: Presences) {
    for (const member of room.members) {
      if (member.readsPresence()) member.hearPresence("presence_diff", { joins, leaves });
    }
  }

  function untrack(topic: string, isPrivate: boolean, member: Member) {
    const room = roomOf(topic, isPrivate);
    const gone = room?.present.get(member);
    if (!room || !gone) return;
    room.present.delete(member);
    tellDiff(room, {}, { [gone.key]: { metas: [gone.meta] } });
  }

  return {
    enter(topic, isPrivate, member) {
      const name = nameOf(topic, isPrivate);
      const room = rooms.get(name) ?? { members: new Set(), present: new Map() };
      room.members.add(member);
      rooms.set(name, room);
    },
    leave(topic, isPrivate, member) {
      const room = roomOf(topic, isPrivate);
      if (!room?.members.delete(member)) return;
      untrack(topic, isPrivate, member);
      if (room.members.size === 0) rooms.delete(nameOf(topic, isPrivate));
    },
    broadcast(topic, isPrivate, broadcast, from) {
      for (const member of roomOf(topic, isPrivate)?.members ?? []) {
        if (member !== from && member.readsBroadcast()) member.hearBroadcast(broadcast);
      }
    },
    tellState(topic, isPrivate, member) {
      const state: Presences = {};
      for (const { key, meta } of roomOf(topic, isPrivate)?.present.values() ?? []) {
        const presence = state[key] ?? { metas: [] };
        presence.metas.push(meta);
        state[key] = presence;
      }
      member.hearPresence("presence_state", state);
    },
    track(topic, isPrivate, member, key, payload) {
      const room = roomOf(topic, isPrivate);
      if (!room) return;
      const before = room.present.get(member);
      const meta: Meta = {
        ...payload,
        phx_ref: randomBytes(12).toString("base64"),
        ...(before ? { phx_ref_prev: before.meta.phx_ref } : {}),
      };
      room.present.set(member, { key, meta });
      tellDiff(
        room,
        { [key]: { metas: [meta] } },
        before ? { [before.key]: { metas: [before.meta] } } : {},
      );
    },
    untrack,
  };
}
