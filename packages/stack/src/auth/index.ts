import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { ConfigError } from "../config.js";
import { createMailbox } from "../mail/mailbox.js";
import type { Service, ServiceContext } from "../service.js";
import { parseUrl } from "../url.js";
import {
  adminUser,
  changeUser,
  createUser,
  deleteUser,
  deletion,
  findForAdmin,
  listUsers,
} from "./administration.js";
import { type CallerEnv, onlyAdmin, onlyUser } from "./bearer.js";
import { invalid, json, readBody, text } from "./bodies.js";
import { challengeFields } from "./challenge.js";
import { type Auth, write } from "./context.js";
import { checkHooks } from "./hooks.js";
import { generateLink, invitation, invite, linkRequest } from "./invitations.js";
import {
  otpRequest,
  reauthenticate,
  recover,
  recovery,
  resend,
  resendRequest,
  sendOtp,
} from "./otp.js";
import { changeOwnAccount, ownChanges } from "./own-account.js";
import { createPasswords } from "./passwords.js";
import { redeemCode } from "./pkce.js";
import { answerRefusal, noPhone, Refusal } from "./refusals.js";
import { isAllowedRedirect, requestOf } from "./request.js";
import { endSessions, openSession, refreshSession, type Scope } from "./sessions.js";
import { settings } from "./settings.js";
import { signIn } from "./sign-in.js";
import { signUp, signUpAnonymously } from "./sign-up.js";
import { refusedGrant, refuseUnsupported } from "./unsupported.js";
import { userJson } from "./user-json.js";
import { ONE_OF_TWO, proof, readProof, verify } from "./verify.js";
import { followLink } from "./verify-link.js";

const MAX_BODY = 1024 * 1024;

const application = z.object({
  email: text,
  phone: text,
  password: text,
  data: json,
  ...challengeFields,
});
const credentials = z.object({ email: text, phone: text, password: text });
const redemption = z.object({ auth_code: text, code_verifier: text });
const refreshRequest = z.object({ refresh_token: text });

/**
 * Supabase Auth for e-mail and password accounts. Throws `ConfigError` for an invalid
 * configuration.
 */
export async function createAuth(s: ServiceContext): Promise<Service> {
  const log = s.log.of("auth");
  const auth: Auth = {
    ...s,
    log,
    mailbox: s.mailbox ?? createMailbox(),
    passwords: createPasswords(s.passwordCost),
  };
  // Report configuration errors at the start, not at the first sign-in.
  if (!parseUrl(s.config.auth.site_url)) {
    throw new ConfigError(`[auth] site_url must be a URL: ${s.config.auth.site_url}`);
  }
  checkHooks(s.config, log);

  const app = new Hono<CallerEnv>({ strict: false });
  app.onError((error, c) => answerRefusal(error, c, log));
  app.notFound((c) => c.text("404 page not found\n", 404));
  app.use(
    bodyLimit({
      maxSize: MAX_BODY,
      onError: () => {
        throw new Refusal(
          413,
          "request_entity_too_large",
          `Request body too large (max ${MAX_BODY} bytes)`,
        );
      },
    }),
  );

  app.get("/health", (c) =>
    c.json({
      version: "local stack",
      name: "GoTrue",
      description: "GoTrue is a user registration and authentication API",
    }),
  );
  app.get("/settings", (c) => c.json(settings(s.config)));
  app.get("/.well-known/jwks.json", (c) =>
    c.json(s.keys.jwks, { headers: { "cache-control": "public, max-age=600" } }),
  );

  app.post("/signup", async (c) => {
    const input = await readBody(c, application);
    const request = requestOf(c, s, input);
    const { email, phone, password } = input;
    const data = input.data ?? {};
    if (email === "" && phone === "") return c.json(await signUpAnonymously(auth, data, request));
    return c.json(await signUp(auth, { email, phone, password, data }, request));
  });

  app.post("/token", async (c) => {
    const request = requestOf(c, s);
    switch (c.req.query("grant_type")) {
      case "password": {
        const { email, phone, password } = await readBody(c, credentials);
        if (email !== "" && phone !== "") {
          throw invalid("Only an email address or phone number should be provided on login.");
        }
        if (phone !== "") throw noPhone(422, "Phone logins are disabled");
        if (email === "") throw invalid("missing email or phone");
        return c.json(await signIn(auth, email, password, request));
      }
      case "refresh_token": {
        const { refresh_token: token } = await readBody(c, refreshRequest);
        return c.json(await refreshSession(auth, token, request));
      }
      case "pkce": {
        const { auth_code: code, code_verifier: verifier } = await readBody(c, redemption);
        return c.json(await redeemCode(auth, code, verifier, request));
      }
      default:
        throw refusedGrant(c.req.query("grant_type"));
    }
  });

  app.post("/logout", onlyUser(auth), async (c) => {
    const scope = c.req.query("scope") || "global";
    if (!["global", "local", "others"].includes(scope)) {
      throw invalid(`Unsupported logout scope "${scope}"`);
    }
    const { user, sessionId } = c.var.caller;
    await write(auth, (w) => endSessions(w, user.id, scope as Scope, sessionId));
    return c.body(null, 204);
  });

  app.get("/user", onlyUser(auth), (c) => c.json(userJson(c.var.caller.user)));
  app.put("/user", onlyUser(auth), async (c) => {
    const input = await readBody(c, ownChanges);
    return c.json(await changeOwnAccount(auth, c.var.caller, input, requestOf(c, s, input)));
  });
  app.get("/reauthenticate", onlyUser(auth), async (c) =>
    c.json(await reauthenticate(auth, c.var.caller.user)),
  );

  app.post("/recover", async (c) => {
    const input = await readBody(c, recovery);
    return c.json(await recover(auth, input.email, requestOf(c, s, input)));
  });
  app.on("POST", ["/otp", "/magiclink"], async (c) => {
    const input = await readBody(c, otpRequest);
    return c.json(await sendOtp(auth, input, requestOf(c, s, input)));
  });
  app.post("/resend", async (c) => {
    const input = await readBody(c, resendRequest);
    return c.json(await resend(auth, input, requestOf(c, s, input)));
  });
  app.post("/verify", async (c) => {
    const given = readProof(await readBody(c, proof));
    const request = requestOf(c, s);
    const session = await verify(auth, given, (w, user) => openSession(w, user.id, "otp", request));
    return c.json(session ?? { msg: ONE_OF_TWO, code: "200" });
  });
  app.get("/verify", async (c) => {
    const request = requestOf(c, s);
    return c.redirect(await followLink(auth, c.req.query(), request), 303);
  });

  app.post("/invite", onlyAdmin(auth), async (c) =>
    c.json(await invite(auth, await readBody(c, invitation), requestOf(c, s))),
  );
  app.use("/admin/*", onlyAdmin(auth));
  app.post("/admin/generate_link", async (c) => {
    const input = await readBody(c, linkRequest);
    const request = requestOf(c, s);
    const redirectTo = isAllowedRedirect(s.config, input.redirect_to)
      ? input.redirect_to
      : request.redirectTo;
    return c.json(await generateLink(auth, input, { ...request, redirectTo }));
  });
  app.get("/admin/users", async (c) => {
    const { users, total, page, pages } = await listUsers(auth, c.req.query());
    const address = (to: number) => {
      const query = new URLSearchParams({ ...c.req.query(), page: String(to) });
      return `</admin/users?${query}>`;
    };
    const next = pages > page ? `${address(page + 1)}; rel="next", ` : "";
    c.header("link", `${next}${address(pages)}; rel="last"`);
    c.header("x-total-count", String(total));
    return c.json({ users, aud: "authenticated" });
  });
  app.post("/admin/users", async (c) =>
    c.json(await createUser(auth, await readBody(c, adminUser))),
  );
  app.get("/admin/users/:id", async (c) =>
    c.json(userJson(await findForAdmin(auth, c.req.param("id")))),
  );
  app.put("/admin/users/:id", async (c) => {
    const user = await findForAdmin(auth, c.req.param("id"));
    return c.json(await changeUser(auth, user, await readBody(c, adminUser)));
  });
  app.delete("/admin/users/:id", async (c) => {
    const user = await findForAdmin(auth, c.req.param("id"));
    const empty = (await c.req.text()) === "";
    const soft = empty ? false : (await readBody(c, deletion)).should_soft_delete;
    return c.json(await deleteUser(auth, user, soft));
  });

  refuseUnsupported(app, auth);

  return {
    fetch: (request) => app.fetch(request),
    close: async () => {},
  };
}
