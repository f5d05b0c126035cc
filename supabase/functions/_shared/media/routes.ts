import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { callPage, pageOf } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { type StoredAsset, withAddresses, withAllAddresses } from "./addresses.ts";
import { completeUpload } from "./completing.ts";
import { folders } from "./folders.ts";
import {
  announcedMedia,
  mediaAsset,
  mediaChanges,
  mediaList,
  mediaQuery,
  newMedia,
  replacedMedia,
} from "./schema.ts";
import { openStorage, storageAddress } from "./storage.ts";

export const media = createRoutes();

media.route("/folders", folders);

/** The page as the database returns it, without addresses. */
const storedPage = pageOf("media", z.custom<StoredAsset>());

const shared = { tags: ["Media"], middleware: authenticate };

const SHOWN_BY_REVIEWED = "a product of a supplier that was reviewed, where all are,";

media.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "media.list",
    permission: "everyone",
    summary: "List the media library",
    description:
      "Every member sees public assets. Admins, content roles and the uploader also see private and unfinished ones.",
    request: { query: mediaQuery },
    responses: answers(200, mediaList, "A page of the media"),
  }),
  async (c) => {
    // upload_date is the only sort.
    const { sort: _, ...query } = c.req.valid("query");
    const listing = c.get("db").rpc("list_media", query);
    const { media: stored, ...page } = await callPage(storedPage, listing, query);
    return c.json({ media: await withAddresses(stored, c.get("signal")), ...page }, 200);
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "media.create",
    permission: "media.write",
    once: true,
    summary: "Announce a file",
    description: "Also for content editors. Send the bytes to `upload`, then call …/complete.",
    errors: {
      UNSUPPORTED_MEDIA: "if the content type is not accepted",
      VALIDATION_ERROR: "on `size`, with `details.remaining` in bytes",
    },
    request: { body: body(newMedia) },
    responses: answers(201, announcedMedia, "The asset, and where to upload it"),
  }),
  async (c) => {
    const made = await perform(c, "create_media_asset", c.req.valid("json"));
    return c.json(await withUpload(c, made), 201, {
      Location: `/functions/v1/api/media/${made.id}`,
    });
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "media.get",
    visitors: true,
    permission: "everyone",
    summary: "Get an asset",
    request: { params: idParam },
    responses: answers(200, mediaAsset, "The asset"),
  }),
  async (c) => c.json(await readAsset(c, c.req.valid("param").id), 200),
);

media.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "media.update",
    permission: "media.write",
    summary: "Change an asset",
    description:
      "Also for content editors. Suppliers: their own assets only. Products that use its alternative text get the new one.",
    errors: { CONFLICT: `if ${SHOWN_BY_REVIEWED} would get another alternative text` },
    request: { params: idParam, body: body(mediaChanges) },
    responses: answers(200, mediaAsset, "The changed asset"),
  }),
  async (c) => {
    const args = { asset_id: c.req.valid("param").id, changes: c.req.valid("json") };
    const { data } = await c.get("db").rpc("update_media_asset", args).throwOnError();
    return c.json(await withAllAddresses(data, c.get("signal")), 200);
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/complete",
    operationId: "media.complete",
    permission: "media.write",
    summary: "Complete an upload",
    description:
      "Checks the uploaded bytes, which decide the content type of the asset. The request may be repeated.",
    errors: {
      CONFLICT: `if no bytes have arrived; if ${SHOWN_BY_REVIEWED} would get another image`,
      UNSUPPORTED_MEDIA:
        "if the bytes are not accepted, or are larger or of another type than announced: then the bytes are deleted, and so is an asset that has no other file",
    },
    request: { params: idParam },
    responses: answers(200, mediaAsset, "The asset, ready"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await completeUpload(id, c.get("db"), c.get("signal"));
    return c.json(await readAsset(c, id), 200);
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/replace",
    operationId: "media.replace",
    permission: "media.write",
    once: true,
    summary: "Replace the file of an asset",
    description:
      "Announces a new file of the same type (image, video, document, model_3d). The asset changes with …/complete. Then the asset and the products that use it have a new address.",
    errors: { CONFLICT: `if ${SHOWN_BY_REVIEWED} would get another image` },
    request: { params: idParam, body: body(replacedMedia) },
    responses: answers(201, announcedMedia, "The asset, and where to upload the new file"),
  }),
  async (c) => {
    const { id: asset_id } = c.req.valid("param");
    const made = await perform(c, "replace_media_asset", { asset_id, ...c.req.valid("json") });
    return c.json(await withUpload(c, made), 201, {
      Location: `/functions/v1/api/media/${asset_id}`,
    });
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "media.remove",
    permission: "media.write",
    summary: "Delete an asset",
    description: "Also for content editors. Suppliers: their own assets only.",
    errors: { CONFLICT: "while a record uses it, with `details.used_by`" },
    request: { params: idParam },
    responses: noContent("The asset is deleted; a worker deletes its bytes"),
  }),
  async (c) => {
    const { id: asset_id } = c.req.valid("param");
    await c.get("db").rpc("delete_media_asset", { asset_id }).throwOnError();
    return c.body(null, 204);
  },
);

async function readAsset(c: Context<Env>, asset_id: string) {
  const { data } = await c.get("db").rpc("get_media", { asset_id }).throwOnError();
  return withAllAddresses(data, c.get("signal"));
}

/** An announced asset with the signed addresses for its bytes. */
async function withUpload(
  c: Context<Env>,
  announced: StoredAsset & { upload: { path: string; content_type: string; expires_at: string } },
) {
  const { path, content_type, expires_at } = announced.upload;
  const signal = c.get("signal");
  // With an Idempotency-Key, a repeated request gets the stored response, and the upload may have ended since.
  const signed =
    Date.parse(expires_at) > Date.now() && (await openStorage(signal).signUpload(path));
  if (!signed) {
    throw new ApiError(
      "CONFLICT",
      "This upload already has its bytes or has expired. Complete it, or announce the file again.",
    );
  }
  const asset = await withAllAddresses(announced, signal);
  return announcedMedia.parse({
    ...asset,
    upload: {
      url: signed.url,
      method: "PUT",
      headers: { "content-type": content_type, "x-upsert": "false" },
      expires_at: new Date(expires_at).toISOString(),
      resumable: {
        url: `${storageAddress()}/upload/resumable/sign`,
        headers: { "x-signature": signed.token, "x-upsert": "false" },
        metadata: {
          bucketName: "uploads",
          objectName: path,
          contentType: content_type,
          cacheControl: "0",
        },
      },
    },
  });
}
