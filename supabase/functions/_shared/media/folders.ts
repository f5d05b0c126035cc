import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { mediaFolder, mediaFolderChanges, mediaFolderTree, newMediaFolder } from "./schema.ts";

/** Routes below /media/folders. */
export const folders = createRoutes();

const shared = { tags: ["Media"], middleware: authenticate };

folders.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "mediaFolders.list",
    permission: "everyone",
    summary: "Get the tree of folders",
    description: "The whole tree, without pages.",
    responses: answers(200, mediaFolderTree, "The top-level folders, each with its children"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_media_folders").throwOnError();
    return c.json(mediaFolderTree.parse({ folders: data }), 200);
  },
);

folders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "mediaFolders.create",
    permission: "media.manage",
    once: true,
    summary: "Create a folder",
    description: "Also for content editors.",
    errors: { CONFLICT: "if the parent folder already has a folder of that name" },
    request: { body: body(newMediaFolder) },
    responses: answers(201, mediaFolder, "The new folder"),
  }),
  async (c) => {
    const made = mediaFolder.parse(await perform(c, "create_media_folder", c.req.valid("json")));
    return c.json(made, 201, { Location: "/functions/v1/api/media/folders" });
  },
);

folders.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "mediaFolders.update",
    permission: "media.manage",
    summary: "Rename or move a folder",
    description: "Also for content editors.",
    errors: { CONFLICT: "if the parent folder already has a folder of that name" },
    request: { params: idParam, body: body(mediaFolderChanges) },
    responses: answers(200, mediaFolder, "The changed folder"),
  }),
  async (c) => {
    const args = { folder_id: c.req.valid("param").id, changes: c.req.valid("json") };
    const { data } = await c.get("db").rpc("update_media_folder", args).throwOnError();
    return c.json(mediaFolder.parse(data), 200);
  },
);

folders.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "mediaFolders.remove",
    permission: "media.manage",
    summary: "Delete a folder",
    description: "Also for content editors.",
    errors: { CONFLICT: "unless it is empty" },
    request: { params: idParam },
    responses: noContent("The folder is deleted"),
  }),
  async (c) => {
    const { id: folder_id } = c.req.valid("param");
    await c.get("db").rpc("delete_media_folder", { folder_id }).throwOnError();
    return c.body(null, 204);
  },
);
