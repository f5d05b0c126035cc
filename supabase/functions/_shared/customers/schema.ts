import { z } from "@hono/zod-openapi";
import { changesSomething, NOTHING_TO_CHANGE } from "../http/if_match.ts";
import { addressFields, shownAddressFields } from "../orders/schema.ts";

export const personalData = z
  .object({
    customer_id: z.guid(),
    read_at: z.string(),
    records: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).openapi({
      description:
        "The rows with personal data by table, each with those of its columns that have personal data, and its id, order_id and created_at.",
    }),
  })
  .openapi("PersonalData", {
    example: {
      customer_id: "6f6e7f5e-0b0c-4d9e-8d43-3a5b6f0c2a11",
      read_at: "2026-11-29T12:00:00+00:00",
      records: {
        customers: [
          {
            id: "6f6e7f5e-0b0c-4d9e-8d43-3a5b6f0c2a11",
            name: "Amina Karimova",
            email: "amina@example.com",
          },
        ],
      },
    },
  });

export const customerAddress = z
  .looseObject({
    id: z.guid(),
    is_default: z.boolean().openapi({ description: "Whether shops propose it." }),
    ...shownAddressFields,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("CustomerAddress");

export const customerAddresses = z
  .object({ addresses: z.array(customerAddress) })
  .openapi("CustomerAddresses");

const is_default = z.boolean().optional().openapi({
  description: "True makes it the default, in place of the one before. The first one always is.",
});

export const newCustomerAddress = z
  .looseObject({ ...addressFields, is_default })
  .openapi("NewCustomerAddress", {
    description: "The fields of an address as in orders, and is_default.",
    example: {
      name: "Amina Karimova",
      street: "1 Palm Street",
      city: "Samarkand",
      postal_code: "140100",
      country: "UZ",
    },
  });

export const customerAddressChanges = z
  .looseObject({ ...addressFields, is_default })
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("CustomerAddressChanges", {
    description: "Fields that are not sent do not change; null removes one.",
    example: { phone: "+998 66 123 45 67" },
  });
