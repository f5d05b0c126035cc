import type { Context } from "hono";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
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

const shared = { tags: ["Media"], middleware: authenticate };

media.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "media.list",
    roles: "everyone",
    summary: "List the media library",
    description:
      "What is public is shown to every member; what is private, or not ready yet, to admins, content roles and whoever has uploaded it.",
    request: { query: mediaQuery },
    responses: answers(200, mediaList, "A page of the media"),
  }),
  async (c) => {
    // They are listed by the time they came: there is nothing else to sort by.
    const { sort: _, ...query } = c.req.valid("query");
    const { data } = await c.get("db").rpc("list_media", query).throwOnError();
    const { media: stored, total } = data as { media: StoredAsset[]; total: number };
    const { page, limit } = query;
    return c.json({ media: await withAddresses(stored, c.get("signal")), total, page, limit }, 200);
  },
);

media.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "media.create",
    roles: ["admin", "supplier"],
    once: true,
    summary: "Announce a file",
    description:
      "For suppliers, editors of content and admins. Answers where its bytes are sent; then comes …/complete. Errors: UNSUPPORTED_MEDIA, when the library takes no such type; VALIDATION_ERROR on `size`, whose details tell what remains.",
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
    roles: "everyone",
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
    roles: ["admin", "supplier"],
    summary: "Change what is said of an asset",
    description:
      "For its supplier, editors of content and admins. Products that show it with its alternative text show the new one.",
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
    roles: ["admin", "supplier"],
    summary: "Complete an upload",
    description:
      "Judges the bytes that were sent, which decide what the asset is. May be repeated. Errors: CONFLICT, when none have come yet; UNSUPPORTED_MEDIA, when they are nothing that the library takes, or larger or of another type than was announced: then they are gone, and so is an asset that has no others.",
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
    roles: ["admin", "supplier"],
    once: true,
    summary: "Announce a file in place of an asset's",
    description:
      "The asset stays as it is until …/complete; from then on it has a new address, wherever it is shown. The file is of the same type as before (image, video, document, model_3d).",
    request: { params: idParam, body: body(replacedMedia) },
    responses: answers(201, announcedMedia, "The asset, and where to upload what replaces it"),
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
    roles: ["admin", "supplier"],
    summary: "Delete an asset",
    description:
      "For its supplier, editors of content and admins. Errors: CONFLICT while anything shows it, with `details.used_by`.",
    request: { params: idParam },
    responses: noContent("It is gone, and its bytes go soon"),
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

/** Adds where the bytes of what was announced are sent to. */
async function withUpload(
  c: Context<Env>,
  announced: StoredAsset & { upload: { path: string; content_type: string; expires_at: string } },
) {
  const { path, content_type, expires_at } = announced.upload;
  const signal = c.get("signal");
  // A request that is repeated is answered from what is kept; what it announced may be over.
  const signed =
    Date.parse(expires_at) > Date.now() && (await openStorage(signal).signUpload(path));
  if (!signed) {
    throw new ApiError(
      "CONFLICT",
      "This was uploaded, or its time is over. Complete it, or begin anew.",
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
          cacheControl: "3600",
        },
      },
    },
  });
}
