// The types of the database for plain supabase-js. `npm run typecheck` compares them; this file has nothing to run but the list.
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Json } from "../src/database.generated.js";
import type { Database } from "../src/database.js";
import type { Order, Product } from "../src/index.js";

type Schema = Database["public"];
type Functions = Schema["Functions"];
type Relations = Schema["Tables"] & Schema["Views"];

/** Any json. `unknown` is the type of columns that a function computes for sorting. */
type IsJson<Type> = unknown extends Type
  ? false
  : NonNullable<Json> extends NonNullable<Type>
    ? true
    : false;

/** The functions whose answer may be any json. */
type Untyped = {
  [Name in keyof Functions]: IsJson<Functions[Name]["Returns"]> extends true ? Name : never;
}[keyof Functions];

/** The columns that may be any json, as `table.column`. */
type UntypedColumn = {
  [Name in keyof Relations & string]: {
    [Column in keyof Relations[Name]["Row"] & string]: IsJson<
      Relations[Name]["Row"][Column]
    > extends true
      ? `${Name}.${Column}`
      : never;
  }[keyof Relations[Name]["Row"] & string];
}[keyof Relations & string];

const ADDRESSES = "The API adds the signed addresses of files.";
const STEPS = "A step of a save, a merge or a comparison, which the API completes.";
const STORED = "The record as it is stored; the API presents it in another form.";
const LINES = "The client's imports and exports call it for each batch.";
const SERVICE = "For the edge functions or the operators of a project only.";

/** Why the answer of a function has no type. A function that is missing here, or has one by now, fails `npm run typecheck`. */
const UNTYPED: Record<Untyped, string> = {
  add_product_file: ADDRESSES,
  branches_to_merge: STEPS,
  compare_content: STEPS,
  compare_template_versions: STEPS,
  content_to_merge: STEPS,
  create_media_asset: ADDRESSES,
  email_template_preview: STEPS,
  embedding_status: SERVICE,
  export_products: LINES,
  get_content: STORED,
  get_media: ADDRESSES,
  get_placement_category: STORED,
  get_template: STORED,
  health: SERVICE,
  import_orders: LINES,
  import_products: LINES,
  lease_refunds: SERVICE,
  list_content: STORED,
  list_countries: "The API adds the names in a language.",
  list_media: ADDRESSES,
  list_product_files: ADDRESSES,
  media_upload: SERVICE,
  merge_content: STEPS,
  order_downloads: ADDRESSES,
  page_assets: SERVICE,
  perform_once: "It answers what the function that it calls answers.",
  preview_content: SERVICE,
  read_export_rows: SERVICE,
  read_lesson: SERVICE,
  record_payment_reports: SERVICE,
  record_payment_session: SERVICE,
  register_media: SERVICE,
  replace_media_asset: ADDRESSES,
  save_content: STEPS,
  save_localization: STEPS,
  set_placement_category: STORED,
  lease_export: SERVICE,
  lease_mails: SERVICE,
  template_inputs: SERVICE,
  unsubscribe: SERVICE,
  update_media_asset: ADDRESSES,
  webhook_target: SERVICE,
  zone_offsets: SERVICE,
};

const UNTYPED_COLUMNS: Record<UntypedColumn, string> = {
  "mails.variables": "What a mail is about, as its trigger says.",
  "payments.delivery_shares": STORED,
};

describe("the types of the database", () => {
  it("say what is in json, except where a reason is given", () => {
    expect(Object.values({ ...UNTYPED, ...UNTYPED_COLUMNS })).not.toContain("");
  });

  it("are those of the API's records, in columns, rows of functions and answers", () => {
    expectTypeOf<Functions["place_order"]["Returns"]>().toEqualTypeOf<Order>();
    expectTypeOf<Relations["products"]["Row"]["images"]>().toEqualTypeOf<Product["images"]>();
    type Booked = Functions["booked_orders"]["Returns"][number];
    expectTypeOf<Booked["shipping_address"]>().toEqualTypeOf<Order["shipping_address"]>();
    expectTypeOf<Functions["list_commissions"]["Returns"]["total"]>().toEqualTypeOf<number>();
  });
});
