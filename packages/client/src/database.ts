import type { Database as Generated, Json } from "./database.generated.js";
import type { AnsweredAsTheyAre } from "./functions.generated.js";
import type {
  Booking,
  Category,
  ComponentTemplate,
  Content,
  ContentType,
  Dashboard,
  Discount,
  EmailTemplate,
  Event,
  LocalizedTemplate,
  Mail,
  Marketplace,
  MediaAsset,
  Order,
  OrderCancellation,
  OrderPart,
  OrderReturn,
  PageTemplate,
  Payment,
  PaymentSession,
  PayoutStatement,
  PlacementCharge,
  Product,
  ProductApproval,
  ReturnRequest,
  ServiceCalendar,
  Shipment,
  Supplier,
  SupplierApplication,
  Tenant,
  Webhook,
} from "./openapi.generated.js";
import type { AnswerOf, BodyOf } from "./operations.js";

// The types of the database say `Json` for a json column, because Postgres does not know more. The records of the API
// have the same fields, and their types say what is in them.

/** The record of the API whose fields a table or view has. */
interface Records {
  booking_details: Booking;
  bookings: Booking;
  categories: Category;
  content: Content;
  content_types: ContentType;
  dashboards: Dashboard;
  discount_details: Discount;
  email_templates: EmailTemplate;
  events: { payload: Event };
  mails: Mail;
  marketplaces: Marketplace;
  media_assets: MediaAsset;
  order_cancellation_details: OrderCancellation;
  order_details: Order;
  order_parts: OrderPart;
  order_return_details: OrderReturn;
  orders: Order;
  payments: Payment;
  placement_categories: {
    other_prices: { currency: string; base_price: number; min_bid: number }[];
  };
  placement_charges: PlacementCharge;
  product_approvals: ProductApproval;
  product_details: Product;
  products: Product & { attribute_values: { [name: string]: string } | null };
  published_content: Content;
  ranked_products: AnswerOf<"get", "/api/products">["products"][number] & Pick<Product, "safety">;
  return_request_details: ReturnRequest;
  service_calendars: ServiceCalendar;
  shipment_details: Shipment;
  supplier_applications: SupplierApplication;
  suppliers: Supplier;
  template_components: ComponentTemplate;
  template_localizations: LocalizedTemplate;
  templates: PageTemplate;
  tenants: Tenant;
  webhook_details: Webhook;
  webhooks: { headers: NonNullable<BodyOf<"post", "/api/webhooks">["headers"]> | null };
}

/** What a payment provider is asked for. */
interface PaymentCharge {
  tenant_id: string;
  order_id: string;
  session_id: string;
  reference: string | null;
  /** A decimal number. */
  amount: string;
  currency: string;
  capture: "automatic" | "manual";
}

/** The functions of which the routes do not show it, as `AnsweredAsTheyAre` has the others. */
interface Calls {
  approve_return: [AnswerOf<"post", "/api/orders/{id}/return-requests/{request_id}/approve">];
  begin_payment: [{ session: PaymentSession; charge: PaymentCharge; instructions: string | null }];
  cancel_return: [AnswerOf<"post", "/api/orders/{id}/return-requests/{request_id}/cancel">];
  capture_payment: [{ session: PaymentSession; charge: PaymentCharge }];
  change_order_status: [Order];
  change_webhook: [Webhook, { changes: BodyOf<"put", "/api/webhooks/{id}"> }];
  create_template_preview: [AnswerOf<"post", "/api/templates/{id}/preview">];
  create_webhook: [AnswerOf<"post", "/api/webhooks">, BodyOf<"post", "/api/webhooks">];
  list_payment_methods: [
    Omit<AnswerOf<"get", "/api/payment-methods">, "providers"> & { tenant_id: string },
  ];
  move_content: [AnswerOf<"post", "/api/content/{type}/{id}/submit">];
  payout_statement: [Omit<PayoutStatement, "lines">];
  payout_statement_lines: [PayoutStatement["lines"]];
  reject_return: [AnswerOf<"post", "/api/orders/{id}/return-requests/{request_id}/reject">];
  rotate_webhook_secret: [AnswerOf<"post", "/api/webhooks/{id}/rotate-secret">];
  search_by_meaning: [AnswerOf<"get", "/api/products/search/semantic">];
  switch_tenant: [AnswerOf<"post", "/auth/tenants">];
}

type AllCalls = Omit<AnsweredAsTheyAre, keyof Calls> & Calls;

/** Fields with the types of a record where the database has json. */
type Known<Fields, Record> = {
  [Name in keyof Fields]: NonNullable<Json> extends NonNullable<Fields[Name]>
    ? Name extends keyof Record
      ? Record[Name]
      : Fields[Name]
    : Fields[Name];
};

type Relations<All> = {
  [Relation in keyof All]: Relation extends keyof Records
    ? {
        [Part in keyof All[Relation]]: Part extends "Row" | "Insert" | "Update"
          ? Known<All[Relation][Part], Records[Relation]>
          : All[Relation][Part];
      }
    : All[Relation];
};

/** A function that answers rows of a table or view has them as that has. */
type Answer<Function> = Function extends {
  Returns: (infer Row)[];
  SetofOptions: { to: infer Relation extends keyof Records };
}
  ? Known<Row, Records[Relation]>[]
  : Function extends {
        Returns: infer Row;
        SetofOptions: { to: infer Relation extends keyof Records };
      }
    ? Known<Row, Records[Relation]>
    : Function extends { Returns: infer Returns }
      ? Returns
      : never;

type Functions<All> = {
  [Name in keyof All]: All[Name] extends { Args: infer Args; Returns: infer Returns }
    ? Omit<All[Name], "Args" | "Returns"> & {
        Args: Name extends keyof AllCalls
          ? AllCalls[Name] extends [unknown, infer Body]
            ? Known<Args, Body>
            : Args
          : Args;
        Returns: Json extends Returns
          ? Name extends keyof AllCalls
            ? AllCalls[Name][0]
            : Returns
          : Answer<All[Name]>;
      }
    : All[Name];
};

type Public = Generated["public"];

/** The database for supabase-js: `createClient<Database>(…)`. Json columns have the types of the API's records. */
export type Database = Omit<Generated, "public"> & {
  public: Omit<Public, "Tables" | "Views" | "Functions"> & {
    Tables: Relations<Public["Tables"]>;
    Views: Relations<Public["Views"]>;
    Functions: Functions<Public["Functions"]>;
  };
};
