import { describe, expect, it } from "vitest";
import {
  createDispatcher,
  type DispatcherOptions,
  type KeptLetter,
  type Outcome,
  type Taken,
} from "../../supabase/functions/_shared/mail/dispatch.js";
import { LetterFailed } from "../../supabase/functions/_shared/mail/letter.js";
import { NotSent } from "../../supabase/functions/_shared/mail/transport.js";

// A dispatcher with a mocked database and transport.

const letter = { subject: "s", html: "h", text: "t", language: "en", rtl: false, error: null };
const mailOf = (number: number, overrides: Partial<Taken> = {}): Taken => ({
  id: `mail ${number}`,
  lease: "lease",
  to: `${number}@example.com`,
  name: "",
  content: null,
  ...overrides,
});

/** A dispatcher with mails to send, and its steps. */
function dispatching(mails: Taken[], overrides: Partial<DispatcherOptions> = {}) {
  const waiting = [...mails];
  const done: string[] = [];
  const outcomes: Outcome[] = [];
  const kept: KeptLetter[] = [];
  const errors: unknown[] = [];
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
    reportError: (error) => void errors.push(error),
    ...overrides,
  });
  return { dispatcher, done, outcomes, kept, errors };
}

describe("a dispatcher", () => {
  it("stores letters before it sends any, and starts the next one while one is recorded", async () => {
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
    // The next batch is taken meanwhile.
    expect(done.filter((step) => step !== "take 25")).toEqual([
      ...["keep", "send mail 1", "end mail 1"],
      ...["send mail 2", "record mail 1", "end mail 2", "record mail 2"],
    ]);
    expect(outcomes[0]).toMatchObject({ outcome: "sent", provider_id: "provider's mail 1" });
  });

  it("sends the stored content without rendering it again", async () => {
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

  it("completes no other mail while it cannot record the last one", async () => {
    const sent: string[] = [];
    const { dispatcher, errors } = dispatching([mailOf(1), mailOf(2), mailOf(3)], {
      async send({ id }, _, before) {
        await before;
        sent.push(id);
        return { providerId: null };
      },
      async record() {
        throw new Error("the database is unavailable");
      },
    });
    await dispatcher.wake();
    expect(sent).toEqual(["mail 1"]);
    expect(errors).toContainEqual(new Error("the database is unavailable"));
  });

  it("returns the rest of a batch to the queue when the provider throttles it", async () => {
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

  it("also returns the next batch when the provider throttles it", async () => {
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

  it("continues after failed mails, and shows tenants no internal errors", async () => {
    const { dispatcher, outcomes, kept, errors } = dispatching(
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
    expect(errors).toMatchObject([{ message: "secret" }]);
  });

  it("replaces characters that Postgres cannot store", async () => {
    const { dispatcher, kept } = dispatching([mailOf(1)], {
      render: async () => ({ ...letter, html: "half \ud83d of a pair", text: "a\0b" }),
    });
    await dispatcher.wake();
    expect(kept).toMatchObject([{ html: "half \ufffd of a pair", text: "a b" }]);
  });

  it("ends a round after 150 mails, and wakes another dispatcher", async () => {
    const many = Array.from({ length: 200 }, (_, number) => mailOf(number));
    const { dispatcher, done, outcomes } = dispatching(many);
    await dispatcher.wake();
    expect(outcomes).toHaveLength(150);
    expect(done.filter((step) => step === "take 25")).toHaveLength(6);
    expect(done.at(-1)).toBe("take 0");
  });

  it("runs another round if it is woken during one, and never two concurrently", async () => {
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
