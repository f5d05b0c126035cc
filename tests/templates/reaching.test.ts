import { expect, it } from "vitest";
import { apiPath, databasePath } from "../../supabase/functions/_shared/templates/reaching.ts";

it.each([
  "/api/products?limit=4",
  "/api/products?search=a%20%2F%2Fb%5C..&limit=4",
  "/products/00000000-0000-4000-8000-000000000001",
  "/orders",
  "/auth/me",
  "/semantic-search?query=x",
])("allows the path %s", (address) => {
  expect(apiPath(address)).toBe(`/functions/v1${address}`);
});

it.each([
  "",
  "api/products",
  "//evil.example/api/products",
  "/\\evil.example",
  "https://evil.example/api/products",
  "http://127.0.0.1/api/products",
  "file:///etc/passwd",
  "/api/../webhook-dispatch",
  "/api/%2e%2e/webhook-dispatch",
  "/api/%2E%2E%2Fwebhook-dispatch",
  "/api/..%2fwebhook-dispatch",
  "/api/.%2e/webhook-dispatch",
  "/api/./products",
  "/api//products",
  "/api/products\\..\\x",
  "/api/pro\nducts",
  "/api/pro ducts",
  "/api/products#fragment",
  "/@evil.example/api",
  "/webhook-dispatch",
  "/render",
  "/api/templates/homepage/render",
  "/api/templates/homepage/%72ender?language=de",
  "/api/templates/homepage/%2572ender",
  "/auth/login",
  "/auth/me/../login",
  "/rest/v1/products",
  "/%61pi/%zz",
])("refuses the path %j", (address) => {
  expect(apiPath(address)).toBeUndefined();
});

it.each([
  "products?select=id,name&limit=3",
  "product_details?select=*&id=eq.1",
  "rpc/get_product?product_id=1",
])("allows the query %s", (query) => {
  expect(databasePath(query)).toBe(`/rest/v1/${query}`);
});

it.each([
  "",
  "?select=*",
  "/products",
  "//evil.example/products",
  "https://evil.example/products",
  "\\evil.example",
  "../auth/v1/admin/users",
  "rpc/../../auth/v1/admin/users",
  "rpc/%2e%2e/products",
  "rpc/a/b",
  "products/../x",
  "Products",
  "products;drop",
  "products#x",
  "@evil.example/products",
  "products?a=b c",
])("refuses the query %j", (query) => {
  expect(databasePath(query)).toBeUndefined();
});
