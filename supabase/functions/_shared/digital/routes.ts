import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { callList } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { openStorage } from "../media/storage.ts";
import {
  addedLicenceKeys,
  downloads,
  licenceKeyList,
  licenceKeyQuery,
  newLicenceKeys,
  newProductFile,
  productFile,
  productFileList,
  productFileQuery,
} from "./schema.ts";

/** Below /products: the files and licence keys of one. */
export const digitalOfProduct = createRoutes();

/** Below /orders: what one unlocks. */
export const downloadsOfOrder = createRoutes();

const shared = { tags: ["Digital goods"], middleware: authenticate };

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/files",
    operationId: "files.list",
    roles: ["admin", "client", "supplier"],
    summary: "List a product's files",
    description: "For its supplier, admins and clients; customers get them by their orders.",
    request: { params: idParam, query: productFileQuery },
    responses: answers(200, productFileList, "A page of the files"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    // They are listed by the time they were added: there is nothing else to sort by.
    const { sort: _, ...query } = c.req.valid("query");
    const { data } = await c
      .get("db")
      .rpc("list_product_files", { product_id: id, ...query })
      .throwOnError();
    const files = await withAddresses(c, data.files);
    const { page, limit } = query;
    return c.json(productFileList.parse({ files, total: data.total, page, limit }), 200);
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/files",
    operationId: "files.create",
    roles: ["admin", "supplier"],
    once: true,
    summary: "Add a file to a digital product",
    description: "For its supplier and admins. Whoever has bought the product gets the file too.",
    request: { params: idParam, body: body(newProductFile) },
    responses: answers(201, productFile, "The new file"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const made = await perform(c, "add_product_file", { product_id: id, ...c.req.valid("json") });
    const [file] = await withAddresses(c, [made]);
    return c.json(productFile.parse(file), 201, {
      Location: `/functions/v1/products/${id}/files/${made.id}`,
    });
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}/files/{file_id}",
    operationId: "files.remove",
    roles: ["admin", "supplier"],
    summary: "Remove a file of a product",
    request: { params: idParam.extend({ file_id: z.guid() }) },
    responses: noContent("It is gone, also for those who bought the product"),
  }),
  async (c) => {
    const { id, file_id } = c.req.valid("param");
    await c
      .get("db")
      .from("product_files")
      .delete()
      .eq("product_id", id)
      .eq("id", file_id)
      .select("id")
      .single()
      .throwOnError();
    return c.body(null, 204);
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/licence-keys",
    operationId: "licenceKeys.list",
    roles: ["admin", "client", "supplier"],
    summary: "List a product's licence keys",
    description:
      "For its supplier, admins and clients, with the codes masked: only the customer who was handed one reads it.",
    request: { params: idParam, query: licenceKeyQuery },
    responses: answers(
      200,
      licenceKeyList,
      "A page of the keys, and how many there are of each status",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(
      await callList(c, licenceKeyList, "list_licence_keys", { product_id: id, ...query }),
      200,
    );
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/licence-keys",
    operationId: "licenceKeys.create",
    roles: ["admin", "supplier"],
    once: true,
    secretFields: ["codes"],
    summary: "Add licence keys to a digital product",
    description:
      "For its supplier and admins, where the product was made with `track_inventory`. Each new key is a piece of stock. Codes that the product has already are left and reported, so that sending them again changes nothing.",
    request: { params: idParam, body: body(newLicenceKeys) },
    responses: answers(201, addedLicenceKeys, "How many were added"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const added = await perform(c, "add_licence_keys", { product_id: id, ...c.req.valid("json") });
    return c.json(addedLicenceKeys.parse(added), 201, {
      Location: `/functions/v1/products/${id}/licence-keys`,
    });
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}/licence-keys/{licence_key_id}",
    operationId: "licenceKeys.remove",
    roles: ["admin", "supplier"],
    summary: "Remove a licence key that was not handed out",
    description:
      "The stock is one piece less. Errors: CONFLICT, when a customer has it; INSUFFICIENT_INVENTORY (422), when every key left is promised to an order.",
    request: { params: idParam.extend({ licence_key_id: z.guid() }) },
    responses: noContent("It is gone"),
  }),
  async (c) => {
    const { id, licence_key_id } = c.req.valid("param");
    await c.get("db").rpc("remove_licence_key", { product_id: id, licence_key_id }).throwOnError();
    return c.body(null, 204);
  },
);

downloadsOfOrder.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/downloads",
    operationId: "downloads.get",
    roles: ["admin", "client", "customer"],
    summary: "Get the files and licence keys of an order",
    description:
      "For its customer, admins and clients. Empty until the order is paid, shipped or delivered, and after it was cancelled, returned or refunded.",
    request: { params: idParam },
    responses: answers(200, downloads, "What the order unlocks"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("order_downloads", { order_id: id }).throwOnError();
    const unlocked = { ...data, files: await withAddresses(c, data.files) };
    return c.json(downloads.parse(unlocked), 200, { "Cache-Control": "no-store" });
  },
);

/** A file as the database answers it. `path`: of an asset, where its bytes are in the bucket documents. */
interface StoredFile {
  name: string;
  url: string | null;
  path: string | null;
}

/** Signs the addresses of files that are assets. The database has checked that the caller gets them. */
async function withAddresses(c: Context<Env>, files: StoredFile[]): Promise<StoredFile[]> {
  const assets = files.filter(({ path }) => path !== null);
  const urls = await openStorage(c.get("signal")).sign(
    "documents",
    assets.map(({ path }) => path as string),
  );
  return files.map((file) => {
    const url = urls[assets.indexOf(file)];
    return url ? { ...file, url: `${url}&download=${encodeURIComponent(file.name)}` } : file;
  });
}
