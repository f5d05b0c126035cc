import { SignJWT } from "jose";
import { z } from "zod";
import { type Claims, TokenRefused } from "../keys.js";
import { type Answer, asCaller, type Call, readJson, text } from "./call.js";
import { reasonOf, storageItself } from "./caller.js";
import { sendObject } from "./download.js";
import { StorageError } from "./errors.js";
import { findObject, withObject } from "./objects.js";
import { readTransformation, write } from "./transformations.js";
import { mayUpload, parseUserMetadata, upload } from "./upload.js";

/** What a signed URL's token says. */
export interface SignedClaims extends Omit<Claims, "role"> {
  /** Bucket and name. */
  url: string;
  scope: "download" | "upload";
  exp: number;
  /** Of an upload: whose the object becomes, and whether it may take another's place. */
  owner?: string;
  upsert?: boolean;
  /** Of an image: what was asked for, as `height:100,width:100`. */
  transformations?: string;
}

/** So long somebody has to begin an upload: two hours, as hosted. */
const UPLOAD_SECONDS = 7200;
/** The last second that a token's time can be. */
const LAST_SECOND = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

const expiresIn = z.int().min(1);
const signing = z.object({ expiresIn, transform: z.record(z.string(), z.unknown()).optional() });
const signingMany = z.object({ expiresIn, paths: z.array(text).min(1).max(1000) });

async function sign(
  call: Call,
  claims: Omit<SignedClaims, "exp">,
  seconds: number,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  if (seconds > LAST_SECOND - now) {
    throw new StorageError("InvalidParameter", "Invalid Parameter expiresIn");
  }
  return await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(new TextEncoder().encode(call.keys.jwtSecret));
}

/** Throws what a token is refused with that is not for this object, or not for this. */
export async function verifySignature(
  call: Call,
  token: string,
  scope: SignedClaims["scope"],
): Promise<SignedClaims> {
  let claims: SignedClaims;
  try {
    claims = (await call.keys.verify(token)) as unknown as SignedClaims;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    throw new StorageError("InvalidJWT", reasonOf(error));
  }
  if (claims.scope !== scope) {
    throw new StorageError("InvalidSignature", `Token is not scoped for ${scope}`);
  }
  if (claims.url !== `${call.bucket}/${call.name}`) throw new StorageError("InvalidSignature");
  return claims;
}

export function tokenOf({ query }: Call): string {
  const token = query.get("token");
  if (token === null) {
    throw new StorageError("InvalidRequest", "querystring must have required property 'token'", {
      error: "Error",
    });
  }
  return token;
}

/** Clients encode the path that they are given, as hosted gives it. */
export async function signObject(call: Call): Promise<Answer> {
  const { expiresIn, transform } = await readJson(call, signing);
  await findObject(call, "caller", call.bucket, call.name);
  const url = `${call.bucket}/${call.name}`;
  const asked = transformationOf(call, transform);
  const token = await sign(call, { ...asked, url, scope: "download" }, expiresIn);
  const kind = asked.transformations ? "render/image" : "object";
  return { json: { signedURL: `/${kind}/sign/${url}?token=${token}` } };
}

/** A project without transformations signs the image as it is. */
function transformationOf(
  { config }: Call,
  transform: Record<string, unknown> | undefined,
): Pick<SignedClaims, "transformations"> {
  if (!transform || !config.storage.image_transformation.enabled) return {};
  const transformations = write(readTransformation("body/transform", transform));
  return transformations === "" ? {} : { transformations };
}

export async function signObjects(call: Call): Promise<Answer> {
  const { expiresIn, paths } = await readJson(call, signingMany);
  const found = await asCaller<{ name: string }>(
    call,
    `select name from storage.objects
     where bucket_id = $1 and name in (select jsonb_array_elements_text($2::text::jsonb))`,
    [call.bucket, JSON.stringify(paths)],
  );
  const names = new Set(found.map(({ name }) => name));
  const answers = paths.map(async (path) => {
    if (!names.has(path)) {
      const error = "Either the object does not exist or you do not have access to it";
      return { error, path, signedURL: null };
    }
    const url = `${call.bucket}/${path}`;
    const token = await sign(call, { url, scope: "download" }, expiresIn);
    return { error: null, path, signedURL: `/object/sign/${url}?token=${token}` };
  });
  return { json: await Promise.all(answers) };
}

export async function getSignedObject(call: Call): Promise<Answer> {
  const { exp } = await verifySignature(call, tokenOf(call), "download");
  // Whoever signed it was let in by the policies.
  const find = () => findObject(call, "storage", call.bucket, call.name);
  return await withObject(find, (row) => sendObject(call, row, new Date(exp * 1000)));
}

export async function signUpload(call: Call): Promise<Answer> {
  const { headers } = call.incoming;
  const upsert = headers["x-upsert"] === "true";
  const metadata = headers["x-metadata"];
  await mayUpload(call, {
    upsert,
    userMetadata: typeof metadata === "string" ? parseUserMetadata(metadata) : undefined,
    mimeType: headers["content-type"],
    contentLength: headers["content-length"] ? Number(headers["content-length"]) : undefined,
  });
  const url = `${call.bucket}/${call.name}`;
  const owner = call.caller.owner ?? undefined;
  const token = await sign(call, { owner, url, upsert, scope: "upload" }, UPLOAD_SECONDS);
  return { json: { url: `/object/upload/sign/${url}?token=${token}`, token } };
}

/** The policies were asked when it was signed. */
export async function uploadSigned(call: Call): Promise<Answer> {
  const { owner = null, upsert = false } = await verifySignature(call, tokenOf(call), "upload");
  await upload({ ...call, caller: { ...storageItself, owner } }, upsert);
  return { json: { Key: `${call.bucket}/${call.name}` } };
}
