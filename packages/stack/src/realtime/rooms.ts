import { randomBytes } from "node:crypto";
import type { Broadcast } from "./frames.js";

/** A channel as a member of its room. */
export interface Member {
  readsBroadcast(): boolean;
  readsPresence(): boolean;
  hearBroadcast(broadcast: Broadcast): void;
  hearDiff(diff: { joins: Presences; leaves: Presences }): void;
}

type Meta = Record<string, unknown> & { phx_ref: string };
export type Presences = Record<string, { metas: Meta[] }>;

interface Room {
  members: Set<Member>;
  present: Map<Member, { key: string; meta: Meta }>;
}

/** The members of each topic. */
export interface Rooms {
  enter(room: string, member: Member): void;
  leave(room: string, member: Member): void;
  /** Sends to every member of the room except `from`. */
  broadcast(room: string, broadcast: Broadcast, from?: Member): void;
  present(room: string): Presences;
  track(room: string, member: Member, key: string, facts: Record<string, unknown>): void;
  untrack(room: string, member: Member): void;
}

/** Private and public channels of the same topic are different rooms. */
export const roomOf = (topic: string, isPrivate: boolean) =>
  `${isPrivate ? "private" : "public"}:${topic}`;

export function createRooms(): Rooms {
  const rooms = new Map<string, Room>();

  function sendDiff(room: Room, joins: Presences, leaves: Presences) {
    for (const member of room.members) {
      if (member.readsPresence()) member.hearDiff({ joins, leaves });
    }
  }

  function untrack(name: string, member: Member) {
    const room = rooms.get(name);
    const gone = room?.present.get(member);
    if (!room || !gone) return;
    room.present.delete(member);
    sendDiff(room, {}, { [gone.key]: { metas: [gone.meta] } });
  }

  return {
    enter(name, member) {
      const room = rooms.get(name) ?? { members: new Set(), present: new Map() };
      room.members.add(member);
      rooms.set(name, room);
    },
    leave(name, member) {
      const room = rooms.get(name);
      if (!room?.members.delete(member)) return;
      untrack(name, member);
      if (room.members.size === 0) rooms.delete(name);
    },
    broadcast(name, broadcast, from) {
      for (const member of rooms.get(name)?.members ?? []) {
        if (member !== from && member.readsBroadcast()) member.hearBroadcast(broadcast);
      }
    },
    present(name) {
      const metas = new Map<string, Meta[]>();
      for (const { key, meta } of rooms.get(name)?.present.values() ?? []) {
        metas.set(key, [...(metas.get(key) ?? []), meta]);
      }
      return Object.fromEntries([...metas].map(([key, list]) => [key, { metas: list }]));
    },
    track(name, member, key, facts) {
      const room = rooms.get(name);
      if (!room) return;
      const before = room.present.get(member)?.meta;
      const meta: Meta = {
        ...facts,
        phx_ref: randomBytes(12).toString("base64"),
        ...(before ? { phx_ref_prev: before.phx_ref } : {}),
      };
      room.present.set(member, { key, meta });
      sendDiff(room, { [key]: { metas: [meta] } }, before ? { [key]: { metas: [before] } } : {});
    },
    untrack,
  };
}
