import { LARGEST_PAYLOAD_BYTES, type Received } from "./frames.js";
import { isMap } from "./join.js";
import type { Member, Rooms } from "./rooms.js";

/** As hosted: a client may change its presence so often, then its channel is closed. */
const MOST_CALLS = 5;
const WINDOW_MS = 30_000;

interface Rights {
  mayTrack(): Promise<boolean>;
  /** Ends the channel, and tells the client why. */
  shutDown(reason: string): void;
}

/** A channel's own presence: answers its `presence` messages. */
export function createPresence(
  rooms: Rooms,
  room: string,
  member: Member,
  key: string,
  { mayTrack, shutDown }: Rights,
) {
  let calls = 0;
  let windowEnds = 0;
  let tracked: string | null = null;

  return {
    async receive(
      { payload, bytes }: Received,
      reply: (status: "ok" | "error", response: unknown) => void,
    ): Promise<void> {
      if (!isMap(payload) || payload.event === undefined) return reply("ok", {});
      if (Date.now() > windowEnds) {
        windowEnds = Date.now() + WINDOW_MS;
        calls = 0;
      }
      if (++calls > MOST_CALLS) return shutDown("Client presence rate limit exceeded");
      const action = String(payload.event).toLowerCase();
      if (action === "untrack") {
        tracked = null;
        rooms.untrack(room, member);
        return reply("ok", {});
      }
      if (action !== "track" || !(await mayTrack())) return reply("error", {});
      const { payload: facts = {} } = payload;
      if (!isMap(facts)) {
        return reply("error", { reason: "Presence track payload must be a map" });
      }
      if (bytes > LARGEST_PAYLOAD_BYTES) return shutDown("Track message size exceeded");
      const written = JSON.stringify(facts);
      if (written !== tracked) rooms.track(room, member, key, facts);
      tracked = written;
      reply("ok", {});
    },
  };
}
