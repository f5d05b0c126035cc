import type { Database as Generated, Json } from "./database.generated.js";
import type {
  Booking,
  Category,
  Content,
  ContentType,
  Customer,
  Dashboard,
  EmailTemplate,
  Event,
  LocalizedTemplate,
  Mail,
  Marketplace,
  Me,
  MediaAsset,
  Order,
  OrderCancellation,
  OrderPart,
  OrderReturn,
  PageTemplate,
  Payment,
  Product,
  ReturnRequest,
  ServiceCalendar,
  Shipment,
  Storefront,
  Supplier,
  Tenant,
  Webhook,
} from "./openapi.generated.js";
import type { AnswerOf, BodyOf } from "./operations.js";

// The types of the database say `Json` for a json column, because Postgres does not know more. The records of the API
// have the same fields, and their types say what is in them.

/** The record of the API whose fields a table or view has. */
interface Records {
  bookings: Booking;
  categories: Category;
  content: Content;
  content_types: ContentType;
  dashboards: Dashboard;
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
  product_details: Product;
  products: Product;
  published_content: Content;
  ranked_products: AnswerOf<"get", "/api/products">["products"][number];
  return_request_details: ReturnRequest;
  service_calendars: ServiceCalendar;
  shipment_details: Shipment;
  suppliers: Supplier;
  template_localizations: LocalizedTemplate;
  templates: PageTemplate;
  tenants: Tenant;
  webhook_details: Webhook;
}

/** A function whose answer is a record or list of the API, with the types of its json arguments. */
interface Calls {
  cancel_order_items: [
    AnswerOf<"post", "/api/orders/{id}/cancellations">,
    BodyOf<"post", "/api/orders/{id}/cancellations">,
  ];
  change_inventory: [AnswerOf<"patch", "/api/products/{id}/inventory">];
  change_marketplace: [Marketplace, { changes: BodyOf<"put", "/api/marketplaces/{id}"> }];
  change_order_status: [Order];
  change_webhook: [Webhook, { changes: BodyOf<"put", "/api/webhooks/{id}"> }];
  create_category: [Category, BodyOf<"post", "/api/categories">];
  create_customer: [Customer];
  create_marketplace: [Marketplace, BodyOf<"post", "/api/marketplaces">];
  create_product: [Product, BodyOf<"post", "/api/products">];
  create_shipment: [
    AnswerOf<"post", "/api/orders/{id}/shipments">,
    BodyOf<"post", "/api/orders/{id}/shipments">,
  ];
  create_supplier: [Supplier, BodyOf<"post", "/api/suppliers">];
  create_webhook: [AnswerOf<"post", "/api/webhooks">, BodyOf<"post", "/api/webhooks">];
  get_inventory: [AnswerOf<"get", "/api/products/{id}/inventory">];
  get_product: [Product];
  get_service_calendar: [ServiceCalendar];
  list_events: [AnswerOf<"get", "/api/events">];
  list_products: [AnswerOf<"get", "/api/products">];
  me: [Me];
  place_order: [Order, BodyOf<"post", "/api/orders">];
  report_payment: [
    AnswerOf<"post", "/api/orders/{id}/payments">,
    BodyOf<"post", "/api/orders/{id}/payments">,
  ];
  request_return: [ReturnRequest, BodyOf<"post", "/api/orders/{id}/return-requests">];
  return_order_items: [
    AnswerOf<"post", "/api/orders/{id}/returns">,
    BodyOf<"post", "/api/orders/{id}/returns">,
  ];
  set_service_calendar: [ServiceCalendar, BodyOf<"put", "/api/products/{id}/calendar">];
  similar_products: [AnswerOf<"get", "/api/products/{id}/similar">];
  storefront: [Storefront];
  top_sales: [AnswerOf<"get", "/api/products/top-sales">];
  update_category: [Category, { changes: BodyOf<"put", "/api/categories/{id}"> }];
  update_product: [Product, { changes: BodyOf<"put", "/api/products/{id}"> }];
  update_tenant: [Tenant, { changes: BodyOf<"patch", "/api/tenant"> }];
}

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

type Functions<All> = {
  [Name in keyof All]: Name extends keyof Calls
    ? All[Name] extends { Args: infer Args }
      ? {
          Args: Calls[Name] extends [unknown, infer Body] ? Known<Args, Body> : Args;
          Returns: Calls[Name][0];
        }
      : All[Name]
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
