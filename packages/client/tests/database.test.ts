import { createClient } from "@supabase/supabase-js";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Database as Made } from "../src/database.generated.js";
import type { Answers, Arguments, Columns } from "../src/database.js";
import type {
  Address,
  CategoryAttribute,
  Database,
  ListedProduct,
  Order,
  ProductImage,
  ProductList,
} from "../src/index.js";
import { openServer } from "./server.js";

// What plain supabase-js says of Souk's database, once it is given the type. tsc checks it, with all other tests.

type Public = Made["public"];
type Name<Kind extends "Tables" | "Views" | "Functions"> = keyof Public[Kind];
type Functions = Public["Functions"];

/** The functions whose answer is json to which nobody has given a type. */
type Untold = {
  [F in keyof Functions]: unknown extends Functions[F]["Returns"]
    ? F
    : { a: 1 } extends Functions[F]["Returns"]
      ? F
      : never;
}[keyof Functions];

describe("the database's types", () => {
  it("tell of each function what it answers, but of those for Souk's own workers", () => {
    type Workers =
      | "embedding_status"
      | "read_export_rows"
      | "read_lesson"
      | "take_export"
      | "take_mails"
      | "unsubscribe"
      | "webhook_target";
    expectTypeOf<Exclude<Untold, keyof Answers>>().toEqualTypeOf<Workers | "perform_once">();
  });

  it("name nothing that the database lacks", () => {
    expectTypeOf<Exclude<keyof Answers, Name<"Functions">>>().toBeNever();
    expectTypeOf<Exclude<keyof Arguments, Name<"Functions">>>().toBeNever();
    expectTypeOf<Exclude<keyof Columns, Name<"Tables"> | Name<"Views">>>().toBeNever();
    type Row<T extends keyof Columns> =
      T extends Name<"Tables">
        ? Public["Tables"][T]["Row"]
        : T extends Name<"Views">
          ? Public["Views"][T]["Row"]
          : never;
    type Lacking = { [T in keyof Columns]: Exclude<keyof Columns[T], keyof Row<T>> };
    expectTypeOf<Lacking[keyof Columns]>().toBeNever();
  });

  it("reach supabase-js", async () => {
    const product = { id: "p", name: "Brass lamp", images: [{ url: "https://x/1.jpg", alt: "" }] };
    const server = await openServer(({ path }) => ({
      body: path.includes("/rpc/list_products") ? { products: [product] } : [product],
    }));
    const supabase = createClient<Database>(server.url, "a-key", {
      realtime: { transport: class {} as never },
    });

    const { data: list } = await supabase.rpc("list_products", { search: "lamp" }).throwOnError();
    expectTypeOf(list).toEqualTypeOf<ProductList>();
    expectTypeOf(list.products).toEqualTypeOf<ListedProduct[]>();
    const { data: rows } = await supabase.from("products").select("name, images").throwOnError();
    expectTypeOf(rows).toEqualTypeOf<{ name: string; images: ProductImage[] }[]>();
    expect(rows[0]?.images[0]?.url).toBe("https://x/1.jpg");

    const { data: order } = await supabase
      .rpc("place_order", {
        marketplace_id: "m",
        items: [{ product_id: "p", quantity: 1, price: 2 }],
        shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
      })
      .throwOnError();
    expectTypeOf(order).toEqualTypeOf<Order>();
    // @ts-expect-error: an item has a price.
    const pricelessly = { marketplace_id: "m", items: [{ product_id: "p" }] } satisfies PlaceOrder;
    expect(pricelessly.items).toHaveLength(1);
  });

  it("tell what rows hold that are json", () => {
    type Tables = Database["public"]["Tables"];
    expectTypeOf<Tables["orders"]["Row"]["shipping_address"]>().toEqualTypeOf<Address | null>();
    expectTypeOf<Tables["categories"]["Row"]["attributes"]>().toEqualTypeOf<CategoryAttribute[]>();
    expectTypeOf<Tables["products"]["Insert"]["images"]>().toEqualTypeOf<
      ProductImage[] | undefined
    >();
    type Details = Database["public"]["Views"]["order_details"]["Row"];
    expectTypeOf<Details["items"]>().toEqualTypeOf<Order["items"]>();
    type Change = Database["public"]["Functions"]["change_campaign"]["Args"]["changes"];
    expectTypeOf<Change>().toEqualTypeOf<{
      status?: "paused" | "active" | "cancelled";
      bid_amount?: number;
      max_bid?: number | null;
      daily_budget?: number | null;
    }>();
  });
});

type PlaceOrder = Database["public"]["Functions"]["place_order"]["Args"];
