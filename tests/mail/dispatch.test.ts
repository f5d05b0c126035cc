import { describe, expect, it } from "vitest";
import {
  createDispatcher,
  type KeptLetter,
  type Means,
  type Outcome,
  type Taken,
} from "../../supabase/functions/_shared/mail/dispatch.js";
import { LetterFailed } from "../../supabase/functions/_shared/mail/letter.js";
import { NotSent } from "../../supabase/functions/_shared/mail/transport.js";

// How mails are sent one after the other, by a dispatcher that is given all it needs.

const letter = { subject: "s", html: "h", text: "t", language: "en", rtl: false, error: null };
const mailOf = (number: number, wish: Partial<Taken> = {}): Taken => ({
  id: `mail ${number}`,
  lease: "lease",
  to: `${number}@example.com`,
  name: "",
  content: null,
  ...wish,
});

/** A dispatcher with these mails to send, and what it did, in sequence. */
function dispatching(mails: Taken[], wish: Partial<Means> = {}) {
  const waiting = [...mails];
  const done: string[] = [];
  const outcomes: Outcome[] = [];
  const kept: KeptLetter[] = [];
  const complaints: unknown[] = [];
  const dispatcher = createDispatcher({
    async take(batch) {
      done.push(`take ${batch}`);
      return waiting.splice(0, batch);
    },
    render: async () => letter,
    async keep(letters) {
      done.push("keep");
      kept.push(...letters);
    },
    async send({ id }) {
      done.push(`send ${id}`);
      return { providerId: `provider's ${id}` };
    },
    async record(outcome) {
      done.push(`record ${outcome.id}`);
      outcomes.push(outcome);
    },
    complain: (error) => void complaints.push(error),
    ...wish,
  });
  return { dispatcher, done, outcomes, kept, complaints };
}

describe("a dispatcher", () => {
  it("keeps letters before it sends any, and hands the next one over while one is recorded", async () => {
    const { dispatcher, done, outcomes } = dispatching([mailOf(1), mailOf(2)], {
      async send({ id }, _, before) {
        done.push(`send ${id}`);
        await before;
        done.push(`end ${id}`);
        return { providerId: `provider's ${id}` };
      },
      async record(outcome) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        done.push(`record ${outcome.id}`);
        outcomes.push(outcome);
      },
    });
    await dispatcher.wake();
    // What comes next is taken meanwhile.
    expect(done.filter((step) => step !== "take 25")).toEqual([
      ...["keep", "send mail 1", "end mail 1"],
      ...["send mail 2", "record mail 1", "end mail 2", "record mail 2"],
    ]);
    expect(outcomes[0]).toMatchObject({ outcome: "sent", provider_id: "provider's mail 1" });
  });

  it("sends what was kept, as it was", async () => {
    const content = { subject: "kept", html: "kept", text: "kept" };
    const sent: unknown[] = [];
    const { dispatcher, kept } = dispatching([mailOf(1, { content })], {
      async send(_, what) {
        sent.push(what);
        return { providerId: null };
      },
    });
    await dispatcher.wake();
    expect(sent).toEqual([content]);
    expect(kept).toEqual([]);
  });

  it("sends no more when it cannot record what it has sent", async () => {
    const sent: string[] = [];
    const { dispatcher, complaints } = dispatching([mailOf(1), mailOf(2), mailOf(3)], {
      async send({ id }, _, before) {
        await before;
        sent.push(id);
        return { providerId: null };
      },
      async record() {
        throw new Error("the database is away");
      },
    });
    await dispatcher.wake();
    expect(sent).toEqual(["mail 1"]);
    expect(complaints).toContainEqual(new Error("the database is away"));
  });

  it("gives the rest back when the provider has had enough, and takes no more", async () => {
    const { dispatcher, done, outcomes } = dispatching([mailOf(1), mailOf(2), mailOf(3)], {
      async send({ id }) {
        if (id !== "mail 2") return { providerId: null };
        throw new NotSent("too many", "throttled", { retryAfterSeconds: 17 });
      },
    });
    await dispatcher.wake();
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["sent", "throttled", "untried"]);
    expect(outcomes[2]).toMatchObject({ retry_after_seconds: 17 });
    expect(done.filter((step) => step.startsWith("take"))).toHaveLength(2);
  });

  it("gives back what it has taken ahead, too", async () => {
    const many = Array.from({ length: 30 }, (_, number) => mailOf(number));
    const { dispatcher, outcomes } = dispatching(many, {
      async send() {
        throw new NotSent("too many", "throttled", { retryAfterSeconds: 17 });
      },
    });
    await dispatcher.wake();
    expect(outcomes).toHaveLength(30);
    expect(outcomes.filter(({ outcome }) => outcome === "untried")).toHaveLength(29);
  });

  it("goes on behind what fails, and says in whose fault it did", async () => {
    const { dispatcher, outcomes, kept, complaints } = dispatching(
      [mailOf(1), mailOf(2), mailOf(3), mailOf(4)],
      {
        async render({ id }) {
          if (id === "mail 1") throw new LetterFailed("There is no such letter.");
          if (id === "mail 2") throw new Error("secret");
          return letter;
        },
        async send({ id }) {
          if (id === "mail 4") return { providerId: null };
          throw new NotSent("no such user", "permanent", { addressGone: true });
        },
      },
    );
    await dispatcher.wake();
    expect(kept[0]).toEqual({ id: "mail 1", lease: "lease", error: "There is no such letter." });
    expect(outcomes).toMatchObject([
      { id: "mail 2", outcome: "temporary", error: "Something went wrong on our side." },
      { id: "mail 3", outcome: "permanent", address_gone: true, error: "no such user" },
      { id: "mail 4", outcome: "sent" },
    ]);
    expect(complaints).toMatchObject([{ message: "secret" }]);
  });

  it("keeps what can be kept, whatever a text comes to", async () => {
    const { dispatcher, kept } = dispatching([mailOf(1)], {
      render: async () => ({ ...letter, html: "half \ud83d of a pair", text: "a\0b" }),
    });
    await dispatcher.wake();
    expect(kept).toMatchObject([{ html: "half \ufffd of a pair", text: "a b" }]);
  });

  it("ends its turn, and has another one woken", async () => {
    const many = Array.from({ length: 200 }, (_, number) => mailOf(number));
    const { dispatcher, done, outcomes } = dispatching(many);
    await dispatcher.wake();
    expect(outcomes).toHaveLength(150);
    expect(done.filter((step) => step === "take 25")).toHaveLength(6);
    expect(done.at(-1)).toBe("take 0");
  });

  it("looks once more, when it is woken at work, and never works twice at once", async () => {
    let sending = 0;
    let most = 0;
    const { dispatcher, done } = dispatching([mailOf(1), mailOf(2)], {
      async send() {
        sending += 1;
        most = Math.max(most, sending);
        await new Promise((resolve) => setTimeout(resolve, 20));
        sending -= 1;
        return { providerId: null };
      },
    });
    await Promise.all([dispatcher.wake(), dispatcher.wake(), dispatcher.wake()]);
    expect(most).toBe(1);
    expect(done.filter((step) => step === "take 25").length).toBeGreaterThan(1);
  });
});
