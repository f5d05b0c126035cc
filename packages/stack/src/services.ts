import WebSocket from "ws";
import { createAuth } from "./auth/index.js";
import { runAuth } from "./auth/program.js";
import { createFunctions } from "./functions/index.js";
import type { Route } from "./gateway.js";
import { createJobs } from "./jobs/index.js";
import { createRealtime } from "./realtime/index.js";
import { createRest } from "./rest/index.js";
import type { Service, ServiceContext } from "./service.js";
import { createStorage } from "./storage/index.js";

/** The functions that create, reach and probe a service. */
export interface Part {
  name: string;
  create(context: ServiceContext): Promise<Service>;
  /** Absent if the service cannot be reached from outside. */
  route?: Omit<Route, "service">;
  /** Rejects when the service does not answer through the gateway. */
  probe?(context: ServiceContext): Promise<void>;
}

/** Paths of Auth that browsers open from a mail or a redirect, where no header can be sent. */
const OPEN_AUTH = /^\/(verify|callback|authorize|health)$|^\/\.well-known\//;

/** In order of dependency: a service may call those before it as soon as it runs. */
export const parts: readonly Part[] = [
  {
    name: "rest",
    create: createRest,
    route: { prefix: "/rest/v1", keyIsBearer: true, cors: true },
    probe: (s) => answers(s, "/rest/v1/"),
  },
  {
    name: "auth",
    create: (s) => (s.authProgram ? runAuth(s.authProgram, s) : createAuth(s)),
    route: { prefix: "/auth/v1", open: OPEN_AUTH, cors: true },
    probe: (s) => answers(s, "/auth/v1/health"),
  },
  {
    name: "realtime",
    create: createRealtime,
    route: { prefix: "/realtime/v1", cors: true },
    probe: opensWebsocket,
  },
  {
    name: "storage",
    create: createStorage,
    route: { prefix: "/storage/v1", keyIsOptional: true, cors: true },
    probe: (s) => answers(s, "/storage/v1/status"),
  },
  {
    name: "functions",
    create: createFunctions,
    route: { prefix: "/functions/v1", open: "all", cors: false },
    probe: (s) => answers(s, "/functions/v1/"),
  },
  { name: "jobs", create: createJobs },
];

const PROBE_MS = 15_000;

/** Accepts any status below 500, because the resources of a project are unknown. */
async function answers({ url, keys }: ServiceContext, path: string): Promise<void> {
  const response = await fetch(url + path, {
    headers: { apikey: keys.anonKey },
    signal: AbortSignal.timeout(PROBE_MS),
  });
  const body = await response.text();
  if (response.status >= 500) throw new Error(`${path} answered ${response.status}: ${body}`);
}

async function opensWebsocket({ url, keys }: ServiceContext): Promise<void> {
  const address = `${url.replace("http", "ws")}/realtime/v1/websocket?apikey=${keys.anonKey}&vsn=1.0.0`;
  const socket = new WebSocket(address, { handshakeTimeout: PROBE_MS });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.terminate();
}
