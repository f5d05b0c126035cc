import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { callPage, pageOf } from "../http/page.ts";
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

/** Routes below /products: the files and licence keys of a product. */
export const digitalOfProduct = createRoutes();

/** Routes below /orders: the files and licence keys that an order unlocks. */
export const downloadsOfOrder = createRoutes();

/** The page as the database returns it, without addresses. */
const storedPage = pageOf("files", z.custom<StoredFile>());

const shared = { tags: ["Digital goods"], middleware: authenticate };

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/files",
    operationId: "files.list",
    permission: "digital_goods.read",
    summary: "List a product's files",
    description:
      "Suppliers: their own products only. Customers get the files through their orders.",
    request: { params: idParam, query: productFileQuery },
    responses: answers(200, productFileList, "A page of the files"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    // Files are always sorted by the time when they were added.
    const { sort: _, ...query } = c.req.valid("query");
    const listing = c.get("db").rpc("list_product_files", { product_id: id, ...query });
    const { files, ...page } = await callPage(storedPage, listing, query);
    return c.json(productFileList.parse({ files: await withAddresses(c, files), ...page }), 200);
  },
);

digitalOfProduct.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/files",
    operationId: "files.create",
    permission: "digital_goods.write",
    once: true,
    summary: "Add a file to a digital product",
    description:
      "Suppliers: their own products only. Customers who have already bought the product get the file, too.",
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
    permission: "digital_goods.write",
    summary: "Remove a file of a product",
    request: { params: idParam.extend({ file_id: z.guid() }) },
    responses: noContent("The file is removed, also for customers who bought the product"),
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
    permission: "digital_goods.read",
    summary: "List a product's licence keys",
    description:
      "Suppliers: their own products only. The codes are masked. Only the customer who received a key can read its code.",
    request: { params: idParam, query: licenceKeyQuery },
    responses: answers(200, licenceKeyList, "A page of the keys, with their number by status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(
      await callPage(
        licenceKeyList,
        c.get("db").rpc("list_licence_keys", { product_id: id, ...query }),
        query,
      ),
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
    permission: "digital_goods.write",
    once: true,
    secretFields: ["codes"],
    summary: "Add licence keys to a digital product",
    description:
      "Suppliers: their own products only. The product must have been created with `track_inventory`. Each new key adds a piece to the stock. Codes that the product already has are skipped and reported, so repeating the request is safe.",
    request: { params: idParam, body: body(newLicenceKeys) },
    responses: answers(201, addedLicenceKeys, "The number of added keys"),
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
    permission: "digital_goods.write",
    summary: "Remove a licence key that was not handed out",
    description: "The stock decreases by one piece.",
    errors: {
      CONFLICT: "if a customer has the key",
      INSUFFICIENT_INVENTORY: "if orders have reserved all remaining keys",
    },
    request: { params: idParam.extend({ licence_key_id: z.guid() }) },
    responses: noContent("The key is removed"),
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
    permission: "downloads.read",
    summary: "Get the files and licence keys of an order",
    description:
      "Customers: their own orders only. Empty until the order is paid, shipped or delivered, and again after it is cancelled, returned or refunded.",
    request: { params: idParam },
    responses: answers(200, downloads, "The files and licence keys"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("order_downloads", { order_id: id }).throwOnError();
    const unlocked = { ...data, files: await withAddresses(c, data.files) };
    return c.json(downloads.parse(unlocked), 200, { "Cache-Control": "no-store" });
  },
);

/** A file in the database's response. `path` is the path of an asset in the bucket documents. */
interface StoredFile {
  name: string;
  url: string | null;
  path: string | null;
}

/** Adds signed addresses to files that are assets. The database has checked that the caller may read them. */
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
