import { MAX_PAYLOAD_BYTES, type Received } from "./frames.js";
import { isMap } from "./join.js";
import type { Member, Rooms } from "./rooms.js";

/** Maximum number of presence messages per window, as hosted. Beyond that the channel is closed. */
const MAX_CALLS = 5;
const WINDOW_MS = 30_000;

interface Rights {
  mayTrack(): Promise<boolean>;
  /** Closes the channel and sends the client the reason. */
  shutDown(reason: string): void;
}

/** Handles the `presence` messages of a channel. */
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
      if (++calls > MAX_CALLS) return shutDown("Client presence rate limit exceeded");
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
      if (bytes > MAX_PAYLOAD_BYTES) return shutDown("Track message size exceeded");
      const written = JSON.stringify(facts);
      if (written !== tracked) rooms.track(room, member, key, facts);
      tracked = written;
      reply("ok", {});
    },
  };
}
