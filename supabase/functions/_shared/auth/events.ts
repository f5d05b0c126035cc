import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { role } from "./schema.ts";

const carried = {
  user: z.object({
    id: z.guid(),
    email: z.string(),
    name: z.string(),
    role,
    email_verified: z.boolean(),
  }),
};

const cleo = {
  user: {
    id: sample.customer_id,
    email: "cleo@example.com",
    name: "Cleo",
    role: "customer",
    email_verified: true,
  },
};

/** The events about members of a tenant. */
export const userEvents = {
  ...defineEvent("user.registered", {
    description: "A user joined the tenant, or a guest registered.",
    carried: carried,
    sample: cleo,
  }),
  ...defineEvent("user.verified", {
    description: "A member's e-mail address was confirmed.",
    carried: carried,
    sample: cleo,
  }),
};
