import { TrieRouter } from "hono/router/trie-router";
import {
  createBucket,
  deleteBucket,
  emptyBucket,
  getBucket,
  listBuckets,
  updateBucket,
} from "./buckets.js";
import type { Answer, Call } from "./call.js";
import { getObject, getObjectInfo, headObject } from "./download.js";
import { renderAuthenticated, renderPublic, renderSigned } from "./images.js";
import { listObjects, listObjectsV2 } from "./listing.js";
import { copyObject, deleteObject, deleteObjects, moveObject } from "./objects.js";
import {
  getSignedObject,
  signObject,
  signObjects,
  signUpload,
  uploadSigned,
} from "./signed-urls.js";
import { createObject, updateObject } from "./upload.js";

/** Who may ask: whoever has a token; anybody, as whom their token says; anybody, as nobody. */
export type Admission = "token" | "anybody" | "nobody";

export interface Endpoint {
  admits: Admission;
  /** What policies read by `storage.operation()`. */
  operation: string;
  answer(call: Call): Promise<Answer>;
}

const OBJECT = ":bucket/:name{.+}";

const IMAGE = "/render/image";
const resumable: Endpoint["answer"] = (call) => call.resumable.answer(call);

/** The first that fits answers. */
const routes: [method: string, path: string, Admission, operation: string, Endpoint["answer"]][] = [
  ["POST", "/bucket", "token", "storage.bucket.create", createBucket],
  ["GET", "/bucket", "token", "storage.bucket.list", listBuckets],
  ["GET", "/bucket/:bucket", "token", "storage.bucket.get", getBucket],
  ["PUT", "/bucket/:bucket", "token", "storage.bucket.update", updateBucket],
  ["DELETE", "/bucket/:bucket", "token", "storage.bucket.delete", deleteBucket],
  ["POST", "/bucket/:bucket/empty", "token", "storage.bucket.empty", emptyBucket],

  ["POST", "/object/list/:bucket", "token", "storage.object.list", listObjects],
  ["POST", "/object/list-v2/:bucket", "token", "storage.object.list_v2", listObjectsV2],
  ["POST", "/object/move", "token", "storage.object.move", moveObject],
  ["POST", "/object/copy", "token", "storage.object.copy", copyObject],
  ["DELETE", "/object/:bucket", "token", "storage.object.delete_many", deleteObjects],

  ["POST", `/object/upload/sign/${OBJECT}`, "token", "storage.object.sign_upload_url", signUpload],
  ["PUT", `/object/upload/sign/${OBJECT}`, "nobody", "storage.object.upload_signed", uploadSigned],
  ["POST", "/object/sign/:bucket", "token", "storage.object.sign_many", signObjects],
  ["POST", `/object/sign/${OBJECT}`, "token", "storage.object.sign", signObject],
  ["GET", `/object/sign/${OBJECT}`, "nobody", "storage.object.get_signed", getSignedObject],

  ["GET", `/object/info/public/${OBJECT}`, "nobody", "storage.object.info_public", getObjectInfo],
  [
    "GET",
    `/object/info/authenticated/${OBJECT}`,
    "token",
    "object.get_authenticated_info",
    getObjectInfo,
  ],
  ["GET", `/object/info/${OBJECT}`, "anybody", "object.get_authenticated_info", getObjectInfo],
  ["HEAD", `/object/public/${OBJECT}`, "nobody", "storage.object.info_public", headObject],
  [
    "HEAD",
    `/object/authenticated/${OBJECT}`,
    "token",
    "object.head_authenticated_info",
    headObject,
  ],
  ["HEAD", `/object/${OBJECT}`, "anybody", "object.head_authenticated_info", headObject],
  ["GET", `/object/public/${OBJECT}`, "nobody", "storage.object.get_public", getObject],
  [
    "GET",
    `/object/authenticated/${OBJECT}`,
    "token",
    "storage.object.get_authenticated",
    getObject,
  ],
  ["GET", `/object/${OBJECT}`, "anybody", "storage.object.get_authenticated", getObject],

  ["POST", `/object/${OBJECT}`, "token", "storage.object.upload", createObject],
  ["PUT", `/object/${OBJECT}`, "token", "storage.object.upload_update", updateObject],
  ["DELETE", `/object/${OBJECT}`, "token", "storage.object.delete", deleteObject],

  ["GET", `${IMAGE}/public/${OBJECT}`, "nobody", "storage.render.image_public", renderPublic],
  [
    "GET",
    `${IMAGE}/authenticated/${OBJECT}`,
    "token",
    "storage.render.image_authenticated",
    renderAuthenticated,
  ],
  ["GET", `${IMAGE}/sign/${OBJECT}`, "nobody", "storage.render.image_sign", renderSigned],

  ["OPTIONS", "/upload/resumable/*", "nobody", "storage.tus.options", resumable],
  ["POST", "/upload/resumable", "token", "storage.tus.upload.create", resumable],
  ["HEAD", "/upload/resumable/:id", "token", "storage.tus.upload.get", resumable],
  ["PATCH", "/upload/resumable/:id", "token", "storage.tus.upload.part", resumable],
  ["DELETE", "/upload/resumable/:id", "token", "storage.tus.upload.delete", resumable],
  ["POST", "/upload/resumable/sign", "nobody", "storage.tus.upload.create_signed", resumable],
  ["HEAD", "/upload/resumable/sign/:id", "nobody", "storage.tus.upload.get_signed", resumable],
  ["PATCH", "/upload/resumable/sign/:id", "nobody", "storage.tus.upload.part_signed", resumable],
  ["DELETE", "/upload/resumable/sign/:id", "nobody", "storage.tus.upload.delete_signed", resumable],

  ["GET", "/status", "nobody", "storage.health", async () => ({ json: {} })],
];

export interface Match {
  endpoint: Endpoint;
  bucket: string;
  name: string;
}

/** Resolves to what answers; null for a path that nothing answers. */
export function createRouter(): (method: string, path: string) => Match | null {
  const router = new TrieRouter<Endpoint>();
  for (const [method, path, admits, operation, answer] of routes) {
    router.add(method, path, { admits, operation, answer });
  }
  return (method, path) => {
    const [matches] = router.match(method, path.replace(/(.)\/$/, "$1"));
    const [endpoint, params] = matches[0] ?? [];
    if (!endpoint) return null;
    const { bucket = "", name = "" } = params as Record<string, string>;
    return { endpoint, bucket: decodeURIComponent(bucket), name: decodeURIComponent(name) };
  };
}
