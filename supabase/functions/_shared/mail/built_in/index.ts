import { applicationDecided } from "./application_decided.ts";
import { applicationReceived } from "./application_received.ts";
import type { BuiltInMail } from "./built_in_mail.ts";
import { campaignApproved } from "./campaign_approved.ts";
import { campaignExhausted } from "./campaign_exhausted.ts";
import { campaignRejected } from "./campaign_rejected.ts";
import { exportReady } from "./export_ready.ts";
import { invitation } from "./invitation.ts";
import { itemsCancelled } from "./items_cancelled.ts";
import { lowStock } from "./low_stock.ts";
import { operatorOrderPlaced } from "./operator_order_placed.ts";
import { orderCancelled } from "./order_cancelled.ts";
import { orderPlaced } from "./order_placed.ts";
import { orderRefunded } from "./order_refunded.ts";
import { orderReturned } from "./order_returned.ts";
import { orderShipped } from "./order_shipped.ts";
import { paymentFailed } from "./payment_failed.ts";
import { payoutPaid } from "./payout_paid.ts";
import { productDecided } from "./product_decided.ts";
import { returnRequested } from "./return_requested.ts";
import { shipmentSent } from "./shipment_sent.ts";
import { supplierOrderPlaced } from "./supplier_order_placed.ts";
import { webhookDisabled } from "./webhook_disabled.ts";
import { welcome } from "./welcome.ts";

export type { BuiltInMail } from "./built_in_mail.ts";

/** The built-in mails, by key. */
export const BUILT_IN = {
  order_placed: orderPlaced,
  order_shipped: orderShipped,
  order_cancelled: orderCancelled,
  order_returned: orderReturned,
  order_refunded: orderRefunded,
  payment_failed: paymentFailed,
  shipment_sent: shipmentSent,
  items_cancelled: itemsCancelled,
  return_requested: returnRequested,
  supplier_order_placed: supplierOrderPlaced,
  operator_order_placed: operatorOrderPlaced,
  payout_paid: payoutPaid,
  welcome,
  invitation,
  application_received: applicationReceived,
  application_decided: applicationDecided,
  product_decided: productDecided,
  export_ready: exportReady,
  campaign_approved: campaignApproved,
  campaign_rejected: campaignRejected,
  campaign_exhausted: campaignExhausted,
  low_stock: lowStock,
  webhook_disabled: webhookDisabled,
} as const satisfies Record<string, BuiltInMail>;

export type BuiltInKey = keyof typeof BUILT_IN;
