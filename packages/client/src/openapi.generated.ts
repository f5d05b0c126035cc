// Made from the OpenAPI document by `npm run types`. Do not edit.

export interface paths {
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register: open a tenant, or join one
         * @description Send one of tenant_name, tenant_id and invitation. With a guest's token send none of them and no role: the guest keeps its id, tenant and orders. Errors: CONFLICT (409) if the e-mail has an account or the guest has already registered; NOT_FOUND (404) if the tenant or invitation does not exist.
         */
        post: operations["auth.register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/guest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Visit a marketplace without an account
         * @description Creates a guest: a user with the rights of a customer, who may register later. Errors: NOT_FOUND (404) if no such marketplace is active; RATE_LIMITED (429) after 30 guests of an IP address in an hour.
         */
        post: operations["auth.guest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: operations["auth.login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new session
         * @description A refresh token works once. Using it again ends its session. Errors: CONFLICT (409) while other requests use the refresh token.
         */
        post: operations["auth.refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["auth.logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the caller */
        get: operations["auth.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the caller's tenants */
        get: operations["auth.tenants"];
        put?: never;
        /**
         * Open or join a further tenant with an existing account
         * @description Send tenant_name or tenant_id. Switch to it with /auth/switch. Errors: NOT_FOUND (404); CONFLICT (409) if the caller is already a member.
         */
        post: operations["auth.addTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch to another tenant
         * @description The session moves to that tenant. Without a refresh_token, refresh the session to get its new tokens. Other sessions do not change. A new session starts in the tenant chosen last. Errors: NOT_FOUND (404) unless the caller is an active member of it; CONFLICT (409) while other requests use the refresh token.
         */
        post: operations["auth.switchTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a session for an API key
         * @description OAuth 2.0 client credentials: send client_id and client_secret as a form, as JSON, or with HTTP Basic. There is no refresh token: ask again before the access token expires. Errors of the request are worded as in RFC 6749: invalid_client (401) for an unknown, expired or removed key and for a wrong secret. Errors: RATE_LIMITED (429) after ten failures of a key in a minute.
         */
        post: operations["auth.token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description For admins and clients.
         */
        get: operations["invitations.list"];
        put?: never;
        /**
         * Invite a member
         * @description For admins. Send the token to the owner of the e-mail address. It works once, within 7 days, and only for this address. A pending invitation of the address is replaced. Errors: CONFLICT (409) if the address belongs to a member.
         */
        post: operations["invitations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation with an existing account
         * @description Joins a further tenant; switch to it with /auth/switch. Without an account, register with the invitation instead.
         */
        post: operations["invitations.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invitation
         * @description For admins and clients. Errors: NOT_FOUND (404).
         */
        get: operations["invitations.get"];
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description For admins. Its token stops working. A user who has accepted it stays a member. Errors: NOT_FOUND (404).
         */
        delete: operations["invitations.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/semantic-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products by meaning
         * @description Searches by the words and by the meaning of the query. The score is the reciprocal rank fusion of both lists; a product that is first in both has 1. Without vectors on the server, only the words count.
         */
        get: operations["search.semantic.get"];
        put?: never;
        /**
         * Search products by meaning
         * @description Searches by the words and by the meaning of the query. The score is the reciprocal rank fusion of both lists; a product that is first in both has 1. Without vectors on the server, only the words count.
         */
        post: operations["search.semantic.post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the tenant */
        get: operations["tenant.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the tenant
         * @description For admins. Its name, time zone and settings. Settings that are not sent do not change. Errors: CONFLICT (409) if the tenant has changed since updated_at.
         */
        patch: operations["tenant.update"];
        trace?: never;
    };
    "/api/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members */
        get: operations["members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["members.get"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description For admins. The change takes effect at once. The account and its orders remain. Errors: LAST_ADMIN (422); NOT_FOUND (404).
         */
        delete: operations["members.remove"];
        options?: never;
        head?: never;
        /**
         * Suspend a member, or change its role
         * @description For admins. The change takes effect at once, also for valid tokens. The role supplier requires a supplier_id. Errors: LAST_ADMIN (422); NOT_FOUND (404).
         */
        patch: operations["members.update"];
        trace?: never;
    };
    "/api/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description For admins and suppliers.
         */
        get: operations["apiKeys.list"];
        put?: never;
        /**
         * Create an API key
         * @description For admins and suppliers. For a machine, which exchanges client_id and client_secret for a session at /auth/token. The secret is shown only now. An API key cannot create keys. Errors: LIMIT_REACHED (422) after 100 keys of a tenant.
         */
        post: operations["apiKeys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["apiKeys.get"];
        put?: never;
        post?: never;
        /**
         * Remove an API key
         * @description For admins and suppliers. Its sessions end at once. Errors: NOT_FOUND (404).
         */
        delete: operations["apiKeys.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppliers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List suppliers */
        get: operations["suppliers.list"];
        put?: never;
        /**
         * Create a supplier
         * @description For admins. Members join it by an invitation or a change of their role.
         */
        post: operations["suppliers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/suppliers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a supplier
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["suppliers.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change or verify a supplier
         * @description For admins and suppliers. A supplier changes its own name and legal identity. Errors: CONFLICT (409) if the supplier has changed since updated_at; NOT_FOUND (404).
         */
        patch: operations["suppliers.update"];
        trace?: never;
    };
    "/api/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers
         * @description For admins, clients and customers.
         */
        get: operations["customers.list"];
        put?: never;
        /**
         * Create a customer without an account
         * @description For admins and clients. Admins and clients place orders for the customer.
         */
        post: operations["customers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a customer
         * @description For admins, clients and customers. Errors: NOT_FOUND (404).
         */
        get: operations["customers.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/marketplaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List marketplaces */
        get: operations["marketplaces.list"];
        put?: never;
        /**
         * Create a marketplace
         * @description For admins. It starts as a draft; activate it by changing its status. Errors: CONFLICT (409) if the domain is taken.
         */
        post: operations["marketplaces.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/marketplaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a marketplace
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["marketplaces.get"];
        /**
         * Change a marketplace
         * @description For admins. Fields that are not sent stay as they are, also those of settings. Errors: INVALID_TRANSITION (422) if the status cannot change this way; CONFLICT (409) if the marketplace has changed since updated_at, the domain is taken or the currency is in use; NOT_FOUND (404).
         */
        put: operations["marketplaces.update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/storefront": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public data of an active marketplace
         * @description The response may be cached for 60 seconds. Errors: NOT_FOUND (404).
         */
        get: operations["marketplaces.storefront"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/delivery-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the delivery methods of a marketplace
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["marketplaces.deliveryMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the payment methods of a marketplace
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["marketplaces.paymentMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/countries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the countries of addresses, with what an address there must have
         * @description For a form: `labels` has the fields of the country, and `required` those that an order's address must have.
         */
        get: operations["countries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tree of categories
         * @description The whole tree, without pages.
         */
        get: operations["categories.list"];
        put?: never;
        /**
         * Create a category
         * @description For admins. Its products have its attributes and those of all categories above it.
         */
        post: operations["categories.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a category
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["categories.get"];
        /**
         * Change a category
         * @description For admins. Fields that are not sent stay as they are. Existing products must meet changed attributes when their own attributes or category change next. Errors: CONFLICT (409) if the category has changed since updated_at; NOT_FOUND (404).
         */
        put: operations["categories.update"];
        post?: never;
        /**
         * Delete a category
         * @description For admins. Errors: CONFLICT (409) while it has children or products; NOT_FOUND (404).
         */
        delete: operations["categories.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import products
         * @description For admins and suppliers. CSV with a header, or one JSON object per line, read while it arrives. external_id or id identifies a product. A new product is created, a different one is changed, and an equal one stays, so an import can be repeated. Each line succeeds or fails by itself. With Accept: application/x-ndjson the response reports the progress, line by line. One request imports at most 20,000 records, 8 million characters, or for 60 seconds. If lines remain, the response has next_line: send the rest, below the header of CSV, with first_line set to it.
         */
        post: operations["products.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export products
         * @description For admins, clients and suppliers. Suppliers export their own products. Discontinued products are left out. Each started 100 products count as a request of the minute; an export that has begun goes on. The response is streamed, in the order of ids and in the format of POST /import. In CSV, a cell that a spreadsheet would run as a formula gets a leading apostrophe, which an import removes. An xlsx has the columns of CSV, and is written as a whole.
         */
        get: operations["products.export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a product's stock and its reservations
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["inventory.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a product's stock
         * @description For admins and suppliers. `set` replaces the quantity, `add` increases it, `subtract` decreases it; concurrent changes are safe. Errors: INSUFFICIENT_INVENTORY (422) if the stock would fall below what orders have reserved; nothing changes then; NOT_FOUND (404).
         */
        patch: operations["inventory.change"];
        trace?: never;
    };
    "/api/products/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a product's files
         * @description For admins, clients and suppliers. Suppliers: their own products only. Customers get the files through their orders. Errors: NOT_FOUND (404).
         */
        get: operations["files.list"];
        put?: never;
        /**
         * Add a file to a digital product
         * @description For admins and suppliers. Suppliers: their own products only. Customers who have already bought the product get the file, too. Errors: NOT_FOUND (404).
         */
        post: operations["files.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/files/{file_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a file of a product
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        delete: operations["files.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/licence-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a product's licence keys
         * @description For admins, clients and suppliers. Suppliers: their own products only. The codes are masked. Only the customer who received a key can read its code. Errors: NOT_FOUND (404).
         */
        get: operations["licenceKeys.list"];
        put?: never;
        /**
         * Add licence keys to a digital product
         * @description For admins and suppliers. Suppliers: their own products only. The product must have been created with `track_inventory`. Each new key adds a piece to the stock. Codes that the product already has are skipped and reported, so repeating the request is safe. Errors: NOT_FOUND (404).
         */
        post: operations["licenceKeys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/licence-keys/{licence_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a licence key that was not handed out
         * @description For admins and suppliers. The stock decreases by one piece. Errors: CONFLICT (409) if a customer has the key; INSUFFICIENT_INVENTORY (422) if orders have reserved all remaining keys; NOT_FOUND (404).
         */
        delete: operations["licenceKeys.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the calendar of a service
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["calendars.get"];
        /**
         * Set the calendar of a service
         * @description For admins and suppliers. Suppliers: their own products only. Creates the calendar or replaces it as a whole. Existing bookings remain. Errors: NOT_FOUND (404).
         */
        put: operations["calendars.set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the free slots of a service
         * @description For a product that the caller sees. To book a slot, order the product with the slot's `starts_at` in the item. Errors: NOT_FOUND (404).
         */
        get: operations["calendars.slots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/search/semantic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products by meaning
         * @description Searches by the words and by the meaning of the query. The score is the reciprocal rank fusion of both lists; a product that is first in both has 1. Without vectors on the server, only the words count.
         */
        get: operations["search.semantic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/top-sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List best-selling products
         * @description The active products with most pieces sold in the last days. Cancelled and returned orders do not count, nor do returned pieces of other orders. Promoted products come first.
         */
        get: operations["products.topSales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}/similar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List similar products
         * @description Alternatives to a product on its marketplace: active products in stock, sorted by similar meaning, then by similar name, category and price. Promoted products of its category come first. Errors: NOT_FOUND (404).
         */
        get: operations["products.similar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search products */
        get: operations["products.list"];
        put?: never;
        /**
         * List a product for sale
         * @description For admins and suppliers. Its attributes must be those that its category requires. Errors: CONFLICT (409) if the slug, the external_id or the sku of a variant is taken.
         */
        post: operations["products.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/products/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a product
         * @description By its id or its slug. A former slug returns the product with `moved_to`, its current slug. Errors: NOT_FOUND (404).
         */
        get: operations["products.get"];
        /**
         * Change a product
         * @description For admins and suppliers. Suppliers: their own products only. Fields that are not sent stay as they are; change its stock at …/inventory. Errors: INVALID_TRANSITION (422) if the status cannot change this way or the product is discontinued; CONFLICT (409) if the product has changed since updated_at, an ordered variant is missing, or the slug or a sku is taken; NOT_FOUND (404).
         */
        put: operations["products.update"];
        post?: never;
        /**
         * Delete a product
         * @description For admins and suppliers. Suppliers: their own products only. A product that was ordered before becomes discontinued: it is in no list and cannot be read. Errors: NOT_FOUND (404).
         */
        delete: operations["products.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tree of folders
         * @description The whole tree, without pages.
         */
        get: operations["mediaFolders.list"];
        put?: never;
        /**
         * Create a folder
         * @description For admins. Also for content editors. Errors: CONFLICT (409) if the parent folder already has a folder of that name.
         */
        post: operations["mediaFolders.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description For admins. Also for content editors. Errors: CONFLICT (409) unless it is empty; NOT_FOUND (404).
         */
        delete: operations["mediaFolders.remove"];
        options?: never;
        head?: never;
        /**
         * Rename or move a folder
         * @description For admins. Also for content editors. Errors: CONFLICT (409) if the parent folder already has a folder of that name; NOT_FOUND (404).
         */
        patch: operations["mediaFolders.update"];
        trace?: never;
    };
    "/api/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the media library
         * @description Every member sees public assets. Admins, content roles and the uploader also see private and unfinished ones.
         */
        get: operations["media.list"];
        put?: never;
        /**
         * Announce a file
         * @description For admins and suppliers. Also for content editors. Send the bytes to `upload`, then call …/complete. Errors: UNSUPPORTED_MEDIA (422) if the content type is not accepted; VALIDATION_ERROR (422) on `size`, with `details.remaining` in bytes.
         */
        post: operations["media.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an asset
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["media.get"];
        put?: never;
        post?: never;
        /**
         * Delete an asset
         * @description For admins and suppliers. Also for content editors. Suppliers: their own assets only. Errors: CONFLICT (409) while a record uses it, with `details.used_by`; NOT_FOUND (404).
         */
        delete: operations["media.remove"];
        options?: never;
        head?: never;
        /**
         * Change an asset
         * @description For admins and suppliers. Also for content editors. Suppliers: their own assets only. Products that use its alternative text get the new one. Errors: NOT_FOUND (404).
         */
        patch: operations["media.update"];
        trace?: never;
    };
    "/api/media/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload
         * @description For admins and suppliers. Checks the uploaded bytes, which decide the content type of the asset. The request may be repeated. Errors: CONFLICT (409) if no bytes have arrived; UNSUPPORTED_MEDIA (422) if the bytes are not accepted, or are larger or of another type than announced: then the bytes are deleted, and so is an asset that has no other file; NOT_FOUND (404).
         */
        post: operations["media.complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/media/{id}/replace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the file of an asset
         * @description For admins and suppliers. Announces a new file of the same type (image, video, document, model_3d). The asset changes with …/complete. Then the asset and the products that use it have a new address. Errors: NOT_FOUND (404).
         */
        post: operations["media.replace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List content types
         * @description All of them, without pages.
         */
        get: operations["contentTypes.list"];
        put?: never;
        /**
         * Create a content type
         * @description For admins. Also for members with the content role admin. Errors: CONFLICT (409) if the key is taken; LIMIT_REACHED (422).
         */
        post: operations["contentTypes.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content-types/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a content type
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["contentTypes.get"];
        /**
         * Change a content type
         * @description For admins. Also for members with the content role admin. Content keeps the values of a removed field until somebody changes them. Errors: NOT_FOUND (404).
         */
        put: operations["contentTypes.update"];
        post?: never;
        /**
         * Delete a content type
         * @description For admins. Also for members with the content role admin. Errors: CONFLICT (409) if it is built in or still has content; NOT_FOUND (404).
         */
        delete: operations["contentTypes.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content-types/{key}/workflow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the workflow of a type
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["contentTypes.workflow"];
        /**
         * Set the workflow of a type
         * @description For admins. Also for members with the content role admin. Errors: NOT_FOUND (404).
         */
        put: operations["contentTypes.setWorkflow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List content
         * @description Drafts for callers who may see them, published content for all others. Errors: NOT_FOUND (404) if there is no such type; LIMIT_REACHED (422) on `limit` if the page is too large.
         */
        get: operations["content.list"];
        put?: never;
        /**
         * Create content
         * @description For admins and suppliers. Also for editors. Suppliers: about their own products only. Creates a draft. Errors: CONFLICT (409) if the slug is taken or the subject already has content; NOT_FOUND (404).
         */
        post: operations["content.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read content
         * @description The draft for callers who may see it, the published version for all others, in the requested language or the first available of Accept-Language. The ETag of a draft is its version, for If-Match. With `preview` no access token is needed. Errors: VALIDATION_ERROR (422) on `marketplace_id` if several marketplaces have this slug; NOT_FOUND (404).
         */
        get: operations["content.get"];
        /**
         * Save content
         * @description For admins and suppliers. Also for editors. Suppliers: about their own products only. Saves the sent parts as a new version, merged with newer versions of others. Approved and published content becomes a draft; readers see the published version until the next publication. Errors: CONFLICT (409) with `details.conflicts`, the values that both sides changed differently; LIMIT_REACHED (422) if both sides sorted too many items; NOT_FOUND (404).
         */
        put: operations["content.update"];
        post?: never;
        /**
         * Delete content
         * @description For admins and suppliers. Deletes a draft that was never published. Archives any other content, for publishers, who can restore it. Errors: NOT_FOUND (404).
         */
        delete: operations["content.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a draft for review
         * @description For admins and suppliers. Also for the content role in the workflow of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve content in review
         * @description For admins. Also for the content role in the workflow of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return content in review to draft
         * @description For admins. Also for the content role in the workflow of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive published content
         * @description For admins. Also for the content role in the workflow of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return archived content to draft
         * @description For admins. Also for the content role in the workflow of the type. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish content
         * @description For admins. Also for publishers. Publishes approved content now or `at` a time, and `until` another time. `languages` limits it to these. Errors: INVALID_TRANSITION (422); CONFLICT (409) if other content is published under its slug, or other languages are scheduled; VALIDATION_ERROR (422) on `at` or `until`; NOT_FOUND (404).
         */
        post: operations["content.publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpublish content
         * @description For admins. Also for publishers. `languages` limits it to these. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["content.unpublish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a scheduled publication
         * @description For admins. Also for publishers. Cancels the scheduled end too. Errors: NOT_FOUND (404).
         */
        delete: operations["content.cancelSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the moves of a piece of content
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["content.moves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a piece of content
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["content.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version with its document
         * @description For admins and suppliers. Errors: NOT_FOUND (404) also for a pruned version.
         */
        get: operations["content.version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions
         * @description For admins and suppliers. Key by key; blocks and other items with an id by their ids. Errors: NOT_FOUND (404).
         */
        get: operations["content.compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back to a version
         * @description For admins and suppliers. Saves the document of an earlier version as a new version. Errors: CONFLICT (409) if its slug was taken since; NOT_FOUND (404).
         */
        post: operations["content.rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the branches of a piece of content
         * @description For admins and suppliers. All of them, without pages. Errors: NOT_FOUND (404).
         */
        get: operations["content.branches"];
        put?: never;
        /**
         * Create a branch
         * @description For admins and suppliers. PUT with `?branch=` writes to it. Errors: CONFLICT (409) if the name is taken; LIMIT_REACHED (422); NOT_FOUND (404).
         */
        post: operations["content.createBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/branches/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a branch
         * @description For admins and suppliers. Keeps its versions. Errors: CONFLICT (409) for main; NOT_FOUND (404).
         */
        delete: operations["content.removeBranch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge one branch into another
         * @description For admins and suppliers. A three-way merge against the nearest common version. Errors: CONFLICT (409) with `details.conflicts`, the values that both sides changed differently and no resolution decides: then nothing is written; LIMIT_REACHED (422) if both sides sorted too many items; NOT_FOUND (404).
         */
        post: operations["content.merge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/localizations/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a translation
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["content.localization"];
        /**
         * Save a translation
         * @description For admins and suppliers. Saves the sent texts as a new version of the content, merged with newer versions of others. Untranslated fields follow the original. Errors: CONFLICT (409) with `details.conflicts`, the values that both sides changed differently; LIMIT_REACHED (422) if both sides sorted too many items; NOT_FOUND (404).
         */
        put: operations["content.setLocalization"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/content/{type}/{id}/localizations/{language}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Move a translation
         * @description For admins and suppliers. draft, in_progress, review, approved, published: by one step, or back to draft. Moves to and from approved are for reviewers, to and from published for publishers. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        patch: operations["content.moveLocalization"];
        trace?: never;
    };
    "/api/content/{type}/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a preview of a draft
         * @description For admins and suppliers. The draft can be read with `?preview=<token>` for 24 hours, without a session. Only this response has the token. Errors: NOT_FOUND (404).
         */
        post: operations["content.preview"];
        /**
         * Revoke all previews of a piece of content
         * @description For admins and suppliers. Errors: NOT_FOUND (404).
         */
        delete: operations["content.endPreviews"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List components
         * @description For admins. Also for members with a content role.
         */
        get: operations["components.list"];
        put?: never;
        /**
         * Create a component
         * @description For admins. Also for content editors. Errors: TEMPLATE_ERROR (422) if a text cannot be rendered; TEMPLATE_LIMIT (422); LIMIT_REACHED (422).
         */
        post: operations["components.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/components/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a component
         * @description For admins. Also for members with a content role. Errors: NOT_FOUND (404).
         */
        get: operations["components.get"];
        /**
         * Save a component
         * @description For admins. Also for content editors. Fields that are not sent stay. The change shows at once in all templates. Errors: CONFLICT (409) if there is a newer version; TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        put: operations["components.update"];
        post?: never;
        /**
         * Delete a component
         * @description For admins. Also for content editors. Errors: CONFLICT (409) with `details.used_by` while the latest or the active version of a template shows it; NOT_FOUND (404).
         */
        delete: operations["components.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description Admins and members with a content role get all templates, in their latest version; for others the active ones of marketplaces that they see. Errors: LIMIT_REACHED (422) on `limit`.
         */
        get: operations["templates.list"];
        put?: never;
        /**
         * Create a template
         * @description For admins. Also for content editors. Version 1 of an admin or publisher is active at once. Errors: TEMPLATE_ERROR (422) if a text cannot be rendered; TEMPLATE_LIMIT (422); LIMIT_REACHED (422).
         */
        post: operations["templates.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template
         * @description Admins and members with a content role get the latest or the named version; for others the active one. By a page type: the template that renders such pages, which may be a built-in one. The ETag is the latest version, for If-Match. Errors: NOT_FOUND (404).
         */
        get: operations["templates.get"];
        /**
         * Save a template
         * @description For admins. Also for content editors. Saves a new version, which readers see once it is activated. `content` is replaced as a whole. `is_default` and `caching` take effect at once; only publishers change `is_default` of an active template. Errors: CONFLICT (409) if there is a newer version; TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        put: operations["templates.update"];
        post?: never;
        /**
         * Delete a template
         * @description For admins. Also for publishers, and for content editors if the template was never active. Products and categories that name it get the default template. Errors: CONFLICT (409) with `details.used_by` while others inherit from it or include it; NOT_FOUND (404).
         */
        delete: operations["templates.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a page
         * @description The same without variables. If the page is the same for all readers and its template uses the strategy `cdn`, shared caches may keep it. Errors: NOT_FOUND (404); VALIDATION_ERROR (422) with the message of each wrong variable in `details.errors`; TEMPLATE_ERROR (422) with `section`, `block`, `line`, `column`; TEMPLATE_LIMIT (422) with `limit` and `maximum`.
         */
        get: operations["templates.page"];
        put?: never;
        /**
         * Render a page
         * @description Renders a page as the caller may see it, by a template or by the template of a page type. With `context.preview` no access token is needed. Errors: NOT_FOUND (404); VALIDATION_ERROR (422) with the message of each wrong variable in `details.errors`; TEMPLATE_ERROR (422) with `section`, `block`, `line`, `column`; TEMPLATE_LIMIT (422) with `limit` and `maximum`.
         */
        post: operations["templates.render"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @description For admins. Also for members with a content role. Errors: NOT_FOUND (404).
         */
        get: operations["templates.versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/versions/{version}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate a version
         * @description For admins. Also for publishers. Activating an older version is a rollback. Errors: CONFLICT (409) if the version refers to a template that is not active, or to a deleted record; NOT_FOUND (404).
         */
        post: operations["templates.activate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a template
         * @description For admins. Also for members with a content role. Keys are compared one by one, sections and blocks by id, variables and bindings by name. Errors: NOT_FOUND (404).
         */
        get: operations["templates.compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/localizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the translations of a template
         * @description For admins. Also for members with a content role. The list is not paged. Errors: NOT_FOUND (404).
         */
        get: operations["templates.localizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/localizations/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the translation of a template into a language
         * @description For admins. Also for members with a content role. Errors: NOT_FOUND (404).
         */
        get: operations["templates.localization"];
        /**
         * Save the translation of a template into a language
         * @description For admins. Also for content editors. Fields that are not sent stay; `translations` are replaced as a whole. The change shows at once. Errors: CONFLICT (409) if there is a newer version, or the language exists already; TEMPLATE_ERROR (422) if the styles are not allowed; TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        put: operations["templates.setLocalization"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a preview of a version of a template
         * @description For admins. Also for members with a content role. The preview needs no session and lasts 24 hours. Only this answer contains its token. Errors: NOT_FOUND (404).
         */
        post: operations["templates.preview"];
        /**
         * End all previews of a template
         * @description For admins. Errors: NOT_FOUND (404).
         */
        delete: operations["templates.endPreviews"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List e-mail templates
         * @description For admins and clients.
         */
        get: operations["emailTemplates.list"];
        put?: never;
        /**
         * Create an e-mail template
         * @description For admins. A template with the key of a built-in mail replaces it, and starts with a copy of the texts that are left out. Any other is sent on its trigger_events. Errors: CONFLICT (409) if the key is taken; TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); LIMIT_REACHED (422).
         */
        post: operations["emailTemplates.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email-templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an e-mail template
         * @description For admins and clients. Errors: NOT_FOUND (404).
         */
        get: operations["emailTemplates.get"];
        /**
         * Change an e-mail template
         * @description For admins. Fields that are left out do not change. The key cannot change. Errors: TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        put: operations["emailTemplates.update"];
        post?: never;
        /**
         * Delete an e-mail template
         * @description For admins. A built-in mail of its key is sent again. Errors: NOT_FOUND (404).
         */
        delete: operations["emailTemplates.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email-templates/{id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a mail
         * @description For admins and clients. The mail as it would be sent, with samples for variables that are left out. Errors: TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        post: operations["emailTemplates.render"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/email-templates/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail to the caller
         * @description For admins. Sends the mail with samples for variables that are left out, unless it cannot be rendered. The status of the mail shows whether it was sent. Errors: TEMPLATE_ERROR (422); TEMPLATE_LIMIT (422); NOT_FOUND (404).
         */
        post: operations["emailTemplates.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mails
         * @description For admins. The log of the last 90 days.
         */
        get: operations["mails.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mails/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressions
         * @description For admins. Addresses that get no mails, or none of one kind.
         */
        get: operations["mails.suppressions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mails/suppressions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a suppression
         * @description For admins. The address gets mails again. Errors: NOT_FOUND (404).
         */
        delete: operations["mails.endSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a mail
         * @description For admins. Errors: NOT_FOUND (404).
         */
        get: operations["mails.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mails/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a mail again
         * @description For admins. Sends a mail that has failed again, in up to five attempts. Errors: CONFLICT (409) if it has not failed; NOT_FOUND (404).
         */
        post: operations["mails.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stock
         * @description For admins, clients and suppliers. Suppliers see their own stock. A row for each variant, and for each product without variants. `low_stock=true` lists stock at or below its threshold.
         */
        get: operations["inventory.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/inventory/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List movements of stock
         * @description For admins, clients and suppliers. The ledger: every change with its reason. The sum of all changes is the current stock.
         */
        get: operations["inventory.movements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search/synonyms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List synonyms */
        get: operations["synonyms.list"];
        put?: never;
        /**
         * Make terms synonyms
         * @description For admins. A search for one of the terms then finds the products of all of them.
         */
        post: operations["synonyms.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search/synonyms/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group of synonyms
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["synonyms.get"];
        /**
         * Change a group of synonyms
         * @description For admins. The terms are sent as a whole. Errors: NOT_FOUND (404).
         */
        put: operations["synonyms.update"];
        post?: never;
        /**
         * Delete a group of synonyms
         * @description For admins. A search for one of its terms no longer finds the products of the others. Errors: NOT_FOUND (404).
         */
        delete: operations["synonyms.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import past orders
         * @description For admins. Orders that were placed in another system. CSV with a header, or one JSON object per line, read while it arrives. external_id identifies an order. A new order is made at the time at which it was placed. A line that equals an existing order changes nothing, so an import can be repeated; a line that contradicts it fails. No stock moves, no event follows, and no account is made. A line that fails does not stop the others. With Accept: application/x-ndjson the response reports the progress line by line. One request imports at most 20,000 records, 8 million characters, or for 60 seconds. If lines remain, the response has next_line: send the rest, below the header of CSV, with first_line set to it.
         */
        post: operations["orders.import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the files and licence keys of an order
         * @description For admins, clients and customers. Customers: their own orders only. Empty until the order is paid, shipped or delivered, and again after it is cancelled, returned or refunded. Errors: NOT_FOUND (404).
         */
        get: operations["downloads.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/shipments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shipments of an order
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["shipments.list"];
        put?: never;
        /**
         * Ship items of an order
         * @description For admins, clients and suppliers. Suppliers ship their own items, admins and clients any. The pieces leave the stock, and the order's status follows. Errors: VALIDATION_ERROR (422) if no pieces or fewer than requested are left, and for items of two suppliers; NOT_FOUND (404).
         */
        post: operations["shipments.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/shipments/{shipment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the tracking or the status of a shipment
         * @description For admins, clients and suppliers. Suppliers: their own shipments only. Errors: INVALID_TRANSITION (422) if it is already delivered, lost or void; INSUFFICIENT_INVENTORY (422) if the stock is too small for another shipment; NOT_FOUND (404).
         */
        patch: operations["shipments.update"];
        trace?: never;
    };
    "/api/orders/{id}/cancellations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel items that are not shipped
         * @description Suppliers cancel their own items, customers items of a part that is pending or confirmed and bookings until their cancellable_until, admins and clients all items. A booking that is over is delivered. After its last piece, the order becomes cancelled. Errors: VALIDATION_ERROR (422) if no pieces or fewer than requested are left; NOT_FOUND (404).
         */
        post: operations["orders.cancelItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/return-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the return requests of an order
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["returns.list"];
        put?: never;
        /**
         * Request to send items back
         * @description For admins, clients and customers. Admins and clients request it for a customer. Only pieces that were delivered within the marketplace's return_days and are not digital can be sent back. Errors: VALIDATION_ERROR (422) if fewer can be sent back, and for items of two suppliers; NOT_FOUND (404).
         */
        post: operations["returns.request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/return-requests/{request_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a return request
         * @description For admins and suppliers. Errors: INVALID_TRANSITION (422) if its status does not allow it; NOT_FOUND (404).
         */
        post: operations["returns.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/return-requests/{request_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a return request
         * @description For admins and suppliers. Errors: INVALID_TRANSITION (422) if its status does not allow it; NOT_FOUND (404).
         */
        post: operations["returns.reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/return-requests/{request_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a return request
         * @description For admins, clients and customers. Errors: INVALID_TRANSITION (422) if its status does not allow it; NOT_FOUND (404).
         */
        post: operations["returns.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/return-requests/{request_id}/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the received items of a return request
         * @description For admins and suppliers. Fewer items than requested may be received. They go into stock unless restock is false. After its last piece, the order becomes returned. Errors: INVALID_TRANSITION (422) unless the request is approved; NOT_FOUND (404).
         */
        post: operations["returns.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List orders */
        get: operations["orders.list"];
        put?: never;
        /**
         * Place an order
         * @description For admins, clients and customers. Reserves the stock of every item, or refuses the whole order. A customer's unpaid orders are limited by the marketplace's settings max_unpaid_orders and max_unpaid_pieces; admins and clients are not. Errors: PRICE_MISMATCH (422) with the item; INSUFFICIENT_INVENTORY (422) with the item; LIMIT_REACHED (422) with the setting as cap; INVALID_TRANSITION (422) for replaces; NOT_FOUND (404) for replaces.
         */
        post: operations["orders.place"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an order with its history
         * @description Errors: NOT_FOUND (404).
         */
        get: operations["orders.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Move an order to a status
         * @description For admins, suppliers and customers. Admins may make every allowed move; suppliers move orders forward that have only their items; customers cancel while the order is pending or confirmed, and before the cancellable_until of its bookings. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        put: operations["orders.changeStatus.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Move an order to a status
         * @description For admins, suppliers and customers. Admins may make every allowed move; suppliers move orders forward that have only their items; customers cancel while the order is pending or confirmed, and before the cancellable_until of its bookings. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        patch: operations["orders.changeStatus"];
        trace?: never;
    };
    "/api/orders/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the outcome of a payment
         * @description For admins and clients. A paid order stays paid until all of it is given back. The same status and reference again answers with the payment that is there. refund_failed undoes a refund and payment_reversed a payment, once each, by its reference. Errors: INVALID_TRANSITION (422); CONFLICT (409) for a reference with another amount; NOT_FOUND (404) also for a reference that the order does not have.
         */
        post: operations["payments.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/returns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return items to stock
         * @description For admins. For shipped and delivered orders. After its last piece, the order becomes returned. Errors: INVALID_TRANSITION (422); NOT_FOUND (404).
         */
        post: operations["orders.returnItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orders/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a note to an order
         * @description For an order that the caller sees. Only admins, clients and the supplier who wrote it can read an internal note. Errors: NOT_FOUND (404).
         */
        post: operations["orders.addNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List bookings */
        get: operations["bookings.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/commissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List commissions and payouts
         * @description For admins, clients and suppliers.
         */
        get: operations["commissions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/commission-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rates of commission
         * @description For admins, clients and suppliers.
         */
        get: operations["commissionRates.list"];
        /**
         * Set the rate of a supplier, or of a category
         * @description For admins. Applies to future orders. The rate of an item is the supplier's, else the one of its category or the nearest category above it, else the marketplace's.
         */
        put: operations["commissionRates.set"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/commission-rates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a rate of commission
         * @description For admins. Errors: NOT_FOUND (404).
         */
        delete: operations["commissionRates.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description For admins and clients. Events in a fixed sequence, oldest first. A reader that continues from `next` misses no event and gets none twice. Errors: VALIDATION_ERROR (422) for an unknown cursor.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the types of events */
        get: operations["events.types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description For admins and clients.
         */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Register a webhook
         * @description For admins and clients. The secret is shown only in this response. Errors: NOT_FOUND (404) if the filter names a marketplace that is not the tenant's; VALIDATION_ERROR (422) for an unknown event, an address that cannot be delivered to, a short secret, or a reserved header.
         */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description For admins and clients. Errors: NOT_FOUND (404).
         */
        get: operations["webhooks.get"];
        /**
         * Change a webhook
         * @description For admins and clients. Fields that are not sent stay as they are. A webhook that is switched off receives nothing, also no pending deliveries. After it is switched on, it receives new events: `recover` sends earlier failed deliveries, and GET /api/events lists the events in between. Errors: NOT_FOUND (404) also for a marketplace in the filter; VALIDATION_ERROR (422) as in webhooks.create.
         */
        put: operations["webhooks.update"];
        post?: never;
        /**
         * Delete a webhook
         * @description For admins and clients. Its deliveries are deleted too, and nothing more is sent. Errors: NOT_FOUND (404).
         */
        delete: operations["webhooks.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a webhook's secret
         * @description For admins and clients. The new secret is shown only in this response. The previous secret signs too for 24 hours; older secrets no longer sign. With an Idempotency-Key, a lost response can be requested again. Errors: VALIDATION_ERROR (422) for a short secret; NOT_FOUND (404).
         */
        post: operations["webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description For admins and clients. Errors: VALIDATION_ERROR (422) for a status or an event that does not exist; NOT_FOUND (404).
         */
        get: operations["webhooks.deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description For admins and clients. The delivery, its body, and every attempt. Errors: NOT_FOUND (404).
         */
        get: operations["webhooks.delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description For admins and clients. Sends the delivery now, whatever its status, with its old id and body, and with as many attempts as a new one. Errors: CONFLICT (409) if the webhook is off or the event is no longer stored; NOT_FOUND (404).
         */
        post: operations["webhooks.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the failed deliveries of a webhook again
         * @description For admins and clients. After an outage: sends every delivery again that failed since that time, oldest first, in batches. If `more` is true, repeat the request. Errors: CONFLICT (409) if the webhook is off; NOT_FOUND (404).
         */
        post: operations["webhooks.recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description For admins and clients. Sends the example of an event (GET /api/event-types) once and now, signed like a delivery. This works for webhooks that are off and for events that the webhook has not subscribed to. It is not logged and not repeated. The response has the outcome; it is 200 also if the test failed. Errors: VALIDATION_ERROR (422) for an unknown event; CONFLICT (409) while five other tests of the tenant wait for their receivers; NOT_FOUND (404).
         */
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the promoted slots of a category
         * @description The slots as an auction would fill them now. All members see the campaigns; bids and prices are for admins, clients and the campaign's supplier. Errors: NOT_FOUND (404).
         */
        get: operations["placement.slots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/auctions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List auctions
         * @description For admins and clients. The recorded auctions of the last day, a sample of all auctions.
         */
        get: operations["auctions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/auctions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain an auction
         * @description For admins and clients. Every campaign that took part, with its position and price, or the reason why it won no slot. Errors: NOT_FOUND (404).
         */
        get: operations["auctions.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/auctions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the share of auctions that a campaign won
         * @description For admins, clients and suppliers. Also the reasons for the auctions that it lost. Only recorded auctions count, up to five minutes ago. Other campaigns are not revealed. Errors: NOT_FOUND (404).
         */
        get: operations["campaigns.auctions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List campaigns
         * @description For admins, clients and suppliers.
         */
        get: operations["campaigns.list"];
        put?: never;
        /**
         * Promote a product
         * @description For admins and suppliers. Suppliers: their own products only. It runs at once or from its start. Campaigns of unverified suppliers wait for review. Errors: NOT_FOUND (404) for an unknown product or category; CONFLICT (409) if the product has another campaign in the category at that time; VALIDATION_ERROR (422) for values that the category or the pricing model does not allow.
         */
        post: operations["campaigns.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a campaign
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["campaigns.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pause, resume or cancel a campaign, or change its bids and budget
         * @description For admins and suppliers. Suppliers: their own campaigns only. Fields that are not sent stay as they are. Raising a used-up budget resumes the campaign. Errors: INVALID_TRANSITION (422) also for every change of an ended campaign; NOT_FOUND (404).
         */
        patch: operations["campaigns.update"];
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a campaign
         * @description For admins. It runs from its start or, if that has passed, from now until its end, and pays for these days. A campaign whose end has passed is completed. Errors: INVALID_TRANSITION (422) unless the campaign waits for review; NOT_FOUND (404).
         */
        post: operations["campaigns.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a campaign
         * @description For admins. The note tells the supplier why. Errors: INVALID_TRANSITION (422) unless the campaign waits for review; NOT_FOUND (404).
         */
        post: operations["campaigns.reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a campaign's statistics
         * @description For admins, clients and suppliers. Suppliers: their own campaigns only. A sale belongs to the visitor's last click on the product within the 7 days before it, and counts on the day of the order. Cancelled and returned items do not count. Errors: NOT_FOUND (404).
         */
        get: operations["campaigns.stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a campaign's charges
         * @description For admins, clients and suppliers. Suppliers: their own campaigns only. The charges of a day add up to its spend. Errors: NOT_FOUND (404).
         */
        get: operations["campaigns.charges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/campaigns/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund invalid clicks
         * @description For admins. The clicks of a visitor, or the clicks with these ids, no longer count. Their charges are refunded on the day of the charge, each only once. Errors: NOT_FOUND (404) also for a click of another campaign.
         */
        post: operations["campaigns.refund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report impressions, clicks and sales
         * @description Customers and suppliers report only themselves. Up to 1000 events, each with its own result: an invalid event does not stop the others. A batch that is sent again changes nothing. A click is charged once per visitor, campaign and hour, up to the daily budget. Errors: VALIDATION_ERROR (422) for more events, or for a value that is no list.
         */
        post: operations["placement.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the revenue of placement
         * @description For admins. In total, by category with its competition, by supplier and by day, for each currency. Default: the last 30 days.
         */
        get: operations["placement.report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the placement configuration of a category
         * @description For admins, clients and suppliers. A category without a configuration has the defaults. Errors: NOT_FOUND (404).
         */
        get: operations["placement.category"];
        /**
         * Configure placement in a category
         * @description For admins. Fields that are not sent stay as they are. Existing campaigns keep their fee and bid. Errors: NOT_FOUND (404).
         */
        put: operations["placement.setCategory"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/top-placement/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings of placement
         * @description For admins and clients.
         */
        get: operations["placement.settings"];
        /**
         * Change the settings of placement
         * @description For admins. Fields that are not sent stay as they are.
         */
        put: operations["placement.setSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what visitors do
         * @description Customers and guests report only themselves. Up to 1000 events, each with its own result: an invalid event does not stop the others. A batch that is sent again changes nothing. Bots, the tenant's own members and visitors that its settings ignore are not counted. Errors: VALIDATION_ERROR (422) for more events, or for a value that is no list.
         */
        post: operations["analytics.record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/funnel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the funnel
         * @description For admins, clients and suppliers. The number of distinct visitors who reached each stage. A later stage implies the earlier ones, and an order implies all of them. Suppliers see the visitors of their own products. At most 400 days, within the last 400. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.funnel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the overview
         * @description For admins, clients and suppliers. Revenue, orders, customers and conversion of a period, compared with the same number of days just before. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get sales by time
         * @description For admins, clients and suppliers. A row for every step of the period, including empty ones, and the sum. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.sales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/revenue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get revenue by origin
         * @description For admins, clients and suppliers. Revenue by time, and by marketplace, category, supplier, product or source. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.revenue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/products/top": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the best-selling products
         * @description For admins, clients and suppliers. By revenue, or by pieces minus cancelled and returned ones. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.topProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/customers/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the segments
         * @description For admins, clients and suppliers. Every customer is in exactly one segment; guests without orders are in none. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.segments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/customers/segments/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the customers of a segment
         * @description For admins, clients and suppliers. Sorted by revenue within 365 days, highest first. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.segmentCustomers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/cohorts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cohorts
         * @description For admins, clients and suppliers. Customers by the month of their first order, and how many come back or their revenue, month by month. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.cohorts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/dashboards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dashboards
         * @description For admins, clients and suppliers. Admins and clients share the tenant's dashboards, the members of a supplier share theirs. Every tenant starts with one.
         */
        get: operations["dashboards.list"];
        put?: never;
        /**
         * Create a dashboard
         * @description For admins, clients and suppliers. Each query is run once; one that fails is a VALIDATION_ERROR on its field. Errors: LIMIT_REACHED (422).
         */
        post: operations["dashboards.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/dashboards/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a dashboard
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["dashboards.get"];
        /**
         * Change a dashboard
         * @description For admins, clients and suppliers. Replaces its name and widgets. New queries are run once. Errors: CONFLICT (409) if the dashboard has changed since updated_at; NOT_FOUND (404).
         */
        put: operations["dashboards.update"];
        post?: never;
        /**
         * Delete a dashboard
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        delete: operations["dashboards.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/dashboards/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the data of a dashboard
         * @description For admins, clients and suppliers. The response of each widget's query. A query that fails, such as one of a deleted category, does not stop the others. Errors: NOT_FOUND (404).
         */
        get: operations["dashboards.data"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the definitions of the figures
         * @description The meaning of every figure, in words and as a formula.
         */
        get: operations["analytics.definitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an export
         * @description For admins, clients and suppliers. Suppliers get their own rows. A worker writes the file: get the export until it is ready, or subscribe to it with Realtime. Errors: NOT_FOUND (404) for an unknown marketplace, supplier or category; VALIDATION_ERROR (422) also on `email` if no active member has it; LIMIT_REACHED (422) on `format` or `period` if there are more rows than the format allows, or if too many exports are queued.
         */
        post: operations["analytics.createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/exports/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules of exports
         * @description For admins, clients and suppliers.
         */
        get: operations["analytics.exportSchedules"];
        put?: never;
        /**
         * Schedule an export each day, week or month
         * @description For admins, clients and suppliers. Exports run at the beginning of the tenant's day. Each export belongs to the member who created the schedule, and is refused if that member may no longer see such rows. Errors: NOT_FOUND (404); VALIDATION_ERROR (422) also on `period` if it is custom; LIMIT_REACHED (422) if the tenant has the maximum number of schedules.
         */
        post: operations["analytics.createExportSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/exports/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule of exports
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.getExportSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description For admins, clients and suppliers. Its exports remain. Errors: NOT_FOUND (404).
         */
        delete: operations["analytics.removeExportSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports
         * @description For admins, clients and suppliers.
         */
        get: operations["analytics.exports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/analytics/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an export and the addresses of its files
         * @description For admins, clients and suppliers. Errors: NOT_FOUND (404).
         */
        get: operations["analytics.getExport"];
        put?: never;
        post?: never;
        /**
         * Delete an export and its files
         * @description For admins, clients and suppliers. An export that is being written stops. Errors: NOT_FOUND (404).
         */
        delete: operations["analytics.removeExport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        EventRecords: EventRecords;
        OrderStatus: OrderStatus;
        PaymentStatus: PaymentStatus;
        OrderItem: OrderItem;
        OrderPart: OrderPart;
        DeliveryRecipient: DeliveryRecipient;
        LegalIdentity: LegalIdentity;
        Address: Address;
        OrderContact: OrderContact;
        PaymentReport: PaymentReport;
        RefundBearer: RefundBearer;
        NoteVisibility: NoteVisibility;
        Order: Order;
        Shipment: Shipment;
        ShipmentStatus: ShipmentStatus;
        ReturnRequest: ReturnRequest;
        ReturnRequestStatus: ReturnRequestStatus;
        ProductImage: ProductImage;
        ProductAttribute: ProductAttribute;
        PhysicalDetails: PhysicalDetails;
        ProductVariant: ProductVariant;
        Inventory: Inventory;
        ProductStatus: ProductStatus;
        Role: Role;
        ContentStatus: ContentStatus;
        SalesMismatch: SalesMismatch;
        Webhook: Webhook;
        EventName: EventName;
        EventFields: EventFields;
        Session: Session;
        User: User;
        Error: Error;
        ErrorCode: ErrorCode;
        Registration: Registration;
        NewGuest: NewGuest;
        Login: Login;
        Refresh: Refresh;
        Me: Me;
        ContentRole: ContentRole;
        Membership: Membership;
        MemberStatus: MemberStatus;
        NewMembership: NewMembership;
        TenantChoice: TenantChoice;
        KeyToken: KeyToken;
        TokenError: TokenError;
        Invitation: Invitation;
        InvitationStatus: InvitationStatus;
        CreatedInvitation: CreatedInvitation;
        NewInvitation: NewInvitation;
        InvitationAcceptance: InvitationAcceptance;
        ProductMatches: ProductMatches;
        ListedProduct: ListedProduct;
        Promotion: Promotion;
        SemanticQuestion: SemanticQuestion;
        Tenant: Tenant;
        TenantSettings: TenantSettings;
        TenantChanges: TenantChanges;
        Member: Member;
        MemberChanges: MemberChanges;
        ApiKey: ApiKey;
        Permission: Permission;
        CreatedApiKey: CreatedApiKey;
        NewApiKey: NewApiKey;
        Supplier: Supplier;
        NewSupplier: NewSupplier;
        NewLegalIdentity: NewLegalIdentity;
        SupplierChanges: SupplierChanges;
        Customer: Customer;
        NewCustomer: NewCustomer;
        Marketplace: Marketplace;
        MarketplaceStatus: MarketplaceStatus;
        MarketplaceSettings: MarketplaceSettings;
        MarketplaceBranding: MarketplaceBranding;
        MarketplaceSeo: MarketplaceSeo;
        MarketplaceBusiness: MarketplaceBusiness;
        DeliveryMethod: DeliveryMethod;
        NewMarketplace: NewMarketplace;
        MarketplaceChanges: MarketplaceChanges;
        MarketplaceSettingsChanges: MarketplaceSettingsChanges;
        MarketplaceBrandingChanges: MarketplaceBrandingChanges;
        MarketplaceSeoChanges: MarketplaceSeoChanges;
        MarketplaceBusinessChanges: MarketplaceBusinessChanges;
        Storefront: Storefront;
        DeliveryMethods: DeliveryMethods;
        PaymentMethods: PaymentMethods;
        CountryList: CountryList;
        Country: Country;
        CountryField: CountryField;
        CategoryTree: CategoryTree;
        Category: Category;
        CategoryAttribute: CategoryAttribute;
        NewCategory: NewCategory;
        CategoryChanges: CategoryChanges;
        ImportSummary: ImportSummary;
        ImportError: ImportError;
        ImportRemark: ImportRemark;
        ImportProgress: ImportProgress;
        ProductLine: ProductLine;
        ProductInventory: ProductInventory;
        ChangedInventory: ChangedInventory;
        InventoryChange: InventoryChange;
        ProductFileList: ProductFileList;
        ProductFile: ProductFile;
        NewProductFile: NewProductFile;
        LicenceKeyList: LicenceKeyList;
        LicenceKey: LicenceKey;
        LicenceKeyStatus: LicenceKeyStatus;
        LicenceKeyCounts: LicenceKeyCounts;
        AddedLicenceKeys: AddedLicenceKeys;
        NewLicenceKeys: NewLicenceKeys;
        ServiceCalendar: ServiceCalendar;
        OpeningHours: OpeningHours;
        CalendarException: CalendarException;
        NewServiceCalendar: NewServiceCalendar;
        ServiceSlotList: ServiceSlotList;
        ServiceSlot: ServiceSlot;
        TopSales: TopSales;
        BestSeller: BestSeller;
        ProductList: ProductList;
        Product: Product;
        NewProduct: NewProduct;
        ProductFound: ProductFound;
        ProductChanges: ProductChanges;
        MediaFolderTree: MediaFolderTree;
        MediaFolderInTree: MediaFolderInTree;
        MediaFolder: MediaFolder;
        NewMediaFolder: NewMediaFolder;
        MediaFolderChanges: MediaFolderChanges;
        MediaList: MediaList;
        MediaAsset: MediaAsset;
        MediaType: MediaType;
        ImageDimensions: ImageDimensions;
        MediaStatus: MediaStatus;
        MediaVariant: MediaVariant;
        MediaUse: MediaUse;
        AnnouncedMedia: AnnouncedMedia;
        MediaUpload: MediaUpload;
        NewMedia: NewMedia;
        MediaChanges: MediaChanges;
        ReplacedMedia: ReplacedMedia;
        ContentTypeList: ContentTypeList;
        ContentType: ContentType;
        TemplateField: TemplateField;
        WorkflowStep: WorkflowStep;
        NewContentType: NewContentType;
        ContentTypeChanges: ContentTypeChanges;
        ContentWorkflow: ContentWorkflow;
        ContentList: ContentList;
        Content: Content;
        LocalizedString: LocalizedString;
        RichText: RichText;
        ContentBlock: ContentBlock;
        ContentBlockType: ContentBlockType;
        SEOData: SEOData;
        ContentLanguage: ContentLanguage;
        TranslationStatus: TranslationStatus;
        NewContent: NewContent;
        NewContentBlock: NewContentBlock;
        SavedContent: SavedContent;
        ContentChanges: ContentChanges;
        ContentMove: ContentMove;
        ContentPublication: ContentPublication;
        ContentWithdrawal: ContentWithdrawal;
        ContentMoveList: ContentMoveList;
        ContentMoveRecord: ContentMoveRecord;
        ContentVersionList: ContentVersionList;
        ContentVersion: ContentVersion;
        ContentVersionWithDocument: ContentVersionWithDocument;
        ContentComparison: ContentComparison;
        ContentChange: ContentChange;
        RolledBackContent: RolledBackContent;
        ContentRollback: ContentRollback;
        ContentBranchList: ContentBranchList;
        ContentBranch: ContentBranch;
        NewContentBranch: NewContentBranch;
        ContentMerge: ContentMerge;
        LocalizedContent: LocalizedContent;
        LocalizedContentChanges: LocalizedContentChanges;
        LocalizedContentMove: LocalizedContentMove;
        ContentPreview: ContentPreview;
        NewContentPreview: NewContentPreview;
        ComponentTemplateList: ComponentTemplateList;
        ComponentTemplate: ComponentTemplate;
        ComponentCategory: ComponentCategory;
        TemplateVariable: TemplateVariable;
        ResponsiveRule: ResponsiveRule;
        NewComponentTemplate: NewComponentTemplate;
        ComponentTemplateChanges: ComponentTemplateChanges;
        PageTemplateList: PageTemplateList;
        PageTemplate: PageTemplate;
        PageType: PageType;
        TemplateContent: TemplateContent;
        TemplateSection: TemplateSection;
        TemplateBlock: TemplateBlock;
        TemplateBlockSettings: TemplateBlockSettings;
        ConditionalExpression: ConditionalExpression;
        LogicalCondition: LogicalCondition;
        RenderCondition: RenderCondition;
        DataBinding: DataBinding;
        DataSource: DataSource;
        TemplateInheritance: TemplateInheritance;
        TemplateOverride: TemplateOverride;
        TemplateCaching: TemplateCaching;
        NewTemplate: NewTemplate;
        TemplateChanges: TemplateChanges;
        RenderAnswer: RenderAnswer;
        RenderRequest: RenderRequest;
        TemplateVersionList: TemplateVersionList;
        TemplateVersion: TemplateVersion;
        LocalizedTemplateList: LocalizedTemplateList;
        LocalizedTemplate: LocalizedTemplate;
        LocaleFormatting: LocaleFormatting;
        LocalizedTemplateChanges: LocalizedTemplateChanges;
        TemplatePreview: TemplatePreview;
        NewTemplatePreview: NewTemplatePreview;
        EmailTemplate: EmailTemplate;
        NewEmailTemplate: NewEmailTemplate;
        EmailTemplateChanges: EmailTemplateChanges;
        RenderedEmail: RenderedEmail;
        EmailRendering: EmailRendering;
        Mail: Mail;
        MailStatus: MailStatus;
        EmailTest: EmailTest;
        MailSuppression: MailSuppression;
        InventoryList: InventoryList;
        InventoryRow: InventoryRow;
        InventoryMovementList: InventoryMovementList;
        InventoryMovement: InventoryMovement;
        InventoryReason: InventoryReason;
        SearchSynonyms: SearchSynonyms;
        NewSearchSynonyms: NewSearchSynonyms;
        PastOrderLine: PastOrderLine;
        NewAddress: NewAddress;
        OrderDownloads: OrderDownloads;
        Download: Download;
        Licence: Licence;
        MovedShipment: MovedShipment;
        NewShipment: NewShipment;
        ShipmentChanges: ShipmentChanges;
        OrderCancellation: OrderCancellation;
        NewOrderCancellation: NewOrderCancellation;
        MovedReturnRequest: MovedReturnRequest;
        NewReturnRequest: NewReturnRequest;
        ReturnAnswer: ReturnAnswer;
        ReceivedReturn: ReceivedReturn;
        NewOrder: NewOrder;
        NewOrderContact: NewOrderContact;
        OrderStatusChange: OrderStatusChange;
        Payment: Payment;
        NewPayment: NewPayment;
        OrderReturn: OrderReturn;
        NewOrderReturn: NewOrderReturn;
        OrderNote: OrderNote;
        NewOrderNote: NewOrderNote;
        BookingList: BookingList;
        Booking: Booking;
        BookingStatus: BookingStatus;
        Commission: Commission;
        CommissionTotal: CommissionTotal;
        CommissionRate: CommissionRate;
        NewCommissionRate: NewCommissionRate;
        EventPage: EventPage;
        Event: Event;
        EventTypeList: EventTypeList;
        EventType: EventType;
        CreatedWebhook: CreatedWebhook;
        NewWebhook: NewWebhook;
        WebhookChanges: WebhookChanges;
        RotatedWebhook: RotatedWebhook;
        SecretRotation: SecretRotation;
        Delivery: Delivery;
        DeliveryStatus: DeliveryStatus;
        DeliveryDetails: DeliveryDetails;
        DeliveryAttempt: DeliveryAttempt;
        Recovered: Recovered;
        Recovery: Recovery;
        WebhookTestResult: WebhookTestResult;
        WebhookTest: WebhookTest;
        Slots: Slots;
        Placement: Placement;
        Slot: Slot;
        Auction: Auction;
        AuctionDetails: AuctionDetails;
        AuctionCandidate: AuctionCandidate;
        AuctionShare: AuctionShare;
        Campaign: Campaign;
        PricingModel: PricingModel;
        CampaignStatus: CampaignStatus;
        NewCampaign: NewCampaign;
        CampaignChanges: CampaignChanges;
        CampaignReview: CampaignReview;
        CampaignStatistics: CampaignStatistics;
        CampaignDay: CampaignDay;
        PlacementCharge: PlacementCharge;
        PlacementRefunded: PlacementRefunded;
        PlacementRefund: PlacementRefund;
        PlacementResults: PlacementResults;
        PlacementResult: PlacementResult;
        PlacementEvents: PlacementEvents;
        PlacementEvent: PlacementEvent;
        PlacementReport: PlacementReport;
        PlacementCategory: PlacementCategory;
        PlacementPrice: PlacementPrice;
        PlacementCategoryChanges: PlacementCategoryChanges;
        PlacementSettings: PlacementSettings;
        PlacementSettingsChanges: PlacementSettingsChanges;
        StorefrontResults: StorefrontResults;
        StorefrontResult: StorefrontResult;
        StorefrontEvents: StorefrontEvents;
        StorefrontEvent: StorefrontEvent;
        Funnel: Funnel;
        Overview: Overview;
        SalesReport: SalesReport;
        RevenueReport: RevenueReport;
        TopProducts: TopProducts;
        CustomerSegments: CustomerSegments;
        SegmentCustomers: SegmentCustomers;
        Cohorts: Cohorts;
        DashboardList: DashboardList;
        Dashboard: Dashboard;
        Widget: Widget;
        NewDashboard: NewDashboard;
        DashboardChanges: DashboardChanges;
        DashboardAnswer: DashboardAnswer;
        FigureDefinitions: FigureDefinitions;
        FigureDefinition: FigureDefinition;
        Export: Export;
        ExportType: ExportType;
        ExportFormat: ExportFormat;
        ExportStatus: ExportStatus;
        NewExport: NewExport;
        ExportSchedule: ExportSchedule;
        NewExportSchedule: NewExportSchedule;
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "auth.register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "amina@example.com",
                 *       "password": "correct horse battery",
                 *       "language": "de",
                 *       "tenant_name": "Oasis"
                 *     }
                 */
                "application/json": Registration;
            };
        };
        responses: {
            /** @description The new session */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "refresh_token": "refresh_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1,
                     *       "expires_at": 1,
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       }
                     *     }
                     */
                    "application/json": Session;
                };
            };
        };
    };
    "auth.guest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "marketplace": "shop.example.com"
                 *     }
                 */
                "application/json": NewGuest;
            };
        };
        responses: {
            /** @description The guest's session */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "refresh_token": "refresh_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1,
                     *       "expires_at": 1,
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       }
                     *     }
                     */
                    "application/json": Session;
                };
            };
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "amina@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": Login;
            };
        };
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "refresh_token": "refresh_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1,
                     *       "expires_at": 1,
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       }
                     *     }
                     */
                    "application/json": Session;
                };
            };
        };
    };
    "auth.refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "refresh_token"
                 *     }
                 */
                "application/json": Refresh;
            };
        };
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "refresh_token": "refresh_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1,
                     *       "expires_at": 1,
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       }
                     *     }
                     */
                    "application/json": Session;
                };
            };
        };
    };
    "auth.logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller, its tenant and its role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       },
                     *       "tenant": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "name": "Brass coffee pot"
                     *       },
                     *       "role": "customer",
                     *       "content_roles": [
                     *         "editor"
                     *       ],
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "name": "Brass coffee pot",
                     *         "verified": true
                     *       },
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000"
                     *     }
                     */
                    "application/json": Me;
                };
            };
        };
    };
    "auth.tenants": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's memberships in all tenants */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenants": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "role": "customer",
                     *           "status": "active",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "current": true,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        tenants: Membership[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "auth.addTenant": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenant_name": "Oasis"
                 *     }
                 */
                "application/json": NewMembership;
            };
        };
        responses: {
            /** @description The new membership */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "role": "customer",
                     *       "status": "active",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "current": true,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Membership;
                };
            };
        };
    };
    "auth.switchTenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenant_id": "dddddddd-0000-4000-8000-000000000000"
                 *     }
                 */
                "application/json": TenantChoice;
            };
        };
        responses: {
            /** @description The session in that tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "refresh_token": "refresh_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1,
                     *       "expires_at": 1,
                     *       "user": {
                     *         "id": "dddddddd-0000-4000-8000-000000000000",
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "role": "customer",
                     *         "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *         "is_anonymous": true
                     *       }
                     *     }
                     */
                    "application/json": Session;
                };
            };
        };
    };
    "auth.token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    grant_type: "client_credentials";
                    client_id?: string;
                    client_secret?: string;
                };
                /**
                 * @example {
                 *       "grant_type": "client_credentials"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @enum {string} */
                    grant_type: "client_credentials";
                    client_id?: string;
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description The session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "access_token",
                     *       "token_type": "bearer",
                     *       "expires_in": 1
                     *     }
                     */
                    "application/json": KeyToken;
                };
            };
        };
    };
    "invitations.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "expires_at" | "email";
                order?: "asc" | "desc";
                status?: InvitationStatus;
                email?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's invitations, for admins and clients */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "invitations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "email": "amina@example.com",
                     *           "role": "customer",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "invited_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "accepted_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "accepted_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        invitations: Invitation[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "invitations.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "amina@example.com",
                 *       "role": "customer"
                 *     }
                 */
                "application/json": NewInvitation;
            };
        };
        responses: {
            /** @description The new invitation, with its token */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "email": "amina@example.com",
                     *       "role": "customer",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "invited_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "accepted_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "accepted_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "token": "token"
                     *     }
                     */
                    "application/json": CreatedInvitation;
                };
            };
        };
    };
    "invitations.accept": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invitation": "invitation"
                 *     }
                 */
                "application/json": InvitationAcceptance;
            };
        };
        responses: {
            /** @description The new membership */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "role": "customer",
                     *       "status": "active",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "current": true,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Membership;
                };
            };
        };
    };
    "invitations.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "email": "amina@example.com",
                     *       "role": "customer",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "invited_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "accepted_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "accepted_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Invitation;
                };
            };
        };
    };
    "invitations.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "search.semantic.get": {
        parameters: {
            query: {
                /** @description One or more categories, separated by commas, including all categories below them. */
                category?: string | string[];
                price_min?: number;
                price_max?: number;
                marketplace_id?: string;
                /** @description Only products with prices in this currency. In a tenant with several currencies, `price_min`, `price_max` and `sort=price` require it or `marketplace_id`. */
                currency?: string;
                supplier_id?: string;
                /** @description One or more brands, separated by commas. A comma inside a value is written `\,`, a backslash before a comma `\\`. */
                brand?: string | string[];
                /** @description `attributes[material]=brass,wool`: products whose attribute `material` has one of these values. Several names must all match. */
                attributes?: {
                    [key: string]: string | string[];
                };
                /** @description A question in free words. Different words with the same meaning find the same products. */
                query: string;
                limit?: number;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best matches, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           }
                     *         }
                     *       ],
                     *       "relevance_scores": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": ProductMatches;
                };
            };
        };
    };
    "search.semantic.post": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "EUR",
                 *       "attributes": {
                 *         "material": [
                 *           "brass",
                 *           "wool"
                 *         ]
                 *       },
                 *       "query": "somewhere to sit in the garden"
                 *     }
                 */
                "application/json": SemanticQuestion;
            };
        };
        responses: {
            /** @description The best matches, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           }
                     *         }
                     *       ],
                     *       "relevance_scores": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": ProductMatches;
                };
            };
        };
    };
    "tenant.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant of the token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "time_zone": "time_zone",
                     *       "settings": {
                     *         "content": {
                     *           "four_eyes": true,
                     *           "keep_versions": 100,
                     *           "preview_url": "https://shop.example.com/{slug}?preview={token}"
                     *         },
                     *         "catalog": {
                     *           "unique_skus": true
                     *         },
                     *         "media": {
                     *           "file_bytes": 52428800,
                     *           "quota_bytes": 5368709120,
                     *           "keep_metadata": true
                     *         },
                     *         "analytics": {
                     *           "ignore": {
                     *             "user_agents": [
                     *               "UptimeRobot"
                     *             ],
                     *             "visitors": [
                     *               "visitors"
                     *             ]
                     *           }
                     *         }
                     *       },
                     *       "mail_status": "new",
                     *       "mail_paused_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Tenant;
                };
            };
        };
    };
    "tenant.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "time_zone": "Europe/Berlin"
                 *     }
                 */
                "application/json": TenantChanges;
            };
        };
        responses: {
            /** @description The changed tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "time_zone": "time_zone",
                     *       "settings": {
                     *         "content": {
                     *           "four_eyes": true,
                     *           "keep_versions": 100,
                     *           "preview_url": "https://shop.example.com/{slug}?preview={token}"
                     *         },
                     *         "catalog": {
                     *           "unique_skus": true
                     *         },
                     *         "media": {
                     *           "file_bytes": 52428800,
                     *           "quota_bytes": 5368709120,
                     *           "keep_metadata": true
                     *         },
                     *         "analytics": {
                     *           "ignore": {
                     *             "user_agents": [
                     *               "UptimeRobot"
                     *             ],
                     *             "visitors": [
                     *               "visitors"
                     *             ]
                     *           }
                     *         }
                     *       },
                     *       "mail_status": "new",
                     *       "mail_paused_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Tenant;
                };
            };
        };
    };
    "members.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "name" | "email";
                order?: "asc" | "desc";
                role?: Role;
                status?: MemberStatus;
                supplier_id?: string;
                email?: string;
                /** @description true: guests only; false: no guests. */
                is_anonymous?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's members; suppliers and customers see only themselves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "members": [
                     *         {
                     *           "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "email": "amina@example.com",
                     *           "name": "Brass coffee pot",
                     *           "is_anonymous": true,
                     *           "role": "customer",
                     *           "status": "active",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "content_roles": [
                     *             "editor"
                     *           ],
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        members: Member[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "members.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "email": "amina@example.com",
                     *       "name": "Brass coffee pot",
                     *       "is_anonymous": true,
                     *       "role": "customer",
                     *       "status": "active",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "content_roles": [
                     *         "editor"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Member;
                };
            };
        };
    };
    "members.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is no longer a member of the tenant */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "customer"
                 *     }
                 */
                "application/json": MemberChanges;
            };
        };
        responses: {
            /** @description The changed member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "email": "amina@example.com",
                     *       "name": "Brass coffee pot",
                     *       "is_anonymous": true,
                     *       "role": "customer",
                     *       "status": "active",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "content_roles": [
                     *         "editor"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Member;
                };
            };
        };
    };
    "apiKeys.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's keys; a supplier sees its own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "api_keys": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "client_id": "key_0f0f2a3e2a774d1b9a550c7a2b1d4e01",
                     *           "name": "Warehouse",
                     *           "role": "client",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "scopes": [
                     *             "orders.read",
                     *             "shipments.write"
                     *           ],
                     *           "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "last_used_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        api_keys: ApiKey[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "apiKeys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Warehouse",
                 *       "scopes": [
                 *         "orders.read",
                 *         "shipments.write"
                 *       ]
                 *     }
                 */
                "application/json": NewApiKey;
            };
        };
        responses: {
            /** @description The new key, with its secret */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "client_id": "key_0f0f2a3e2a774d1b9a550c7a2b1d4e01",
                     *       "name": "Warehouse",
                     *       "role": "client",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "scopes": [
                     *         "orders.read",
                     *         "shipments.write"
                     *       ],
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_used_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "client_secret": "client_secret"
                     *     }
                     */
                    "application/json": CreatedApiKey;
                };
            };
        };
    };
    "apiKeys.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "client_id": "key_0f0f2a3e2a774d1b9a550c7a2b1d4e01",
                     *       "name": "Warehouse",
                     *       "role": "client",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "scopes": [
                     *         "orders.read",
                     *         "shipments.write"
                     *       ],
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_used_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ApiKey;
                };
            };
        };
    };
    "apiKeys.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "suppliers.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
                verified?: boolean;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organisations that sell on the tenant's marketplaces */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suppliers": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "verified": true,
                     *           "legal": {
                     *             "name": "Brass coffee pot",
                     *             "address": "address",
                     *             "tax_id": "tax_id"
                     *           },
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        suppliers: Supplier[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "suppliers.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": NewSupplier;
            };
        };
        responses: {
            /** @description The new supplier */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "verified": true,
                     *       "legal": {
                     *         "name": "Brass coffee pot",
                     *         "address": "address",
                     *         "tax_id": "tax_id"
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Supplier;
                };
            };
        };
    };
    "suppliers.get": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The supplier */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "verified": true,
                     *       "legal": {
                     *         "name": "Brass coffee pot",
                     *         "address": "address",
                     *         "tax_id": "tax_id"
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Supplier;
                };
            };
        };
    };
    "suppliers.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": SupplierChanges;
            };
        };
        responses: {
            /** @description The changed supplier */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "verified": true,
                     *       "legal": {
                     *         "name": "Brass coffee pot",
                     *         "address": "address",
                     *         "tax_id": "tax_id"
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Supplier;
                };
            };
        };
    };
    "customers.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "name" | "email";
                order?: "asc" | "desc";
                /** @description Words of the name and e-mail address; or of the contact and name of an order; or of the street, postal code and city of an order. Parts of words from three letters on are found. */
                search?: string;
                /** @description true: customers who have ordered; false: those who have not. */
                has_orders?: boolean;
                email?: string;
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All customers for admins and clients: who registered, was created or imported, or has ordered; customers see only themselves */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "customers": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "email": "amina@example.com",
                     *           "is_guest": true,
                     *           "language": "en",
                     *           "external_id": "external_id",
                     *           "orders": 1,
                     *           "last_ordered_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        customers: Customer[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "customers.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": NewCustomer;
            };
        };
        responses: {
            /** @description The new customer */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "email": "amina@example.com",
                     *       "is_guest": true,
                     *       "language": "en",
                     *       "external_id": "external_id",
                     *       "orders": 1,
                     *       "last_ordered_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Customer;
                };
            };
        };
    };
    "customers.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "user_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "email": "amina@example.com",
                     *       "is_guest": true,
                     *       "language": "en",
                     *       "external_id": "external_id",
                     *       "orders": 1,
                     *       "last_ordered_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Customer;
                };
            };
        };
    };
    "marketplaces.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at" | "name";
                order?: "asc" | "desc";
                status?: MarketplaceStatus;
                category?: string;
                /** @description A host name. An internationalised name is stored as Punycode. */
                domain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The marketplaces the caller may see */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "marketplaces": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "description": "description",
                     *           "category": "category",
                     *           "currency": "EUR",
                     *           "language": "en",
                     *           "domain": "shop.example.com",
                     *           "status": "draft",
                     *           "settings": {
                     *             "branding": {
                     *               "logo_url": "https://shop.example.com/logo.svg",
                     *               "favicon_url": "https://shop.example.com/logo.svg",
                     *               "colors": {
                     *                 "primary": "#1a2b3c"
                     *               },
                     *               "hosts": [
                     *                 "images.example.com"
                     *               ],
                     *               "custom_css": "custom_css"
                     *             },
                     *             "seo": {
                     *               "title": "title",
                     *               "description": "description",
                     *               "keywords": [
                     *                 "keywords"
                     *               ],
                     *               "canonical_url": "https://shop.example.com/logo.svg",
                     *               "meta_tags": {},
                     *               "og_tags": {
                     *                 "og:type": "website"
                     *               }
                     *             },
                     *             "business": {
                     *               "commission_percent": 1,
                     *               "payment_methods": [
                     *                 "card",
                     *                 "invoice"
                     *               ],
                     *               "payment_deadline_minutes": 5,
                     *               "delivery": {
                     *                 "methods": [
                     *                   {
                     *                     "key": "key",
                     *                     "name": "Brass coffee pot",
                     *                     "price": 1,
                     *                     "per_supplier": true,
                     *                     "free_from": 1
                     *                   }
                     *                 ],
                     *                 "recipient": "operator"
                     *               },
                     *               "max_unpaid_orders": 1,
                     *               "max_unpaid_pieces": 1,
                     *               "ship_unpaid": true,
                     *               "delivered_after_days": 1,
                     *               "return_days": 1,
                     *               "payout_delay_days": 1,
                     *               "commission_on_delivery": true,
                     *               "guest_checkout": true,
                     *               "country": "DE",
                     *               "reply_to": "help@spices.example.com"
                     *             }
                     *           },
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        marketplaces: Marketplace[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "marketplaces.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot",
                 *       "category": "category",
                 *       "currency": "EUR",
                 *       "language": "en",
                 *       "domain": "shop.example.com"
                 *     }
                 */
                "application/json": NewMarketplace;
            };
        };
        responses: {
            /** @description The new marketplace */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "description": "description",
                     *       "category": "category",
                     *       "currency": "EUR",
                     *       "language": "en",
                     *       "domain": "shop.example.com",
                     *       "status": "draft",
                     *       "settings": {
                     *         "branding": {
                     *           "logo_url": "https://shop.example.com/logo.svg",
                     *           "favicon_url": "https://shop.example.com/logo.svg",
                     *           "colors": {
                     *             "primary": "#1a2b3c"
                     *           },
                     *           "hosts": [
                     *             "images.example.com"
                     *           ],
                     *           "custom_css": "custom_css"
                     *         },
                     *         "seo": {
                     *           "title": "title",
                     *           "description": "description",
                     *           "keywords": [
                     *             "keywords"
                     *           ],
                     *           "canonical_url": "https://shop.example.com/logo.svg",
                     *           "meta_tags": {},
                     *           "og_tags": {
                     *             "og:type": "website"
                     *           }
                     *         },
                     *         "business": {
                     *           "commission_percent": 1,
                     *           "payment_methods": [
                     *             "card",
                     *             "invoice"
                     *           ],
                     *           "payment_deadline_minutes": 5,
                     *           "delivery": {
                     *             "methods": [
                     *               {
                     *                 "key": "key",
                     *                 "name": "Brass coffee pot",
                     *                 "price": 1,
                     *                 "per_supplier": true,
                     *                 "free_from": 1
                     *               }
                     *             ],
                     *             "recipient": "operator"
                     *           },
                     *           "max_unpaid_orders": 1,
                     *           "max_unpaid_pieces": 1,
                     *           "ship_unpaid": true,
                     *           "delivered_after_days": 1,
                     *           "return_days": 1,
                     *           "payout_delay_days": 1,
                     *           "commission_on_delivery": true,
                     *           "guest_checkout": true,
                     *           "country": "DE",
                     *           "reply_to": "help@spices.example.com"
                     *         }
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Marketplace;
                };
            };
        };
    };
    "marketplaces.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The marketplace */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "description": "description",
                     *       "category": "category",
                     *       "currency": "EUR",
                     *       "language": "en",
                     *       "domain": "shop.example.com",
                     *       "status": "draft",
                     *       "settings": {
                     *         "branding": {
                     *           "logo_url": "https://shop.example.com/logo.svg",
                     *           "favicon_url": "https://shop.example.com/logo.svg",
                     *           "colors": {
                     *             "primary": "#1a2b3c"
                     *           },
                     *           "hosts": [
                     *             "images.example.com"
                     *           ],
                     *           "custom_css": "custom_css"
                     *         },
                     *         "seo": {
                     *           "title": "title",
                     *           "description": "description",
                     *           "keywords": [
                     *             "keywords"
                     *           ],
                     *           "canonical_url": "https://shop.example.com/logo.svg",
                     *           "meta_tags": {},
                     *           "og_tags": {
                     *             "og:type": "website"
                     *           }
                     *         },
                     *         "business": {
                     *           "commission_percent": 1,
                     *           "payment_methods": [
                     *             "card",
                     *             "invoice"
                     *           ],
                     *           "payment_deadline_minutes": 5,
                     *           "delivery": {
                     *             "methods": [
                     *               {
                     *                 "key": "key",
                     *                 "name": "Brass coffee pot",
                     *                 "price": 1,
                     *                 "per_supplier": true,
                     *                 "free_from": 1
                     *               }
                     *             ],
                     *             "recipient": "operator"
                     *           },
                     *           "max_unpaid_orders": 1,
                     *           "max_unpaid_pieces": 1,
                     *           "ship_unpaid": true,
                     *           "delivered_after_days": 1,
                     *           "return_days": 1,
                     *           "payout_delay_days": 1,
                     *           "commission_on_delivery": true,
                     *           "guest_checkout": true,
                     *           "country": "DE",
                     *           "reply_to": "help@spices.example.com"
                     *         }
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Marketplace;
                };
            };
        };
    };
    "marketplaces.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "EUR",
                 *       "language": "en",
                 *       "domain": "shop.example.com"
                 *     }
                 */
                "application/json": MarketplaceChanges;
            };
        };
        responses: {
            /** @description The changed marketplace */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "description": "description",
                     *       "category": "category",
                     *       "currency": "EUR",
                     *       "language": "en",
                     *       "domain": "shop.example.com",
                     *       "status": "draft",
                     *       "settings": {
                     *         "branding": {
                     *           "logo_url": "https://shop.example.com/logo.svg",
                     *           "favicon_url": "https://shop.example.com/logo.svg",
                     *           "colors": {
                     *             "primary": "#1a2b3c"
                     *           },
                     *           "hosts": [
                     *             "images.example.com"
                     *           ],
                     *           "custom_css": "custom_css"
                     *         },
                     *         "seo": {
                     *           "title": "title",
                     *           "description": "description",
                     *           "keywords": [
                     *             "keywords"
                     *           ],
                     *           "canonical_url": "https://shop.example.com/logo.svg",
                     *           "meta_tags": {},
                     *           "og_tags": {
                     *             "og:type": "website"
                     *           }
                     *         },
                     *         "business": {
                     *           "commission_percent": 1,
                     *           "payment_methods": [
                     *             "card",
                     *             "invoice"
                     *           ],
                     *           "payment_deadline_minutes": 5,
                     *           "delivery": {
                     *             "methods": [
                     *               {
                     *                 "key": "key",
                     *                 "name": "Brass coffee pot",
                     *                 "price": 1,
                     *                 "per_supplier": true,
                     *                 "free_from": 1
                     *               }
                     *             ],
                     *             "recipient": "operator"
                     *           },
                     *           "max_unpaid_orders": 1,
                     *           "max_unpaid_pieces": 1,
                     *           "ship_unpaid": true,
                     *           "delivered_after_days": 1,
                     *           "return_days": 1,
                     *           "payout_delay_days": 1,
                     *           "commission_on_delivery": true,
                     *           "guest_checkout": true,
                     *           "country": "DE",
                     *           "reply_to": "help@spices.example.com"
                     *         }
                     *       },
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Marketplace;
                };
            };
        };
    };
    "marketplaces.storefront": {
        parameters: {
            query: {
                /** @description A host name. An internationalised name is stored as Punycode. */
                domain: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public data of the marketplace */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "description": "description",
                     *       "category": "category",
                     *       "currency": "EUR",
                     *       "language": "en",
                     *       "domain": "shop.example.com",
                     *       "languages": [
                     *         "languages"
                     *       ],
                     *       "branding": {
                     *         "logo_url": "https://shop.example.com/logo.svg",
                     *         "favicon_url": "https://shop.example.com/logo.svg",
                     *         "colors": {
                     *           "primary": "#1a2b3c"
                     *         },
                     *         "hosts": [
                     *           "images.example.com"
                     *         ],
                     *         "custom_css": "custom_css"
                     *       },
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "https://shop.example.com/logo.svg",
                     *         "meta_tags": {},
                     *         "og_tags": {
                     *           "og:type": "website"
                     *         }
                     *       },
                     *       "guest_checkout": true,
                     *       "country": "country"
                     *     }
                     */
                    "application/json": Storefront;
                };
            };
        };
    };
    "marketplaces.deliveryMethods": {
        parameters: {
            query?: {
                /** @description By default the marketplace that a visitor visits, or the tenant's only one. */
                marketplace_id?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The methods, in the order of the settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivery_methods": [
                     *         {
                     *           "key": "key",
                     *           "name": "Brass coffee pot",
                     *           "price": 1,
                     *           "per_supplier": true,
                     *           "free_from": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": DeliveryMethods;
                };
            };
        };
    };
    "marketplaces.paymentMethods": {
        parameters: {
            query?: {
                /** @description By default the marketplace that a visitor visits, or the tenant's only one. */
                marketplace_id?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The methods, in the order of the settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "payment_methods": [
                     *         "payment_methods"
                     *       ]
                     *     }
                     */
                    "application/json": PaymentMethods;
                };
            };
        };
    };
    "countries.list": {
        parameters: {
            query?: {
                /** @description The language of the names, and of the labels if it is en, de or ar. Default: en. */
                language?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The countries, sorted by name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "countries": [
                     *         {
                     *           "code": "DE",
                     *           "name": "Brass coffee pot",
                     *           "required": [
                     *             "street"
                     *           ],
                     *           "labels": {
                     *             "street": "Street and number",
                     *             "postal_code": "Postal code",
                     *             "city": "City"
                     *           },
                     *           "postal_code_example": "26133"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": CountryList;
                };
            };
        };
    };
    "categories.list": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The top-level categories, each with its children */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categories": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true,
                     *               "options": [
                     *                 "options"
                     *               ]
                     *             }
                     *           ],
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "children": []
                     *         }
                     *       ],
                     *       "total": 1
                     *     }
                     */
                    "application/json": CategoryTree;
                };
            };
        };
    };
    "categories.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": NewCategory;
            };
        };
        responses: {
            /** @description The new category */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true,
                     *           "options": [
                     *             "options"
                     *           ]
                     *         }
                     *       ],
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "children": []
                     *     }
                     */
                    "application/json": Category;
                };
            };
        };
    };
    "categories.get": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category with all categories below it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true,
                     *           "options": [
                     *             "options"
                     *           ]
                     *         }
                     *       ],
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "children": []
                     *     }
                     */
                    "application/json": Category;
                };
            };
        };
    };
    "categories.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": CategoryChanges;
            };
        };
        responses: {
            /** @description The changed category */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true,
                     *           "options": [
                     *             "options"
                     *           ]
                     *         }
                     *       ],
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "children": []
                     *     }
                     */
                    "application/json": Category;
                };
            };
        };
    };
    "categories.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "products.import": {
        parameters: {
            query?: {
                /** @description The marketplace of lines that name none. Optional if the tenant has only one. */
                marketplace_id?: string;
                /** @description For a body that continues an import: the next_line of the previous response, the number of its first line after the header of CSV. */
                first_line?: number;
                /** @description Reports the result without changing anything. */
                dry_run?: boolean;
                /** @description Imports lines with codes that a spreadsheet may have changed, such as 123 where the product has 00123. */
                accept_changed_codes?: boolean;
                /** @description For admins: false lets skus repeat from now on, for the products of a shop that has repeated ones. It is settings.catalog.unique_skus of the tenant. */
                unique_skus?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "application/x-ndjson": ProductLine;
            };
        };
        responses: {
            /** @description The result of the import */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imported": 1,
                     *       "updated": 1,
                     *       "unchanged": 1,
                     *       "failed": 1,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "code": "VALIDATION_ERROR",
                     *           "message": "message",
                     *           "field": "field"
                     *         }
                     *       ],
                     *       "remarks": [
                     *         {
                     *           "line": 1,
                     *           "code": "CODE_CHANGED",
                     *           "message": "message",
                     *           "field": "external_id"
                     *         }
                     *       ],
                     *       "next_line": 1
                     *     }
                     */
                    "application/json": ImportSummary;
                    "application/x-ndjson": ImportProgress;
                };
            };
        };
    };
    "products.export": {
        parameters: {
            query?: {
                /** @description xlsx has text cells only, so that spreadsheets keep codes such as 00123: at most 10000 products. */
                format?: "csv" | "ndjson" | "xlsx";
                marketplace_id?: string;
                supplier_id?: string;
                /** @description A category, including all categories below it. */
                category?: string;
                status?: ProductStatus;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The products */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/x-ndjson": ProductLine;
                };
            };
        };
    };
    "inventory.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stock, with that of each variant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "quantity": 1,
                     *       "reserved": 1,
                     *       "available": 1,
                     *       "stock": [
                     *         {
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_name": "variant_name",
                     *           "sku": "sku",
                     *           "quantity": 1,
                     *           "reserved": 1,
                     *           "available": 1,
                     *           "low_stock_threshold": 1,
                     *           "low_stock": true,
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "reservations": [
                     *         {
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "since": "since"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ProductInventory;
                };
            };
        };
    };
    "inventory.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": 5,
                 *       "operation": "add"
                 *     }
                 */
                "application/json": InventoryChange;
            };
        };
        responses: {
            /** @description The stock after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "quantity": 1,
                     *       "reserved": 1,
                     *       "available": 1,
                     *       "low_stock_threshold": 1
                     *     }
                     */
                    "application/json": ChangedInventory;
                };
            };
        };
    };
    "files.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the files */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "url": "https://example.com/lamps",
                     *           "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "size_bytes": 1,
                     *           "sha256": "sha256",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ProductFileList;
                };
            };
        };
    };
    "files.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "handbook.pdf",
                 *       "url": "https://files.example.com/handbook.pdf"
                 *     }
                 */
                "application/json": NewProductFile;
            };
        };
        responses: {
            /** @description The new file */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "url": "https://example.com/lamps",
                     *       "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "size_bytes": 1,
                     *       "sha256": "sha256",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ProductFile;
                };
            };
        };
    };
    "files.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                file_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file is removed, also for customers who bought the product */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "licenceKeys.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                status?: LicenceKeyStatus;
                variant_id?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the keys, with their number by status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "licence_keys": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "code": "••••7F2Q",
                     *           "status": "available",
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "handed_out_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "revoked_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "counts": {
                     *         "available": 1,
                     *         "handed_out": 1,
                     *         "revoked": 1
                     *       },
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": LicenceKeyList;
                };
            };
        };
    };
    "licenceKeys.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "codes": [
                 *         "codes"
                 *       ]
                 *     }
                 */
                "application/json": NewLicenceKeys;
            };
        };
        responses: {
            /** @description The number of added keys */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "added": 1,
                     *       "duplicates": [
                     *         1
                     *       ],
                     *       "counts": {
                     *         "available": 1,
                     *         "handed_out": 1,
                     *         "revoked": 1
                     *       }
                     *     }
                     */
                    "application/json": AddedLicenceKeys;
                };
            };
        };
    };
    "licenceKeys.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                licence_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "calendars.get": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calendar */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "time_zone": "time_zone",
                     *       "duration_minutes": 5,
                     *       "capacity": 1,
                     *       "lead_minutes": 1,
                     *       "cancellation_minutes": 1,
                     *       "location": {
                     *         "street": "1 Market Street",
                     *         "city": "Fez"
                     *       },
                     *       "hours": [
                     *         {
                     *           "weekday": 1,
                     *           "opens": "09:00",
                     *           "closes": "17:00"
                     *         }
                     *       ],
                     *       "exceptions": [
                     *         {
                     *           "date": "2026-12-24",
                     *           "hours": [
                     *             {
                     *               "opens": "09:00",
                     *               "closes": "17:00"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ServiceCalendar;
                };
            };
        };
    };
    "calendars.set": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "time_zone": "Africa/Casablanca",
                 *       "duration_minutes": 5,
                 *       "location": {
                 *         "street": "1 Market Street",
                 *         "city": "Fez"
                 *       }
                 *     }
                 */
                "application/json": NewServiceCalendar;
            };
        };
        responses: {
            /** @description The calendar */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "time_zone": "time_zone",
                     *       "duration_minutes": 5,
                     *       "capacity": 1,
                     *       "lead_minutes": 1,
                     *       "cancellation_minutes": 1,
                     *       "location": {
                     *         "street": "1 Market Street",
                     *         "city": "Fez"
                     *       },
                     *       "hours": [
                     *         {
                     *           "weekday": 1,
                     *           "opens": "09:00",
                     *           "closes": "17:00"
                     *         }
                     *       ],
                     *       "exceptions": [
                     *         {
                     *           "date": "2026-12-24",
                     *           "hours": [
                     *             {
                     *               "opens": "09:00",
                     *               "closes": "17:00"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ServiceCalendar;
                };
            };
        };
    };
    "calendars.slots": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "starts_at";
                order?: "asc" | "desc";
                /** @description The first day, in the tenant's time zone. Default: today. */
                from?: string;
                /** @description The last day, in the tenant's time zone, at most 61 days later. Default: 6 days later. */
                to?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the slots that can be booked now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "time_zone": "time_zone",
                     *       "from": "2026-12-24",
                     *       "to": "2026-12-24",
                     *       "slots": [
                     *         {
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "ends_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "ends_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "available": 1
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ServiceSlotList;
                };
            };
        };
    };
    "search.semantic": {
        parameters: {
            query: {
                /** @description One or more categories, separated by commas, including all categories below them. */
                category?: string | string[];
                price_min?: number;
                price_max?: number;
                marketplace_id?: string;
                /** @description Only products with prices in this currency. In a tenant with several currencies, `price_min`, `price_max` and `sort=price` require it or `marketplace_id`. */
                currency?: string;
                supplier_id?: string;
                /** @description One or more brands, separated by commas. A comma inside a value is written `\,`, a backslash before a comma `\\`. */
                brand?: string | string[];
                /** @description `attributes[material]=brass,wool`: products whose attribute `material` has one of these values. Several names must all match. */
                attributes?: {
                    [key: string]: string | string[];
                };
                /** @description A question in free words. Different words with the same meaning find the same products. */
                query: string;
                limit?: number;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best matches, best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           }
                     *         }
                     *       ],
                     *       "relevance_scores": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": ProductMatches;
                };
            };
        };
    };
    "products.topSales": {
        parameters: {
            query?: {
                marketplace_id?: string;
                /** @description The visitor's region, for campaigns that are limited to regions. */
                region?: string;
                /** @description A category, including all categories below it. */
                category?: string;
                /** @description Number of days, in UTC, whose sales count, including today. */
                days?: number;
                limit?: number;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The products, best-selling first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           },
                     *           "sales_count": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": TopSales;
                };
            };
        };
    };
    "products.similar": {
        parameters: {
            query?: {
                /** @description The visitor's region, for campaigns that are limited to regions. */
                region?: string;
                limit?: number;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The similar products, most similar first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           }
                     *         }
                     *       ],
                     *       "relevance_scores": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": ProductMatches;
                };
            };
        };
    };
    "products.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                /** @description By default promoted products come first, then the best matches of the search, or without a search the newest products. Then the order `asc` means the oldest first. */
                sort?: "created_at" | "updated_at" | "name" | "price";
                order?: "asc" | "desc";
                /** @description Words in names, attributes, variants, skus, categories and descriptions, in any order. Beginnings and parts of words match too, and typos are tolerated. */
                search?: string;
                /** @description One or more categories, separated by commas, including all categories below them. */
                category?: string | string[];
                price_min?: number;
                price_max?: number;
                marketplace_id?: string;
                /** @description Only products with prices in this currency. In a tenant with several currencies, `price_min`, `price_max` and `sort=price` require it or `marketplace_id`. */
                currency?: string;
                supplier_id?: string;
                status?: ProductStatus;
                /** @description One or more brands, separated by commas. A comma inside a value is written `\,`, a backslash before a comma `\\`. */
                brand?: string | string[];
                /** @description `attributes[material]=brass,wool`: products whose attribute `material` has one of these values. Several names must all match. */
                attributes?: {
                    [key: string]: string | string[];
                };
                /** @description Only these products, separated by commas. No product is promoted then. */
                ids?: string | string[];
                /** @description Names of attributes, separated by commas, whose values `filters.attributes` counts. */
                facets?: string | string[];
                /** @description The visitor's region, for campaigns that are limited to regions. */
                region?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of products, with filters for the whole result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "physical",
                     *           "name": "Brass coffee pot",
                     *           "slug": "brass-lantern",
                     *           "description": "description",
                     *           "price": 1,
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "external_id": "external_id",
                     *           "track_inventory": true,
                     *           "images": [
                     *             {
                     *               "url": "https://example.com/lamps",
                     *               "alt": "alt",
                     *               "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "width": 1,
                     *               "height": 1,
                     *               "srcset": "srcset"
                     *             }
                     *           ],
                     *           "attributes": [
                     *             {
                     *               "name": "Brass coffee pot",
                     *               "value": "value",
                     *               "type": "text",
                     *               "required": true,
                     *               "searchable": true
                     *             }
                     *           ],
                     *           "physical": {
                     *             "weight_grams": 1,
                     *             "length_mm": 1,
                     *             "width_mm": 1,
                     *             "height_mm": 1,
                     *             "delivery": [
                     *               "delivery"
                     *             ]
                     *           },
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "brand": "brand",
                     *           "variants": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "sku": "sku",
                     *               "price": 1,
                     *               "own_price": 1,
                     *               "inventory": {
                     *                 "quantity": 1,
                     *                 "reserved": 1
                     *               }
                     *             }
                     *           ],
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           },
                     *           "status": "draft",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "relevance_score": 1,
                     *           "promotion": {
                     *             "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "labels": [
                     *               "labels"
                     *             ],
                     *             "highlighted": true,
                     *             "pinned": true,
                     *             "position": 1,
                     *             "token": "token"
                     *           }
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1,
                     *       "filters": {
                     *         "categories": [
                     *           {
                     *             "id": "dddddddd-0000-4000-8000-000000000000",
                     *             "name": "Brass coffee pot",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "price_range": [
                     *           5,
                     *           120
                     *         ],
                     *         "brands": [
                     *           {
                     *             "name": "Brass coffee pot",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "attributes": [
                     *           {
                     *             "name": "Brass coffee pot",
                     *             "values": [
                     *               {
                     *                 "value": "value",
                     *                 "count": 1
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": ProductList;
                };
            };
        };
    };
    "products.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot",
                 *       "slug": "brass-lantern",
                 *       "description_html": "<p>Throws a <strong>star of light</strong> on every wall.</p>",
                 *       "price": 1,
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": NewProduct;
            };
        };
        responses: {
            /** @description The new product */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "kind": "physical",
                     *       "name": "Brass coffee pot",
                     *       "slug": "brass-lantern",
                     *       "description": "description",
                     *       "description_html": "<p>Throws a <strong>star of light</strong> on every wall.</p>",
                     *       "price": 1,
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "external_id": "external_id",
                     *       "track_inventory": true,
                     *       "images": [
                     *         {
                     *           "url": "https://example.com/lamps",
                     *           "alt": "alt",
                     *           "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "width": 1,
                     *           "height": 1,
                     *           "srcset": "srcset"
                     *         }
                     *       ],
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "value": "value",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true
                     *         }
                     *       ],
                     *       "physical": {
                     *         "weight_grams": 1,
                     *         "length_mm": 1,
                     *         "width_mm": 1,
                     *         "height_mm": 1,
                     *         "delivery": [
                     *           "delivery"
                     *         ]
                     *       },
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "brand": "brand",
                     *       "variants": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "sku": "sku",
                     *           "price": 1,
                     *           "own_price": 1,
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           }
                     *         }
                     *       ],
                     *       "inventory": {
                     *         "quantity": 1,
                     *         "reserved": 1
                     *       },
                     *       "status": "draft",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Product;
                };
            };
        };
    };
    "products.get": {
        parameters: {
            query?: {
                /** @description Needed with a slug that products of several marketplaces have. */
                marketplace_id?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                /** @description An id or a slug. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "kind": "physical",
                     *       "name": "Brass coffee pot",
                     *       "slug": "brass-lantern",
                     *       "description": "description",
                     *       "description_html": "<p>Throws a <strong>star of light</strong> on every wall.</p>",
                     *       "price": 1,
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "external_id": "external_id",
                     *       "track_inventory": true,
                     *       "images": [
                     *         {
                     *           "url": "https://example.com/lamps",
                     *           "alt": "alt",
                     *           "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "width": 1,
                     *           "height": 1,
                     *           "srcset": "srcset"
                     *         }
                     *       ],
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "value": "value",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true
                     *         }
                     *       ],
                     *       "physical": {
                     *         "weight_grams": 1,
                     *         "length_mm": 1,
                     *         "width_mm": 1,
                     *         "height_mm": 1,
                     *         "delivery": [
                     *           "delivery"
                     *         ]
                     *       },
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "brand": "brand",
                     *       "variants": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "sku": "sku",
                     *           "price": 1,
                     *           "own_price": 1,
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           }
                     *         }
                     *       ],
                     *       "inventory": {
                     *         "quantity": 1,
                     *         "reserved": 1
                     *       },
                     *       "status": "draft",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "moved_to": "moved_to"
                     *     }
                     */
                    "application/json": ProductFound;
                };
            };
        };
    };
    "products.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "brass-lantern",
                 *       "description_html": "<p>Throws a <strong>star of light</strong> on every wall.</p>",
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": ProductChanges;
            };
        };
        responses: {
            /** @description The changed product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "kind": "physical",
                     *       "name": "Brass coffee pot",
                     *       "slug": "brass-lantern",
                     *       "description": "description",
                     *       "description_html": "<p>Throws a <strong>star of light</strong> on every wall.</p>",
                     *       "price": 1,
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "external_id": "external_id",
                     *       "track_inventory": true,
                     *       "images": [
                     *         {
                     *           "url": "https://example.com/lamps",
                     *           "alt": "alt",
                     *           "asset_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "width": 1,
                     *           "height": 1,
                     *           "srcset": "srcset"
                     *         }
                     *       ],
                     *       "attributes": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "value": "value",
                     *           "type": "text",
                     *           "required": true,
                     *           "searchable": true
                     *         }
                     *       ],
                     *       "physical": {
                     *         "weight_grams": 1,
                     *         "length_mm": 1,
                     *         "width_mm": 1,
                     *         "height_mm": 1,
                     *         "delivery": [
                     *           "delivery"
                     *         ]
                     *       },
                     *       "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "brand": "brand",
                     *       "variants": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "sku": "sku",
                     *           "price": 1,
                     *           "own_price": 1,
                     *           "inventory": {
                     *             "quantity": 1,
                     *             "reserved": 1
                     *           }
                     *         }
                     *       ],
                     *       "inventory": {
                     *         "quantity": 1,
                     *         "reserved": 1
                     *       },
                     *       "status": "draft",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Product;
                };
            };
        };
    };
    "products.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "mediaFolders.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The top-level folders, each with its children */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "folders": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "children": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": MediaFolderTree;
                };
            };
        };
    };
    "mediaFolders.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": NewMediaFolder;
            };
        };
        responses: {
            /** @description The new folder */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": MediaFolder;
                };
            };
        };
    };
    "mediaFolders.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "mediaFolders.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot"
                 *     }
                 */
                "application/json": MediaFolderChanges;
            };
        };
        responses: {
            /** @description The changed folder */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": MediaFolder;
                };
            };
        };
    };
    "media.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "upload_date";
                order?: "asc" | "desc";
                /** @description A part of the name, the alternative text or a tag. */
                search?: string;
                type?: MediaType;
                tag?: string;
                folder_id?: string;
                /** @description `true` for assets that no record uses. */
                unused?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the media */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "media": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "filename": "filename",
                     *           "type": "image",
                     *           "content_type": "content_type",
                     *           "size": 1,
                     *           "dimensions": {
                     *             "width": 1,
                     *             "height": 1
                     *           },
                     *           "alt_text": "alt_text",
                     *           "alt_texts": {},
                     *           "focal_point": {
                     *             "x": 1,
                     *             "y": 1
                     *           },
                     *           "tags": [
                     *             "tags"
                     *           ],
                     *           "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "private": true,
                     *           "status": "uploading",
                     *           "url": "https://example.com/lamps",
                     *           "variants": [
                     *             {
                     *               "width": 1,
                     *               "height": 1,
                     *               "format": "webp",
                     *               "url": "https://example.com/lamps"
                     *             }
                     *           ],
                     *           "srcset": "srcset",
                     *           "used_by": [
                     *             {
                     *               "type": "type",
                     *               "id": "dddddddd-0000-4000-8000-000000000000"
                     *             }
                     *           ],
                     *           "upload_date": "upload_date",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": MediaList;
                };
            };
        };
    };
    "media.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "pot.jpg",
                 *       "size": 48213,
                 *       "content_type": "image/jpeg"
                 *     }
                 */
                "application/json": NewMedia;
            };
        };
        responses: {
            /** @description The asset, and where to upload it */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "filename": "filename",
                     *       "type": "image",
                     *       "content_type": "content_type",
                     *       "size": 1,
                     *       "dimensions": {
                     *         "width": 1,
                     *         "height": 1
                     *       },
                     *       "alt_text": "alt_text",
                     *       "alt_texts": {},
                     *       "focal_point": {
                     *         "x": 1,
                     *         "y": 1
                     *       },
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "private": true,
                     *       "status": "uploading",
                     *       "url": "https://example.com/lamps",
                     *       "variants": [
                     *         {
                     *           "width": 1,
                     *           "height": 1,
                     *           "format": "webp",
                     *           "url": "https://example.com/lamps"
                     *         }
                     *       ],
                     *       "srcset": "srcset",
                     *       "used_by": [
                     *         {
                     *           "type": "type",
                     *           "id": "dddddddd-0000-4000-8000-000000000000"
                     *         }
                     *       ],
                     *       "upload_date": "upload_date",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "upload": {
                     *         "url": "https://example.com/lamps",
                     *         "method": "PUT",
                     *         "headers": {},
                     *         "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *         "resumable": {
                     *           "url": "https://example.com/lamps",
                     *           "headers": {},
                     *           "metadata": {}
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": AnnouncedMedia;
                };
            };
        };
    };
    "media.get": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "filename": "filename",
                     *       "type": "image",
                     *       "content_type": "content_type",
                     *       "size": 1,
                     *       "dimensions": {
                     *         "width": 1,
                     *         "height": 1
                     *       },
                     *       "alt_text": "alt_text",
                     *       "alt_texts": {},
                     *       "focal_point": {
                     *         "x": 1,
                     *         "y": 1
                     *       },
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "private": true,
                     *       "status": "uploading",
                     *       "url": "https://example.com/lamps",
                     *       "variants": [
                     *         {
                     *           "width": 1,
                     *           "height": 1,
                     *           "format": "webp",
                     *           "url": "https://example.com/lamps"
                     *         }
                     *       ],
                     *       "srcset": "srcset",
                     *       "used_by": [
                     *         {
                     *           "type": "type",
                     *           "id": "dddddddd-0000-4000-8000-000000000000"
                     *         }
                     *       ],
                     *       "upload_date": "upload_date",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": MediaAsset;
                };
            };
        };
    };
    "media.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset is deleted; a worker deletes its bytes */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "media.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "alt_texts": {
                 *         "fr": "La cafetière, de côté"
                 *       }
                 *     }
                 */
                "application/json": MediaChanges;
            };
        };
        responses: {
            /** @description The changed asset */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "filename": "filename",
                     *       "type": "image",
                     *       "content_type": "content_type",
                     *       "size": 1,
                     *       "dimensions": {
                     *         "width": 1,
                     *         "height": 1
                     *       },
                     *       "alt_text": "alt_text",
                     *       "alt_texts": {},
                     *       "focal_point": {
                     *         "x": 1,
                     *         "y": 1
                     *       },
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "private": true,
                     *       "status": "uploading",
                     *       "url": "https://example.com/lamps",
                     *       "variants": [
                     *         {
                     *           "width": 1,
                     *           "height": 1,
                     *           "format": "webp",
                     *           "url": "https://example.com/lamps"
                     *         }
                     *       ],
                     *       "srcset": "srcset",
                     *       "used_by": [
                     *         {
                     *           "type": "type",
                     *           "id": "dddddddd-0000-4000-8000-000000000000"
                     *         }
                     *       ],
                     *       "upload_date": "upload_date",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": MediaAsset;
                };
            };
        };
    };
    "media.complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The asset, ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "filename": "filename",
                     *       "type": "image",
                     *       "content_type": "content_type",
                     *       "size": 1,
                     *       "dimensions": {
                     *         "width": 1,
                     *         "height": 1
                     *       },
                     *       "alt_text": "alt_text",
                     *       "alt_texts": {},
                     *       "focal_point": {
                     *         "x": 1,
                     *         "y": 1
                     *       },
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "private": true,
                     *       "status": "uploading",
                     *       "url": "https://example.com/lamps",
                     *       "variants": [
                     *         {
                     *           "width": 1,
                     *           "height": 1,
                     *           "format": "webp",
                     *           "url": "https://example.com/lamps"
                     *         }
                     *       ],
                     *       "srcset": "srcset",
                     *       "used_by": [
                     *         {
                     *           "type": "type",
                     *           "id": "dddddddd-0000-4000-8000-000000000000"
                     *         }
                     *       ],
                     *       "upload_date": "upload_date",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": MediaAsset;
                };
            };
        };
    };
    "media.replace": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "pot.jpg",
                 *       "size": 48213,
                 *       "content_type": "image/jpeg"
                 *     }
                 */
                "application/json": ReplacedMedia;
            };
        };
        responses: {
            /** @description The asset, and where to upload the new file */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "uploaded_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "filename": "filename",
                     *       "type": "image",
                     *       "content_type": "content_type",
                     *       "size": 1,
                     *       "dimensions": {
                     *         "width": 1,
                     *         "height": 1
                     *       },
                     *       "alt_text": "alt_text",
                     *       "alt_texts": {},
                     *       "focal_point": {
                     *         "x": 1,
                     *         "y": 1
                     *       },
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "folder_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "private": true,
                     *       "status": "uploading",
                     *       "url": "https://example.com/lamps",
                     *       "variants": [
                     *         {
                     *           "width": 1,
                     *           "height": 1,
                     *           "format": "webp",
                     *           "url": "https://example.com/lamps"
                     *         }
                     *       ],
                     *       "srcset": "srcset",
                     *       "used_by": [
                     *         {
                     *           "type": "type",
                     *           "id": "dddddddd-0000-4000-8000-000000000000"
                     *         }
                     *       ],
                     *       "upload_date": "upload_date",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "upload": {
                     *         "url": "https://example.com/lamps",
                     *         "method": "PUT",
                     *         "headers": {},
                     *         "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *         "resumable": {
                     *           "url": "https://example.com/lamps",
                     *           "headers": {},
                     *           "metadata": {}
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": AnnouncedMedia;
                };
            };
        };
    };
    "contentTypes.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Built-in types first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content_types": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "key": "key",
                     *           "name": "Brass coffee pot",
                     *           "fields": [
                     *             {
                     *               "name": "minutes",
                     *               "type": "number",
                     *               "required": true,
                     *               "validation": {
                     *                 "min": 1,
                     *                 "max": 1,
                     *                 "min_length": 1,
                     *                 "max_length": 1,
                     *                 "options": [
                     *                   "options"
                     *                 ]
                     *               },
                     *               "default_value": null
                     *             }
                     *           ],
                     *           "workflow": [
                     *             {
                     *               "id": "legal",
                     *               "name": "Legal department",
                     *               "assignee_role": "reviewer",
                     *               "required_actions": [
                     *                 "approve",
                     *                 "reject"
                     *               ],
                     *               "auto_transition": true
                     *             }
                     *           ],
                     *           "built_in": true,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentTypeList;
                };
            };
        };
    };
    "contentTypes.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "recipes",
                 *       "name": "Recipes"
                 *     }
                 */
                "application/json": NewContentType;
            };
        };
        responses: {
            /** @description The new type */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "fields": [
                     *         {
                     *           "name": "minutes",
                     *           "type": "number",
                     *           "required": true,
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "options": [
                     *               "options"
                     *             ]
                     *           },
                     *           "default_value": null
                     *         }
                     *       ],
                     *       "workflow": [
                     *         {
                     *           "id": "legal",
                     *           "name": "Legal department",
                     *           "assignee_role": "reviewer",
                     *           "required_actions": [
                     *             "approve",
                     *             "reject"
                     *           ],
                     *           "auto_transition": true
                     *         }
                     *       ],
                     *       "built_in": true,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ContentType;
                };
            };
        };
    };
    "contentTypes.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "fields": [
                     *         {
                     *           "name": "minutes",
                     *           "type": "number",
                     *           "required": true,
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "options": [
                     *               "options"
                     *             ]
                     *           },
                     *           "default_value": null
                     *         }
                     *       ],
                     *       "workflow": [
                     *         {
                     *           "id": "legal",
                     *           "name": "Legal department",
                     *           "assignee_role": "reviewer",
                     *           "required_actions": [
                     *             "approve",
                     *             "reject"
                     *           ],
                     *           "auto_transition": true
                     *         }
                     *       ],
                     *       "built_in": true,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ContentType;
                };
            };
        };
    };
    "contentTypes.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Recipes"
                 *     }
                 */
                "application/json": ContentTypeChanges;
            };
        };
        responses: {
            /** @description The changed type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "fields": [
                     *         {
                     *           "name": "minutes",
                     *           "type": "number",
                     *           "required": true,
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "options": [
                     *               "options"
                     *             ]
                     *           },
                     *           "default_value": null
                     *         }
                     *       ],
                     *       "workflow": [
                     *         {
                     *           "id": "legal",
                     *           "name": "Legal department",
                     *           "assignee_role": "reviewer",
                     *           "required_actions": [
                     *             "approve",
                     *             "reject"
                     *           ],
                     *           "auto_transition": true
                     *         }
                     *       ],
                     *       "built_in": true,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ContentType;
                };
            };
        };
    };
    "contentTypes.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "contentTypes.workflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps that say who makes which move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "steps": [
                     *         {
                     *           "id": "legal",
                     *           "name": "Legal department",
                     *           "assignee_role": "reviewer",
                     *           "required_actions": [
                     *             "approve",
                     *             "reject"
                     *           ],
                     *           "auto_transition": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentWorkflow;
                };
            };
        };
    };
    "contentTypes.setWorkflow": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "steps": [
                 *         {
                 *           "id": "legal",
                 *           "name": "Legal department",
                 *           "assignee_role": "reviewer",
                 *           "required_actions": [
                 *             "approve",
                 *             "reject"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": ContentWorkflow;
            };
        };
        responses: {
            /** @description The new steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "steps": [
                     *         {
                     *           "id": "legal",
                     *           "name": "Legal department",
                     *           "assignee_role": "reviewer",
                     *           "required_actions": [
                     *             "approve",
                     *             "reject"
                     *           ],
                     *           "auto_transition": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentWorkflow;
                };
            };
        };
    };
    "content.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "updated_at";
                order?: "asc" | "desc";
                /** @description For editors. */
                status?: ContentStatus & unknown;
                marketplace_id?: string;
                /** @description A part of slug or title. */
                search?: string;
                /** @description Untranslated fields have the base language (pt for pt-BR) or the original's. */
                language?: string;
                /** @description `html`: rich texts are safe HTML inside the JSON. */
                format?: "json" | "html";
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the content of a type, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "type": "static_pages",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "slug": "about-us",
                     *           "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "draft",
                     *           "title": "title",
                     *           "content": {
                     *             "type": "doc",
                     *             "content": [
                     *               {
                     *                 "type": "paragraph",
                     *                 "content": [
                     *                   {
                     *                     "type": "text",
                     *                     "text": "Open from ten to six."
                     *                   }
                     *                 ]
                     *               }
                     *             ]
                     *           },
                     *           "blocks": [
                     *             {
                     *               "id": "id",
                     *               "type": "text",
                     *               "content": {
                     *                 "title": "Summer sale",
                     *                 "text": "Until August",
                     *                 "href": "/sale"
                     *               },
                     *               "settings": {
                     *                 "tone": "warm"
                     *               },
                     *               "permissions": {
                     *                 "roles": [
                     *                   "customer"
                     *                 ]
                     *               },
                     *               "products": [
                     *                 {}
                     *               ]
                     *             }
                     *           ],
                     *           "fields": {},
                     *           "layout": "layout",
                     *           "seo": {
                     *             "title": "title",
                     *             "description": "description",
                     *             "keywords": [
                     *               "keywords"
                     *             ],
                     *             "canonical_url": "canonical_url",
                     *             "og_tags": {},
                     *             "schema_markup": {}
                     *           },
                     *           "visibility": "public",
                     *           "visible_to": [
                     *             "customer"
                     *           ],
                     *           "localizations": {},
                     *           "version_number": 1,
                     *           "published_version_number": 1,
                     *           "has_unpublished_changes": true,
                     *           "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "scheduled_version_number": 1,
                     *           "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "language": "en",
                     *           "served_language": "served_language",
                     *           "languages": [
                     *             {
                     *               "language": "en",
                     *               "status": "draft",
                     *               "published_version_number": 1,
                     *               "outdated": true
                     *             }
                     *           ],
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "is_draft": true,
                     *           "moved_to": "moved_to",
                     *           "assets": {},
                     *           "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ContentList;
                };
            };
        };
    };
    "content.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                type: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "about-us",
                 *       "title": {
                 *         "en": "About us",
                 *         "de": "Über uns"
                 *       },
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": NewContent;
            };
        };
        responses: {
            /** @description The new draft */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.get": {
        parameters: {
            query?: {
                /** @description Untranslated fields have the base language (pt for pt-BR) or the original's. */
                language?: string;
                /** @description `false`: untranslated fields are null. */
                fallback?: boolean;
                /** @description `html`: rich texts are safe HTML inside the JSON. */
                format?: "json" | "html";
                /** @description `true`: grids have their products. */
                resolve?: boolean;
                /** @description Needed if several marketplaces have this slug. */
                marketplace_id?: string;
                /** @description For editors. */
                version?: number;
                /** @description For editors. */
                branch?: string;
                /** @description The token of a preview. It returns the draft without an access token. */
                preview?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.update": {
        parameters: {
            query?: {
                branch?: string;
            };
            header?: {
                /** @description The ETag of the version that was read: `"<version_number>"`. */
                "if-match"?: string;
            };
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "about-us",
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentChanges;
            };
        };
        responses: {
            /** @description The draft after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "merged": true
                     *     }
                     */
                    "application/json": SavedContent;
                };
            };
        };
    };
    "content.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted or archived */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "content.submit": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMove;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMove;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMove;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMove;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMove;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.publish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year",
                 *       "languages": [
                 *         "de"
                 *       ]
                 *     }
                 */
                "application/json": ContentPublication;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.unpublish": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year",
                 *       "languages": [
                 *         "de"
                 *       ]
                 *     }
                 */
                "application/json": ContentWithdrawal;
            };
        };
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.cancelSchedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content after the move */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.moves": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The moves, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moves": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "move": "approve",
                     *           "from_status": "draft",
                     *           "to_status": "draft",
                     *           "version_number": 1,
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "comment": "comment",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ContentMoveList;
                };
            };
        };
    };
    "content.versions": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored versions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "version_number": 1,
                     *           "parents": [
                     *             1
                     *           ],
                     *           "branch": "branch",
                     *           "changes": [
                     *             "title.en",
                     *             "blocks.hero"
                     *           ],
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "timestamp": "timestamp",
                     *           "comment": "comment",
                     *           "autosave": true,
                     *           "bytes": 1
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ContentVersionList;
                };
            };
        };
    };
    "content.version": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "version_number": 1,
                     *       "parents": [
                     *         1
                     *       ],
                     *       "branch": "branch",
                     *       "changes": [
                     *         "title.en",
                     *         "blocks.hero"
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "timestamp": "timestamp",
                     *       "comment": "comment",
                     *       "autosave": true,
                     *       "bytes": 1,
                     *       "document": {}
                     *     }
                     */
                    "application/json": ContentVersionWithDocument;
                };
            };
        };
    };
    "content.compare": {
        parameters: {
            query: {
                from: number;
                to: number;
            };
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changes": [
                     *         {
                     *           "path": "path",
                     *           "from": null,
                     *           "to": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentComparison;
                };
            };
        };
    };
    "content.rollback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version_number": 1,
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentRollback;
            };
        };
        responses: {
            /** @description The draft after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "missing": [
                     *         "missing"
                     *       ]
                     *     }
                     */
                    "application/json": RolledBackContent;
                };
            };
        };
    };
    "content.branches": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branches, main first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "branches": [
                     *         {
                     *           "name": "Brass coffee pot",
                     *           "version_number": 1,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentBranchList;
                };
            };
        };
    };
    "content.createBranch": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "christmas"
                 *     }
                 */
                "application/json": NewContentBranch;
            };
        };
        responses: {
            /** @description The new branch */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Brass coffee pot",
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ContentBranch;
                };
            };
        };
    };
    "content.removeBranch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "content.merge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "christmas",
                 *       "into": "christmas",
                 *       "resolutions": [
                 *         {
                 *           "path": "seo.title",
                 *           "take": "ours"
                 *         }
                 *       ],
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": ContentMerge;
            };
        };
        responses: {
            /** @description The branch `into` after the merge */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "static_pages",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "slug": "about-us",
                     *       "subject_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "draft",
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "type": "text",
                     *           "content": {
                     *             "title": "Summer sale",
                     *             "text": "Until August",
                     *             "href": "/sale"
                     *           },
                     *           "settings": {
                     *             "tone": "warm"
                     *           },
                     *           "permissions": {
                     *             "roles": [
                     *               "customer"
                     *             ]
                     *           },
                     *           "products": [
                     *             {}
                     *           ]
                     *         }
                     *       ],
                     *       "fields": {},
                     *       "layout": "layout",
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "visibility": "public",
                     *       "visible_to": [
                     *         "customer"
                     *       ],
                     *       "localizations": {},
                     *       "version_number": 1,
                     *       "published_version_number": 1,
                     *       "has_unpublished_changes": true,
                     *       "scheduled_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "scheduled_version_number": 1,
                     *       "unpublish_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "language": "en",
                     *       "served_language": "served_language",
                     *       "languages": [
                     *         {
                     *           "language": "en",
                     *           "status": "draft",
                     *           "published_version_number": 1,
                     *           "outdated": true
                     *         }
                     *       ],
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_draft": true,
                     *       "moved_to": "moved_to",
                     *       "assets": {},
                     *       "published_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Content;
                };
            };
        };
    };
    "content.localization": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its status, and its texts in the draft */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "language": "en",
                     *       "status": "draft",
                     *       "translator_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "last_updated": "last_updated",
                     *       "published_version_number": 1,
                     *       "outdated": true,
                     *       "version_number": 1,
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "fields": {},
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "content": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": LocalizedContent;
                };
            };
        };
    };
    "content.setLocalization": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that was read: `"<version_number>"`. */
                "if-match"?: string;
            };
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
                language: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Opening hours of the new year"
                 *     }
                 */
                "application/json": LocalizedContentChanges;
            };
        };
        responses: {
            /** @description The translation after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "language": "en",
                     *       "status": "draft",
                     *       "translator_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "last_updated": "last_updated",
                     *       "published_version_number": 1,
                     *       "outdated": true,
                     *       "version_number": 1,
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "fields": {},
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "content": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": LocalizedContent;
                };
            };
        };
    };
    "content.moveLocalization": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
                language: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "draft"
                 *     }
                 */
                "application/json": LocalizedContentMove;
            };
        };
        responses: {
            /** @description The translation after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "language": "en",
                     *       "status": "draft",
                     *       "translator_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "last_updated": "last_updated",
                     *       "published_version_number": 1,
                     *       "outdated": true,
                     *       "version_number": 1,
                     *       "title": "title",
                     *       "content": {
                     *         "type": "doc",
                     *         "content": [
                     *           {
                     *             "type": "paragraph",
                     *             "content": [
                     *               {
                     *                 "type": "text",
                     *                 "text": "Open from ten to six."
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "seo": {
                     *         "title": "title",
                     *         "description": "description",
                     *         "keywords": [
                     *           "keywords"
                     *         ],
                     *         "canonical_url": "canonical_url",
                     *         "og_tags": {},
                     *         "schema_markup": {}
                     *       },
                     *       "fields": {},
                     *       "blocks": [
                     *         {
                     *           "id": "id",
                     *           "content": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": LocalizedContent;
                };
            };
        };
    };
    "content.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "de"
                 *     }
                 */
                "application/json": NewContentPreview;
            };
        };
        responses: {
            /** @description The token and the address of the preview */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://example.com/lamps",
                     *       "token": "token",
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ContentPreview;
                };
            };
        };
    };
    "content.endPreviews": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                type: string;
                /** @description An id, a slug, or the id of the product or category that it describes. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "components.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "updated_at" | "created_at" | "name";
                order?: "asc" | "desc";
                category?: ComponentCategory;
                /** @description Part of the name. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of components */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "components": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "category": "ecommerce",
                     *           "content": "<h2>{{ title }}</h2>",
                     *           "props": [
                     *             {
                     *               "name": "headline",
                     *               "type": "string",
                     *               "default_value": "Welcome",
                     *               "required": true,
                     *               "description": "description",
                     *               "validation": {
                     *                 "min": 1,
                     *                 "max": 1,
                     *                 "min_length": 1,
                     *                 "max_length": 1,
                     *                 "pattern": "pattern",
                     *                 "options": [
                     *                   null
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "styles": ".headline { color: teal }",
                     *           "variants": [
                     *             {
                     *               "name": "wide",
                     *               "props": {},
                     *               "styles": ".headline { color: teal }",
                     *               "content": "content"
                     *             }
                     *           ],
                     *           "responsive": [
                     *             {
                     *               "breakpoint": "mobile",
                     *               "styles": {
                     *                 "text-align": "center"
                     *               },
                     *               "visibility": {
                     *                 "show_on": [
                     *                   "mobile"
                     *                 ],
                     *                 "hide_on": [
                     *                   "mobile"
                     *                 ]
                     *               }
                     *             }
                     *           ],
                     *           "version_number": 1,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": ComponentTemplateList;
                };
            };
        };
    };
    "components.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Brass coffee pot",
                 *       "category": "ecommerce",
                 *       "content": "<h2>{{ title }}</h2>",
                 *       "styles": ".headline { color: teal }"
                 *     }
                 */
                "application/json": NewComponentTemplate;
            };
        };
        responses: {
            /** @description The new component */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "category": "ecommerce",
                     *       "content": "<h2>{{ title }}</h2>",
                     *       "props": [
                     *         {
                     *           "name": "headline",
                     *           "type": "string",
                     *           "default_value": "Welcome",
                     *           "required": true,
                     *           "description": "description",
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "pattern": "pattern",
                     *             "options": [
                     *               null
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "styles": ".headline { color: teal }",
                     *       "variants": [
                     *         {
                     *           "name": "wide",
                     *           "props": {},
                     *           "styles": ".headline { color: teal }",
                     *           "content": "content"
                     *         }
                     *       ],
                     *       "responsive": [
                     *         {
                     *           "breakpoint": "mobile",
                     *           "styles": {
                     *             "text-align": "center"
                     *           },
                     *           "visibility": {
                     *             "show_on": [
                     *               "mobile"
                     *             ],
                     *             "hide_on": [
                     *               "mobile"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ComponentTemplate;
                };
            };
        };
    };
    "components.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The component */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "category": "ecommerce",
                     *       "content": "<h2>{{ title }}</h2>",
                     *       "props": [
                     *         {
                     *           "name": "headline",
                     *           "type": "string",
                     *           "default_value": "Welcome",
                     *           "required": true,
                     *           "description": "description",
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "pattern": "pattern",
                     *             "options": [
                     *               null
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "styles": ".headline { color: teal }",
                     *       "variants": [
                     *         {
                     *           "name": "wide",
                     *           "props": {},
                     *           "styles": ".headline { color: teal }",
                     *           "content": "content"
                     *         }
                     *       ],
                     *       "responsive": [
                     *         {
                     *           "breakpoint": "mobile",
                     *           "styles": {
                     *             "text-align": "center"
                     *           },
                     *           "visibility": {
                     *             "show_on": [
                     *               "mobile"
                     *             ],
                     *             "hide_on": [
                     *               "mobile"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ComponentTemplate;
                };
            };
        };
    };
    "components.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that was read: `"<version_number>"`. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "<h2>{{ title }}</h2>",
                 *       "styles": ".headline { color: teal }"
                 *     }
                 */
                "application/json": ComponentTemplateChanges;
            };
        };
        responses: {
            /** @description The saved component */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "category": "ecommerce",
                     *       "content": "<h2>{{ title }}</h2>",
                     *       "props": [
                     *         {
                     *           "name": "headline",
                     *           "type": "string",
                     *           "default_value": "Welcome",
                     *           "required": true,
                     *           "description": "description",
                     *           "validation": {
                     *             "min": 1,
                     *             "max": 1,
                     *             "min_length": 1,
                     *             "max_length": 1,
                     *             "pattern": "pattern",
                     *             "options": [
                     *               null
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "styles": ".headline { color: teal }",
                     *       "variants": [
                     *         {
                     *           "name": "wide",
                     *           "props": {},
                     *           "styles": ".headline { color: teal }",
                     *           "content": "content"
                     *         }
                     *       ],
                     *       "responsive": [
                     *         {
                     *           "breakpoint": "mobile",
                     *           "styles": {
                     *             "text-align": "center"
                     *           },
                     *           "visibility": {
                     *             "show_on": [
                     *               "mobile"
                     *             ],
                     *             "hide_on": [
                     *               "mobile"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": ComponentTemplate;
                };
            };
        };
    };
    "components.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The component was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "templates.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                order?: "asc" | "desc";
                type?: PageType;
                marketplace_id?: string;
                /** @description Part of the name. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "type": "homepage",
                     *           "is_default": true,
                     *           "content": {
                     *             "layout": "default",
                     *             "sidebar": [
                     *               "hero"
                     *             ],
                     *             "sections": [
                     *               {
                     *                 "id": "top",
                     *                 "name": "Top",
                     *                 "order": 1,
                     *                 "blocks": [
                     *                   {
                     *                     "id": "hero",
                     *                     "name": "Brass coffee pot",
                     *                     "required": true,
                     *                     "settings": {
                     *                       "element": "div",
                     *                       "class": "class",
                     *                       "label": "label"
                     *                     },
                     *                     "permissions": {
                     *                       "roles": [
                     *                         "customer"
                     *                       ]
                     *                     },
                     *                     "type": "static_content",
                     *                     "content": "<p>Open from ten to six.</p>"
                     *                   }
                     *                 ],
                     *                 "conditions": [
                     *                   {
                     *                     "id": "hero",
                     *                     "expression": {
                     *                       "variable": "product.price",
                     *                       "operator": "less_than",
                     *                       "value": 20,
                     *                       "logic": "AND"
                     *                     },
                     *                     "action": "show"
                     *                   }
                     *                 ],
                     *                 "responsive": [
                     *                   {
                     *                     "breakpoint": "mobile",
                     *                     "styles": {
                     *                       "text-align": "center"
                     *                     },
                     *                     "visibility": {
                     *                       "show_on": [
                     *                         "mobile"
                     *                       ],
                     *                       "hide_on": [
                     *                         "mobile"
                     *                       ]
                     *                     }
                     *                   }
                     *                 ]
                     *               }
                     *             ],
                     *             "variables": [
                     *               {
                     *                 "name": "headline",
                     *                 "type": "string",
                     *                 "default_value": "Welcome",
                     *                 "required": true,
                     *                 "description": "description",
                     *                 "validation": {
                     *                   "min": 1,
                     *                   "max": 1,
                     *                   "min_length": 1,
                     *                   "max_length": 1,
                     *                   "pattern": "pattern",
                     *                   "options": [
                     *                     null
                     *                   ]
                     *                 }
                     *               }
                     *             ],
                     *             "bindings": [
                     *               {
                     *                 "variable": "newest",
                     *                 "source": {
                     *                   "type": "api",
                     *                   "endpoint": "/api/products?sort=created_at&limit=4",
                     *                   "query": "query",
                     *                   "value": null,
                     *                   "formula": "formula"
                     *                 },
                     *                 "transformation": "map: 'name' | first",
                     *                 "caching": {
                     *                   "duration": 1
                     *                 }
                     *               }
                     *             ],
                     *             "inheritance": {
                     *               "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "overrides": [
                     *                 {
                     *                   "block_id": "hero",
                     *                   "action": "append",
                     *                   "content": {
                     *                     "id": "hero",
                     *                     "name": "Brass coffee pot",
                     *                     "required": true,
                     *                     "settings": {
                     *                       "element": "div",
                     *                       "class": "class",
                     *                       "label": "label"
                     *                     },
                     *                     "permissions": {
                     *                       "roles": [
                     *                         "customer"
                     *                       ]
                     *                     },
                     *                     "type": "static_content",
                     *                     "content": "<p>Open from ten to six.</p>"
                     *                   }
                     *                 }
                     *               ],
                     *               "extensions": [
                     *                 {
                     *                   "id": "top",
                     *                   "name": "Top",
                     *                   "order": 1,
                     *                   "blocks": [
                     *                     {
                     *                       "id": "hero",
                     *                       "name": "Brass coffee pot",
                     *                       "required": true,
                     *                       "settings": {
                     *                         "element": "div",
                     *                         "class": "class",
                     *                         "label": "label"
                     *                       },
                     *                       "permissions": {
                     *                         "roles": [
                     *                           "customer"
                     *                         ]
                     *                       },
                     *                       "type": "static_content",
                     *                       "content": "<p>Open from ten to six.</p>"
                     *                     }
                     *                   ],
                     *                   "conditions": [
                     *                     {
                     *                       "id": "hero",
                     *                       "expression": {
                     *                         "variable": "product.price",
                     *                         "operator": "less_than",
                     *                         "value": 20,
                     *                         "logic": "AND"
                     *                       },
                     *                       "action": "show"
                     *                     }
                     *                   ],
                     *                   "responsive": [
                     *                     {
                     *                       "breakpoint": "mobile",
                     *                       "styles": {
                     *                         "text-align": "center"
                     *                       },
                     *                       "visibility": {
                     *                         "show_on": [
                     *                           "mobile"
                     *                         ],
                     *                         "hide_on": [
                     *                           "mobile"
                     *                         ]
                     *                       }
                     *                     }
                     *                   ]
                     *                 }
                     *               ]
                     *             },
                     *             "styles": ".headline { color: teal }"
                     *           },
                     *           "caching": {
                     *             "strategy": "memory",
                     *             "duration": 300,
                     *             "invalidation": [
                     *               "product.updated"
                     *             ],
                     *             "compression": true
                     *           },
                     *           "version": 1,
                     *           "version_number": 1,
                     *           "active_version": 1,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": PageTemplateList;
                };
            };
        };
    };
    "templates.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Summer",
                 *       "type": "homepage",
                 *       "content": {
                 *         "layout": "default",
                 *         "styles": ".headline { color: teal }"
                 *       }
                 *     }
                 */
                "application/json": NewTemplate;
            };
        };
        responses: {
            /** @description The new template */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "type": "homepage",
                     *       "is_default": true,
                     *       "content": {
                     *         "layout": "default",
                     *         "sidebar": [
                     *           "hero"
                     *         ],
                     *         "sections": [
                     *           {
                     *             "id": "top",
                     *             "name": "Top",
                     *             "order": 1,
                     *             "blocks": [
                     *               {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             ],
                     *             "conditions": [
                     *               {
                     *                 "id": "hero",
                     *                 "expression": {
                     *                   "variable": "product.price",
                     *                   "operator": "less_than",
                     *                   "value": 20,
                     *                   "logic": "AND"
                     *                 },
                     *                 "action": "show"
                     *               }
                     *             ],
                     *             "responsive": [
                     *               {
                     *                 "breakpoint": "mobile",
                     *                 "styles": {
                     *                   "text-align": "center"
                     *                 },
                     *                 "visibility": {
                     *                   "show_on": [
                     *                     "mobile"
                     *                   ],
                     *                   "hide_on": [
                     *                     "mobile"
                     *                   ]
                     *                 }
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "variables": [
                     *           {
                     *             "name": "headline",
                     *             "type": "string",
                     *             "default_value": "Welcome",
                     *             "required": true,
                     *             "description": "description",
                     *             "validation": {
                     *               "min": 1,
                     *               "max": 1,
                     *               "min_length": 1,
                     *               "max_length": 1,
                     *               "pattern": "pattern",
                     *               "options": [
                     *                 null
                     *               ]
                     *             }
                     *           }
                     *         ],
                     *         "bindings": [
                     *           {
                     *             "variable": "newest",
                     *             "source": {
                     *               "type": "api",
                     *               "endpoint": "/api/products?sort=created_at&limit=4",
                     *               "query": "query",
                     *               "value": null,
                     *               "formula": "formula"
                     *             },
                     *             "transformation": "map: 'name' | first",
                     *             "caching": {
                     *               "duration": 1
                     *             }
                     *           }
                     *         ],
                     *         "inheritance": {
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "overrides": [
                     *             {
                     *               "block_id": "hero",
                     *               "action": "append",
                     *               "content": {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             }
                     *           ],
                     *           "extensions": [
                     *             {
                     *               "id": "top",
                     *               "name": "Top",
                     *               "order": 1,
                     *               "blocks": [
                     *                 {
                     *                   "id": "hero",
                     *                   "name": "Brass coffee pot",
                     *                   "required": true,
                     *                   "settings": {
                     *                     "element": "div",
                     *                     "class": "class",
                     *                     "label": "label"
                     *                   },
                     *                   "permissions": {
                     *                     "roles": [
                     *                       "customer"
                     *                     ]
                     *                   },
                     *                   "type": "static_content",
                     *                   "content": "<p>Open from ten to six.</p>"
                     *                 }
                     *               ],
                     *               "conditions": [
                     *                 {
                     *                   "id": "hero",
                     *                   "expression": {
                     *                     "variable": "product.price",
                     *                     "operator": "less_than",
                     *                     "value": 20,
                     *                     "logic": "AND"
                     *                   },
                     *                   "action": "show"
                     *                 }
                     *               ],
                     *               "responsive": [
                     *                 {
                     *                   "breakpoint": "mobile",
                     *                   "styles": {
                     *                     "text-align": "center"
                     *                   },
                     *                   "visibility": {
                     *                     "show_on": [
                     *                       "mobile"
                     *                     ],
                     *                     "hide_on": [
                     *                       "mobile"
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         },
                     *         "styles": ".headline { color: teal }"
                     *       },
                     *       "caching": {
                     *         "strategy": "memory",
                     *         "duration": 300,
                     *         "invalidation": [
                     *           "product.updated"
                     *         ],
                     *         "compression": true
                     *       },
                     *       "version": 1,
                     *       "version_number": 1,
                     *       "active_version": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": PageTemplate;
                };
            };
        };
    };
    "templates.get": {
        parameters: {
            query?: {
                /** @description The marketplace, for a page type. Not needed if the tenant has only one. */
                marketplace_id?: string;
                /** @description For members with a content role. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description The id of a template; or a page type, for the template that renders such pages. */
                id: string | PageType;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "type": "homepage",
                     *       "is_default": true,
                     *       "content": {
                     *         "layout": "default",
                     *         "sidebar": [
                     *           "hero"
                     *         ],
                     *         "sections": [
                     *           {
                     *             "id": "top",
                     *             "name": "Top",
                     *             "order": 1,
                     *             "blocks": [
                     *               {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             ],
                     *             "conditions": [
                     *               {
                     *                 "id": "hero",
                     *                 "expression": {
                     *                   "variable": "product.price",
                     *                   "operator": "less_than",
                     *                   "value": 20,
                     *                   "logic": "AND"
                     *                 },
                     *                 "action": "show"
                     *               }
                     *             ],
                     *             "responsive": [
                     *               {
                     *                 "breakpoint": "mobile",
                     *                 "styles": {
                     *                   "text-align": "center"
                     *                 },
                     *                 "visibility": {
                     *                   "show_on": [
                     *                     "mobile"
                     *                   ],
                     *                   "hide_on": [
                     *                     "mobile"
                     *                   ]
                     *                 }
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "variables": [
                     *           {
                     *             "name": "headline",
                     *             "type": "string",
                     *             "default_value": "Welcome",
                     *             "required": true,
                     *             "description": "description",
                     *             "validation": {
                     *               "min": 1,
                     *               "max": 1,
                     *               "min_length": 1,
                     *               "max_length": 1,
                     *               "pattern": "pattern",
                     *               "options": [
                     *                 null
                     *               ]
                     *             }
                     *           }
                     *         ],
                     *         "bindings": [
                     *           {
                     *             "variable": "newest",
                     *             "source": {
                     *               "type": "api",
                     *               "endpoint": "/api/products?sort=created_at&limit=4",
                     *               "query": "query",
                     *               "value": null,
                     *               "formula": "formula"
                     *             },
                     *             "transformation": "map: 'name' | first",
                     *             "caching": {
                     *               "duration": 1
                     *             }
                     *           }
                     *         ],
                     *         "inheritance": {
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "overrides": [
                     *             {
                     *               "block_id": "hero",
                     *               "action": "append",
                     *               "content": {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             }
                     *           ],
                     *           "extensions": [
                     *             {
                     *               "id": "top",
                     *               "name": "Top",
                     *               "order": 1,
                     *               "blocks": [
                     *                 {
                     *                   "id": "hero",
                     *                   "name": "Brass coffee pot",
                     *                   "required": true,
                     *                   "settings": {
                     *                     "element": "div",
                     *                     "class": "class",
                     *                     "label": "label"
                     *                   },
                     *                   "permissions": {
                     *                     "roles": [
                     *                       "customer"
                     *                     ]
                     *                   },
                     *                   "type": "static_content",
                     *                   "content": "<p>Open from ten to six.</p>"
                     *                 }
                     *               ],
                     *               "conditions": [
                     *                 {
                     *                   "id": "hero",
                     *                   "expression": {
                     *                     "variable": "product.price",
                     *                     "operator": "less_than",
                     *                     "value": 20,
                     *                     "logic": "AND"
                     *                   },
                     *                   "action": "show"
                     *                 }
                     *               ],
                     *               "responsive": [
                     *                 {
                     *                   "breakpoint": "mobile",
                     *                   "styles": {
                     *                     "text-align": "center"
                     *                   },
                     *                   "visibility": {
                     *                     "show_on": [
                     *                       "mobile"
                     *                     ],
                     *                     "hide_on": [
                     *                       "mobile"
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         },
                     *         "styles": ".headline { color: teal }"
                     *       },
                     *       "caching": {
                     *         "strategy": "memory",
                     *         "duration": 300,
                     *         "invalidation": [
                     *           "product.updated"
                     *         ],
                     *         "compression": true
                     *       },
                     *       "version": 1,
                     *       "version_number": 1,
                     *       "active_version": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": PageTemplate;
                };
            };
        };
    };
    "templates.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that was read: `"<version_number>"`. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Summer"
                 *     }
                 */
                "application/json": TemplateChanges;
            };
        };
        responses: {
            /** @description The latest version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "type": "homepage",
                     *       "is_default": true,
                     *       "content": {
                     *         "layout": "default",
                     *         "sidebar": [
                     *           "hero"
                     *         ],
                     *         "sections": [
                     *           {
                     *             "id": "top",
                     *             "name": "Top",
                     *             "order": 1,
                     *             "blocks": [
                     *               {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             ],
                     *             "conditions": [
                     *               {
                     *                 "id": "hero",
                     *                 "expression": {
                     *                   "variable": "product.price",
                     *                   "operator": "less_than",
                     *                   "value": 20,
                     *                   "logic": "AND"
                     *                 },
                     *                 "action": "show"
                     *               }
                     *             ],
                     *             "responsive": [
                     *               {
                     *                 "breakpoint": "mobile",
                     *                 "styles": {
                     *                   "text-align": "center"
                     *                 },
                     *                 "visibility": {
                     *                   "show_on": [
                     *                     "mobile"
                     *                   ],
                     *                   "hide_on": [
                     *                     "mobile"
                     *                   ]
                     *                 }
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "variables": [
                     *           {
                     *             "name": "headline",
                     *             "type": "string",
                     *             "default_value": "Welcome",
                     *             "required": true,
                     *             "description": "description",
                     *             "validation": {
                     *               "min": 1,
                     *               "max": 1,
                     *               "min_length": 1,
                     *               "max_length": 1,
                     *               "pattern": "pattern",
                     *               "options": [
                     *                 null
                     *               ]
                     *             }
                     *           }
                     *         ],
                     *         "bindings": [
                     *           {
                     *             "variable": "newest",
                     *             "source": {
                     *               "type": "api",
                     *               "endpoint": "/api/products?sort=created_at&limit=4",
                     *               "query": "query",
                     *               "value": null,
                     *               "formula": "formula"
                     *             },
                     *             "transformation": "map: 'name' | first",
                     *             "caching": {
                     *               "duration": 1
                     *             }
                     *           }
                     *         ],
                     *         "inheritance": {
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "overrides": [
                     *             {
                     *               "block_id": "hero",
                     *               "action": "append",
                     *               "content": {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             }
                     *           ],
                     *           "extensions": [
                     *             {
                     *               "id": "top",
                     *               "name": "Top",
                     *               "order": 1,
                     *               "blocks": [
                     *                 {
                     *                   "id": "hero",
                     *                   "name": "Brass coffee pot",
                     *                   "required": true,
                     *                   "settings": {
                     *                     "element": "div",
                     *                     "class": "class",
                     *                     "label": "label"
                     *                   },
                     *                   "permissions": {
                     *                     "roles": [
                     *                       "customer"
                     *                     ]
                     *                   },
                     *                   "type": "static_content",
                     *                   "content": "<p>Open from ten to six.</p>"
                     *                 }
                     *               ],
                     *               "conditions": [
                     *                 {
                     *                   "id": "hero",
                     *                   "expression": {
                     *                     "variable": "product.price",
                     *                     "operator": "less_than",
                     *                     "value": 20,
                     *                     "logic": "AND"
                     *                   },
                     *                   "action": "show"
                     *                 }
                     *               ],
                     *               "responsive": [
                     *                 {
                     *                   "breakpoint": "mobile",
                     *                   "styles": {
                     *                     "text-align": "center"
                     *                   },
                     *                   "visibility": {
                     *                     "show_on": [
                     *                       "mobile"
                     *                     ],
                     *                     "hide_on": [
                     *                       "mobile"
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         },
                     *         "styles": ".headline { color: teal }"
                     *       },
                     *       "caching": {
                     *         "strategy": "memory",
                     *         "duration": 300,
                     *         "invalidation": [
                     *           "product.updated"
                     *         ],
                     *         "compression": true
                     *       },
                     *       "version": 1,
                     *       "version_number": 1,
                     *       "active_version": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": PageTemplate;
                };
            };
        };
    };
    "templates.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "templates.page": {
        parameters: {
            query?: {
                language?: string;
                device?: "mobile" | "tablet" | "desktop";
                marketplace_id?: string;
                product_id?: string;
                category_id?: string;
                /** @description The token of a preview. It needs no access token. */
                preview?: string;
            };
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                /** @description The id of a template; or a page type, for the template that renders such pages. */
                id: string | PageType;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "html": "html",
                     *       "css": "css",
                     *       "head": {
                     *         "title": "title",
                     *         "meta": [
                     *           {
                     *             "name": "Brass coffee pot",
                     *             "content": "content"
                     *           }
                     *         ],
                     *         "open_graph": {},
                     *         "json_ld": [
                     *           {}
                     *         ],
                     *         "links": [
                     *           {
                     *             "rel": "rel",
                     *             "href": "href",
                     *             "hreflang": "hreflang"
                     *           }
                     *         ]
                     *       },
                     *       "language": "en",
                     *       "rtl": true,
                     *       "version": 1,
                     *       "cache": {
                     *         "hit": true,
                     *         "key": "key",
                     *         "expires_at": "2026-01-01T12:00:00.000000+00:00"
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "code",
                     *           "message": "message",
                     *           "section": "section",
                     *           "block": "block"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": RenderAnswer;
                };
            };
        };
    };
    "templates.render": {
        parameters: {
            query?: never;
            header?: {
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path: {
                /** @description The id of a template; or a page type, for the template that renders such pages. */
                id: string | PageType;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "variables": {
                 *         "headline": "Welcome"
                 *       }
                 *     }
                 */
                "application/json": RenderRequest;
            };
        };
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "html": "html",
                     *       "css": "css",
                     *       "head": {
                     *         "title": "title",
                     *         "meta": [
                     *           {
                     *             "name": "Brass coffee pot",
                     *             "content": "content"
                     *           }
                     *         ],
                     *         "open_graph": {},
                     *         "json_ld": [
                     *           {}
                     *         ],
                     *         "links": [
                     *           {
                     *             "rel": "rel",
                     *             "href": "href",
                     *             "hreflang": "hreflang"
                     *           }
                     *         ]
                     *       },
                     *       "language": "en",
                     *       "rtl": true,
                     *       "version": 1,
                     *       "cache": {
                     *         "hit": true,
                     *         "key": "key",
                     *         "expires_at": "2026-01-01T12:00:00.000000+00:00"
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "code",
                     *           "message": "message",
                     *           "section": "section",
                     *           "block": "block"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": RenderAnswer;
                };
            };
        };
    };
    "templates.versions": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kept versions, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "version": 1,
                     *           "changes": [
                     *             "sections.top.blocks.hero",
                     *             "variables.headline"
                     *           ],
                     *           "created_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "is_active": true
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": TemplateVersionList;
                };
            };
        };
    };
    "templates.activate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template with this version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "type": "homepage",
                     *       "is_default": true,
                     *       "content": {
                     *         "layout": "default",
                     *         "sidebar": [
                     *           "hero"
                     *         ],
                     *         "sections": [
                     *           {
                     *             "id": "top",
                     *             "name": "Top",
                     *             "order": 1,
                     *             "blocks": [
                     *               {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             ],
                     *             "conditions": [
                     *               {
                     *                 "id": "hero",
                     *                 "expression": {
                     *                   "variable": "product.price",
                     *                   "operator": "less_than",
                     *                   "value": 20,
                     *                   "logic": "AND"
                     *                 },
                     *                 "action": "show"
                     *               }
                     *             ],
                     *             "responsive": [
                     *               {
                     *                 "breakpoint": "mobile",
                     *                 "styles": {
                     *                   "text-align": "center"
                     *                 },
                     *                 "visibility": {
                     *                   "show_on": [
                     *                     "mobile"
                     *                   ],
                     *                   "hide_on": [
                     *                     "mobile"
                     *                   ]
                     *                 }
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "variables": [
                     *           {
                     *             "name": "headline",
                     *             "type": "string",
                     *             "default_value": "Welcome",
                     *             "required": true,
                     *             "description": "description",
                     *             "validation": {
                     *               "min": 1,
                     *               "max": 1,
                     *               "min_length": 1,
                     *               "max_length": 1,
                     *               "pattern": "pattern",
                     *               "options": [
                     *                 null
                     *               ]
                     *             }
                     *           }
                     *         ],
                     *         "bindings": [
                     *           {
                     *             "variable": "newest",
                     *             "source": {
                     *               "type": "api",
                     *               "endpoint": "/api/products?sort=created_at&limit=4",
                     *               "query": "query",
                     *               "value": null,
                     *               "formula": "formula"
                     *             },
                     *             "transformation": "map: 'name' | first",
                     *             "caching": {
                     *               "duration": 1
                     *             }
                     *           }
                     *         ],
                     *         "inheritance": {
                     *           "parent_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "overrides": [
                     *             {
                     *               "block_id": "hero",
                     *               "action": "append",
                     *               "content": {
                     *                 "id": "hero",
                     *                 "name": "Brass coffee pot",
                     *                 "required": true,
                     *                 "settings": {
                     *                   "element": "div",
                     *                   "class": "class",
                     *                   "label": "label"
                     *                 },
                     *                 "permissions": {
                     *                   "roles": [
                     *                     "customer"
                     *                   ]
                     *                 },
                     *                 "type": "static_content",
                     *                 "content": "<p>Open from ten to six.</p>"
                     *               }
                     *             }
                     *           ],
                     *           "extensions": [
                     *             {
                     *               "id": "top",
                     *               "name": "Top",
                     *               "order": 1,
                     *               "blocks": [
                     *                 {
                     *                   "id": "hero",
                     *                   "name": "Brass coffee pot",
                     *                   "required": true,
                     *                   "settings": {
                     *                     "element": "div",
                     *                     "class": "class",
                     *                     "label": "label"
                     *                   },
                     *                   "permissions": {
                     *                     "roles": [
                     *                       "customer"
                     *                     ]
                     *                   },
                     *                   "type": "static_content",
                     *                   "content": "<p>Open from ten to six.</p>"
                     *                 }
                     *               ],
                     *               "conditions": [
                     *                 {
                     *                   "id": "hero",
                     *                   "expression": {
                     *                     "variable": "product.price",
                     *                     "operator": "less_than",
                     *                     "value": 20,
                     *                     "logic": "AND"
                     *                   },
                     *                   "action": "show"
                     *                 }
                     *               ],
                     *               "responsive": [
                     *                 {
                     *                   "breakpoint": "mobile",
                     *                   "styles": {
                     *                     "text-align": "center"
                     *                   },
                     *                   "visibility": {
                     *                     "show_on": [
                     *                       "mobile"
                     *                     ],
                     *                     "hide_on": [
                     *                       "mobile"
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         },
                     *         "styles": ".headline { color: teal }"
                     *       },
                     *       "caching": {
                     *         "strategy": "memory",
                     *         "duration": 300,
                     *         "invalidation": [
                     *           "product.updated"
                     *         ],
                     *         "compression": true
                     *       },
                     *       "version": 1,
                     *       "version_number": 1,
                     *       "active_version": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": PageTemplate;
                };
            };
        };
    };
    "templates.compare": {
        parameters: {
            query: {
                from: number;
                to: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changes": [
                     *         {
                     *           "path": "path",
                     *           "from": null,
                     *           "to": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": ContentComparison;
                };
            };
        };
    };
    "templates.localizations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All translations, with their texts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "localizations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "base_template_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "language": "en",
                     *           "translations": [
                     *             {
                     *               "key": "cart.items",
                     *               "value": "{{ count }} Artikel",
                     *               "context": "context",
                     *               "plural_forms": {
                     *                 "one": "Ein Artikel",
                     *                 "other": "{{ count }} Artikel"
                     *               }
                     *             }
                     *           ],
                     *           "rtl_support": true,
                     *           "custom_styles": "custom_styles",
                     *           "formatting": {
                     *             "date_format": "short",
                     *             "time_format": "short",
                     *             "currency_format": "symbol",
                     *             "number_format": "grouped"
                     *           },
                     *           "version_number": 1,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": LocalizedTemplateList;
                };
            };
        };
    };
    "templates.localization": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The texts and formats */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "base_template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "language": "en",
                     *       "translations": [
                     *         {
                     *           "key": "cart.items",
                     *           "value": "{{ count }} Artikel",
                     *           "context": "context",
                     *           "plural_forms": {
                     *             "one": "Ein Artikel",
                     *             "other": "{{ count }} Artikel"
                     *           }
                     *         }
                     *       ],
                     *       "rtl_support": true,
                     *       "custom_styles": "custom_styles",
                     *       "formatting": {
                     *         "date_format": "short",
                     *         "time_format": "short",
                     *         "currency_format": "symbol",
                     *         "number_format": "grouped"
                     *       },
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": LocalizedTemplate;
                };
            };
        };
    };
    "templates.setLocalization": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that was read: `"<version_number>"`. */
                "if-match"?: string;
            };
            path: {
                id: string;
                language: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "translations": [
                 *         {
                 *           "key": "cart.items",
                 *           "value": "{{ count }} Artikel",
                 *           "plural_forms": {
                 *             "one": "Ein Artikel",
                 *             "other": "{{ count }} Artikel"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": LocalizedTemplateChanges;
            };
        };
        responses: {
            /** @description The saved texts and formats */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "base_template_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "language": "en",
                     *       "translations": [
                     *         {
                     *           "key": "cart.items",
                     *           "value": "{{ count }} Artikel",
                     *           "context": "context",
                     *           "plural_forms": {
                     *             "one": "Ein Artikel",
                     *             "other": "{{ count }} Artikel"
                     *           }
                     *         }
                     *       ],
                     *       "rtl_support": true,
                     *       "custom_styles": "custom_styles",
                     *       "formatting": {
                     *         "date_format": "short",
                     *         "time_format": "short",
                     *         "currency_format": "symbol",
                     *         "number_format": "grouped"
                     *       },
                     *       "version_number": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": LocalizedTemplate;
                };
            };
        };
    };
    "templates.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": NewTemplatePreview;
            };
        };
        responses: {
            /** @description The address of the preview */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://example.com/lamps",
                     *       "token": "token",
                     *       "version": 1,
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": TemplatePreview;
                };
            };
        };
    };
    "templates.endPreviews": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All previews have ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "emailTemplates.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at" | "key" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The e-mail templates, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email_templates": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "key": "key",
                     *           "name": "Brass coffee pot",
                     *           "subject": "subject",
                     *           "html_content": "html_content",
                     *           "text_content": "text_content",
                     *           "variables": [
                     *             "variables"
                     *           ],
                     *           "trigger_events": [
                     *             "trigger_events"
                     *           ],
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        email_templates: EmailTemplate[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "emailTemplates.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "order_placed",
                 *       "name": "Order confirmation",
                 *       "trigger_events": [],
                 *       "subject": {
                 *         "en": "Your order {{ order.number }}",
                 *         "de": "Ihre Bestellung {{ order.number }}"
                 *       },
                 *       "html_content": {
                 *         "en": "<p>Thank you, {{ customer.name }}!</p>"
                 *       }
                 *     }
                 */
                "application/json": NewEmailTemplate;
            };
        };
        responses: {
            /** @description The new e-mail template */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "subject": "subject",
                     *       "html_content": "html_content",
                     *       "text_content": "text_content",
                     *       "variables": [
                     *         "variables"
                     *       ],
                     *       "trigger_events": [
                     *         "trigger_events"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": EmailTemplate;
                };
            };
        };
    };
    "emailTemplates.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The e-mail template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "subject": "subject",
                     *       "html_content": "html_content",
                     *       "text_content": "text_content",
                     *       "variables": [
                     *         "variables"
                     *       ],
                     *       "trigger_events": [
                     *         "trigger_events"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": EmailTemplate;
                };
            };
        };
    };
    "emailTemplates.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Order confirmation",
                 *       "trigger_events": [],
                 *       "subject": {
                 *         "en": "Your order {{ order.number }}",
                 *         "de": "Ihre Bestellung {{ order.number }}"
                 *       },
                 *       "html_content": {
                 *         "en": "<p>Thank you, {{ customer.name }}!</p>"
                 *       }
                 *     }
                 */
                "application/json": EmailTemplateChanges;
            };
        };
        responses: {
            /** @description The changed e-mail template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "key": "key",
                     *       "name": "Brass coffee pot",
                     *       "subject": "subject",
                     *       "html_content": "html_content",
                     *       "text_content": "text_content",
                     *       "variables": [
                     *         "variables"
                     *       ],
                     *       "trigger_events": [
                     *         "trigger_events"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": EmailTemplate;
                };
            };
        };
    };
    "emailTemplates.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The e-mail template is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "emailTemplates.render": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "variables": {
                 *         "customer": {
                 *           "name": "Ada"
                 *         }
                 *       },
                 *       "language": "de"
                 *     }
                 */
                "application/json": EmailRendering;
            };
        };
        responses: {
            /** @description The mail */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "subject",
                     *       "html": "html",
                     *       "text": "text",
                     *       "language": "en",
                     *       "rtl": true
                     *     }
                     */
                    "application/json": RenderedEmail;
                };
            };
        };
    };
    "emailTemplates.test": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "variables": {
                 *         "customer": {
                 *           "name": "Ada"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": EmailTest;
            };
        };
        responses: {
            /** @description The mail, which is queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "to": "to",
                     *       "name": "Brass coffee pot",
                     *       "template": "order_placed",
                     *       "event_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_test": true,
                     *       "subject": "subject",
                     *       "status": "pending",
                     *       "attempts": 1,
                     *       "error": "error",
                     *       "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "sent_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Mail;
                };
            };
        };
    };
    "mails.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at";
                order?: "asc" | "desc";
                status?: MailStatus;
                template?: string;
                to?: string;
                event_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's mails, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mails": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "to": "to",
                     *           "name": "Brass coffee pot",
                     *           "template": "order_placed",
                     *           "event_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "is_test": true,
                     *           "subject": "subject",
                     *           "status": "pending",
                     *           "attempts": 1,
                     *           "error": "error",
                     *           "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "sent_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        mails: Mail[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "mails.suppressions": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "email";
                order?: "asc" | "desc";
                email?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suppressions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suppressions": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "email": "amina@example.com",
                     *           "template": "template",
                     *           "reason": "bounce",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        suppressions: MailSuppression[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "mails.endSuppression": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suppression has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "mails.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "to": "to",
                     *       "name": "Brass coffee pot",
                     *       "template": "order_placed",
                     *       "event_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_test": true,
                     *       "subject": "subject",
                     *       "status": "pending",
                     *       "attempts": 1,
                     *       "error": "error",
                     *       "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "sent_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Mail;
                };
            };
        };
    };
    "mails.retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mail, which is queued */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "to": "to",
                     *       "name": "Brass coffee pot",
                     *       "template": "order_placed",
                     *       "event_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "is_test": true,
                     *       "subject": "subject",
                     *       "status": "pending",
                     *       "attempts": 1,
                     *       "error": "error",
                     *       "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "sent_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Mail;
                };
            };
        };
    };
    "inventory.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "updated_at" | "available" | "quantity" | "name";
                order?: "asc" | "desc";
                product_id?: string;
                marketplace_id?: string;
                low_stock?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the stock */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "inventory": [
                     *         {
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_name": "variant_name",
                     *           "sku": "sku",
                     *           "quantity": 1,
                     *           "reserved": 1,
                     *           "available": 1,
                     *           "low_stock_threshold": 1,
                     *           "low_stock": true,
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_name": "product_name",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "status"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": InventoryList;
                };
            };
        };
    };
    "inventory.movements": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                product_id?: string;
                variant_id?: string;
                order_id?: string;
                reason?: InventoryReason;
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the ledger, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "movements": [
                     *         {
                     *           "id": 1,
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_name": "product_name",
                     *           "variant_name": "variant_name",
                     *           "sku": "sku",
                     *           "reason": "opening",
                     *           "quantity_change": 1,
                     *           "reserved_change": 1,
                     *           "quantity": 1,
                     *           "reserved": 1,
                     *           "note": "note",
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": InventoryMovementList;
                };
            };
        };
    };
    "synonyms.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant's groups of synonyms */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "synonyms": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "terms": [
                     *             "terms"
                     *           ],
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        synonyms: SearchSynonyms[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "synonyms.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "terms": [
                 *         "sofa",
                 *         "couch",
                 *         "settee"
                 *       ]
                 *     }
                 */
                "application/json": NewSearchSynonyms;
            };
        };
        responses: {
            /** @description The new group */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "terms": [
                     *         "terms"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": SearchSynonyms;
                };
            };
        };
    };
    "synonyms.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "terms": [
                     *         "terms"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": SearchSynonyms;
                };
            };
        };
    };
    "synonyms.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "terms": [
                 *         "sofa",
                 *         "couch",
                 *         "settee"
                 *       ]
                 *     }
                 */
                "application/json": NewSearchSynonyms;
            };
        };
        responses: {
            /** @description The changed group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "terms": [
                     *         "terms"
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": SearchSynonyms;
                };
            };
        };
    };
    "synonyms.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "orders.import": {
        parameters: {
            query?: {
                /** @description The marketplace of lines that name none. Optional if the tenant has only one. */
                marketplace_id?: string;
                /** @description For a body that continues an import: the next_line of the previous response, the number of its first line after the header of CSV. */
                first_line?: number;
                /** @description Reports the result without changing anything. */
                dry_run?: boolean;
                /** @description Imports lines with codes that a spreadsheet may have changed, such as 123 where the product has 00123. */
                accept_changed_codes?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "application/x-ndjson": PastOrderLine;
            };
        };
        responses: {
            /** @description The result of the import */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imported": 1,
                     *       "updated": 1,
                     *       "unchanged": 1,
                     *       "failed": 1,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "code": "VALIDATION_ERROR",
                     *           "message": "message",
                     *           "field": "field"
                     *         }
                     *       ],
                     *       "remarks": [
                     *         {
                     *           "line": 1,
                     *           "code": "CODE_CHANGED",
                     *           "message": "message",
                     *           "field": "external_id"
                     *         }
                     *       ],
                     *       "next_line": 1
                     *     }
                     */
                    "application/json": ImportSummary;
                    "application/x-ndjson": ImportProgress;
                };
            };
        };
    };
    "downloads.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files and licence keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "url": "https://example.com/lamps",
                     *           "size_bytes": 1,
                     *           "sha256": "sha256"
                     *         }
                     *       ],
                     *       "licence_keys": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "code": "code"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": OrderDownloads;
                };
            };
        };
    };
    "shipments.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shipments, oldest first; suppliers see their own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "shipments": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "shipped",
                     *           "resent": true,
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1
                     *             }
                     *           ],
                     *           "carrier": "carrier",
                     *           "tracking_number": "tracking_number",
                     *           "tracking_url": "tracking_url",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "delivery_expected_by": "delivery_expected_by",
                     *           "delivery_expected_by_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "delivered_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "delivered_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        shipments: Shipment[];
                    };
                };
            };
        };
    };
    "shipments.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": NewShipment;
            };
        };
        responses: {
            /** @description The shipment, with the order's status */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "shipped",
                     *       "resent": true,
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1
                     *         }
                     *       ],
                     *       "carrier": "carrier",
                     *       "tracking_number": "tracking_number",
                     *       "tracking_url": "tracking_url",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "delivery_expected_by": "delivery_expected_by",
                     *       "delivery_expected_by_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "delivered_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "delivered_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedShipment;
                };
            };
        };
    };
    "shipments.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                shipment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "carrier": "carrier"
                 *     }
                 */
                "application/json": ShipmentChanges;
            };
        };
        responses: {
            /** @description The shipment, with the order's status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "shipped",
                     *       "resent": true,
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1
                     *         }
                     *       ],
                     *       "carrier": "carrier",
                     *       "tracking_number": "tracking_number",
                     *       "tracking_url": "tracking_url",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "delivery_expected_by": "delivery_expected_by",
                     *       "delivery_expected_by_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "delivered_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "delivered_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedShipment;
                };
            };
        };
    };
    "orders.cancelItems": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": NewOrderCancellation;
            };
        };
        responses: {
            /** @description The cancellation, with the order's status */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "amount": 1,
                     *       "reason": "reason",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": OrderCancellation;
                };
            };
        };
    };
    "returns.list": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The return requests, oldest first; suppliers see their own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "return_requests": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "requested",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "received_quantity": 1
                     *             }
                     *           ],
                     *           "reason": "reason",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        return_requests: ReturnRequest[];
                    };
                };
            };
        };
    };
    "returns.request": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": NewReturnRequest;
            };
        };
        responses: {
            /** @description The request, with the order's status */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "requested",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "received_quantity": 1
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedReturnRequest;
                };
            };
        };
    };
    "returns.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "note"
                 *     }
                 */
                "application/json": ReturnAnswer;
            };
        };
        responses: {
            /** @description The request, with the order's status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "requested",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "received_quantity": 1
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedReturnRequest;
                };
            };
        };
    };
    "returns.reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "note"
                 *     }
                 */
                "application/json": ReturnAnswer;
            };
        };
        responses: {
            /** @description The request, with the order's status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "requested",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "received_quantity": 1
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedReturnRequest;
                };
            };
        };
    };
    "returns.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "note"
                 *     }
                 */
                "application/json": ReturnAnswer;
            };
        };
        responses: {
            /** @description The request, with the order's status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "requested",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "received_quantity": 1
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedReturnRequest;
                };
            };
        };
    };
    "returns.receive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                request_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": ReceivedReturn;
            };
        };
        responses: {
            /** @description The request, with the order's status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "requested",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "received_quantity": 1
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": MovedReturnRequest;
                };
            };
        };
    };
    "orders.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at" | "total_amount" | "number";
                order?: "asc" | "desc";
                marketplace_id?: string;
                customer_id?: string;
                status?: OrderStatus;
                payment_status?: PaymentStatus;
                /** @description The status of a part that the caller sees; for a supplier, its own part. */
                part_status?: OrderStatus & unknown;
                /** @description A number (also #12), an external_id, or words of the name or e-mail address of the contact, the shipping address or the customer. Parts of words from three letters on are found. Suppliers: not of the customer, which they do not see. */
                search?: string;
                number?: number;
                /** @description The order's id in the system that it was imported from. */
                external_id?: string;
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                from?: string;
                /** @description A time with its offset, or a date: the end of this day in the tenant's time zone. */
                to?: string;
                /** @description Orders that were placed, cancelled, returned, paid or refunded in the period from booked_from to booked_to, as in analytics. A time with its offset, or a day in the tenant's time zone. */
                booked_from?: string;
                /** @description A time with its offset, or a date: the end of this day in the tenant's time zone. */
                booked_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The orders the caller may see; suppliers see their own items only */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "orders": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "number": 1,
                     *           "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "payment_status": "pending",
                     *           "subtotal_amount": 1,
                     *           "delivery_amount": 1,
                     *           "total_amount": 1,
                     *           "refund_due": 1,
                     *           "refund_due_for": {
                     *             "items": [
                     *               {
                     *                 "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *                 "amount": 1
                     *               }
                     *             ],
                     *             "deliveries": [
                     *               {
                     *                 "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *                 "amount": 1
                     *               }
                     *             ]
                     *           },
                     *           "currency": "EUR",
                     *           "delivery_method": "delivery_method",
                     *           "payment_method": "payment_method",
                     *           "payment_due_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "payment_due_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "items": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "name": "Brass coffee pot",
                     *               "quantity": 1,
                     *               "shipped_quantity": 1,
                     *               "delivered_quantity": 1,
                     *               "cancelled_quantity": 1,
                     *               "returned_quantity": 1,
                     *               "lost_quantity": 1,
                     *               "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *               "price": 1,
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "parts": [
                     *             {
                     *               "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "status": "pending",
                     *               "subtotal": 1,
                     *               "delivery_amount": 1,
                     *               "delivery_owed": true,
                     *               "delivery_recipient": "operator",
                     *               "legal": {
                     *                 "name": "Brass coffee pot",
                     *                 "address": "address",
                     *                 "tax_id": "tax_id"
                     *               }
                     *             }
                     *           ],
                     *           "shipping_address": {
                     *             "name": "Brass coffee pot",
                     *             "company": "company",
                     *             "street": "1 Palm Street",
                     *             "city": "Samarkand",
                     *             "region": "region",
                     *             "postal_code": "140100",
                     *             "country": "country",
                     *             "phone": "phone"
                     *           },
                     *           "billing_address": {
                     *             "name": "Brass coffee pot",
                     *             "company": "company",
                     *             "street": "1 Palm Street",
                     *             "city": "Samarkand",
                     *             "region": "region",
                     *             "postal_code": "140100",
                     *             "country": "country",
                     *             "phone": "phone"
                     *           },
                     *           "tax_id": "tax_id",
                     *           "contact": {
                     *             "email": "amina@example.com",
                     *             "name": "Brass coffee pot",
                     *             "phone": "phone"
                     *           },
                     *           "language": "en",
                     *           "history": [
                     *             {
                     *               "old_status": "pending",
                     *               "new_status": "pending",
                     *               "note": "note",
                     *               "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *             }
                     *           ],
                     *           "payments": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "status": "paid",
                     *               "amount": 1,
                     *               "currency": "EUR",
                     *               "reference": "reference",
                     *               "items": [
                     *                 {
                     *                   "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *                   "amount": 1
                     *                 }
                     *               ],
                     *               "delivery_amount": 1,
                     *               "borne_by": "operator",
                     *               "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *             }
                     *           ],
                     *           "cancellations": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "items": [
                     *                 {
                     *                   "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *                   "quantity": 1,
                     *                   "amount": 1
                     *                 }
                     *               ],
                     *               "amount": 1,
                     *               "reason": "reason",
                     *               "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *             }
                     *           ],
                     *           "returns": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "items": [
                     *                 {
                     *                   "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *                   "quantity": 1,
                     *                   "amount": 1,
                     *                   "restocked": true
                     *                 }
                     *               ],
                     *               "amount": 1,
                     *               "note": "note",
                     *               "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *             }
                     *           ],
                     *           "notes": [
                     *             {
                     *               "id": "dddddddd-0000-4000-8000-000000000000",
                     *               "text": "text",
                     *               "visibility": "internal",
                     *               "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *               "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *             }
                     *           ],
                     *           "commissions": [
                     *             {
                     *               "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "commission_percent": 1,
                     *               "delivery_percent": 1,
                     *               "sales_amount": 1,
                     *               "delivery_amount": 1,
                     *               "commission_amount": 1,
                     *               "refunded_amount": 1,
                     *               "payout_amount": 1
                     *             }
                     *           ],
                     *           "external_id": "external_id",
                     *           "imported_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "imported_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        orders: Order[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "orders.place": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                 *       "items": [
                 *         {
                 *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1,
                 *           "price": 1
                 *         }
                 *       ],
                 *       "shipping_address": {
                 *         "name": "Amina Karimova",
                 *         "street": "1 Palm Street",
                 *         "city": "Samarkand",
                 *         "postal_code": "140100",
                 *         "country": "UZ"
                 *       },
                 *       "billing_address": {
                 *         "name": "Amina Karimova",
                 *         "street": "1 Palm Street",
                 *         "city": "Samarkand",
                 *         "postal_code": "140100",
                 *         "country": "UZ"
                 *       },
                 *       "language": "de"
                 *     }
                 */
                "application/json": NewOrder;
            };
        };
        responses: {
            /** @description The new order */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "number": 1,
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "payment_status": "pending",
                     *       "subtotal_amount": 1,
                     *       "delivery_amount": 1,
                     *       "total_amount": 1,
                     *       "refund_due": 1,
                     *       "refund_due_for": {
                     *         "items": [
                     *           {
                     *             "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ],
                     *         "deliveries": [
                     *           {
                     *             "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ]
                     *       },
                     *       "currency": "EUR",
                     *       "delivery_method": "delivery_method",
                     *       "payment_method": "payment_method",
                     *       "payment_due_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "payment_due_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "items": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "quantity": 1,
                     *           "shipped_quantity": 1,
                     *           "delivered_quantity": 1,
                     *           "cancelled_quantity": 1,
                     *           "returned_quantity": 1,
                     *           "lost_quantity": 1,
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "price": 1,
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "parts": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "subtotal": 1,
                     *           "delivery_amount": 1,
                     *           "delivery_owed": true,
                     *           "delivery_recipient": "operator",
                     *           "legal": {
                     *             "name": "Brass coffee pot",
                     *             "address": "address",
                     *             "tax_id": "tax_id"
                     *           }
                     *         }
                     *       ],
                     *       "shipping_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "billing_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "tax_id": "tax_id",
                     *       "contact": {
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "phone": "phone"
                     *       },
                     *       "language": "en",
                     *       "history": [
                     *         {
                     *           "old_status": "pending",
                     *           "new_status": "pending",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "paid",
                     *           "amount": 1,
                     *           "currency": "EUR",
                     *           "reference": "reference",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "delivery_amount": 1,
                     *           "borne_by": "operator",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "cancellations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "reason": "reason",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "returns": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1,
                     *               "restocked": true
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "text": "text",
                     *           "visibility": "internal",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "commissions": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "delivery_percent": 1,
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1
                     *         }
                     *       ],
                     *       "external_id": "external_id",
                     *       "imported_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "imported_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *     }
                     */
                    "application/json": Order;
                };
            };
        };
    };
    "orders.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "number": 1,
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "payment_status": "pending",
                     *       "subtotal_amount": 1,
                     *       "delivery_amount": 1,
                     *       "total_amount": 1,
                     *       "refund_due": 1,
                     *       "refund_due_for": {
                     *         "items": [
                     *           {
                     *             "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ],
                     *         "deliveries": [
                     *           {
                     *             "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ]
                     *       },
                     *       "currency": "EUR",
                     *       "delivery_method": "delivery_method",
                     *       "payment_method": "payment_method",
                     *       "payment_due_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "payment_due_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "items": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "quantity": 1,
                     *           "shipped_quantity": 1,
                     *           "delivered_quantity": 1,
                     *           "cancelled_quantity": 1,
                     *           "returned_quantity": 1,
                     *           "lost_quantity": 1,
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "price": 1,
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "parts": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "subtotal": 1,
                     *           "delivery_amount": 1,
                     *           "delivery_owed": true,
                     *           "delivery_recipient": "operator",
                     *           "legal": {
                     *             "name": "Brass coffee pot",
                     *             "address": "address",
                     *             "tax_id": "tax_id"
                     *           }
                     *         }
                     *       ],
                     *       "shipping_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "billing_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "tax_id": "tax_id",
                     *       "contact": {
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "phone": "phone"
                     *       },
                     *       "language": "en",
                     *       "history": [
                     *         {
                     *           "old_status": "pending",
                     *           "new_status": "pending",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "paid",
                     *           "amount": 1,
                     *           "currency": "EUR",
                     *           "reference": "reference",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "delivery_amount": 1,
                     *           "borne_by": "operator",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "cancellations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "reason": "reason",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "returns": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1,
                     *               "restocked": true
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "text": "text",
                     *           "visibility": "internal",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "commissions": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "delivery_percent": 1,
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1
                     *         }
                     *       ],
                     *       "external_id": "external_id",
                     *       "imported_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "imported_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *     }
                     */
                    "application/json": Order;
                };
            };
        };
    };
    "orders.changeStatus.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "pending"
                 *     }
                 */
                "application/json": OrderStatusChange;
            };
        };
        responses: {
            /** @description The moved order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "number": 1,
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "payment_status": "pending",
                     *       "subtotal_amount": 1,
                     *       "delivery_amount": 1,
                     *       "total_amount": 1,
                     *       "refund_due": 1,
                     *       "refund_due_for": {
                     *         "items": [
                     *           {
                     *             "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ],
                     *         "deliveries": [
                     *           {
                     *             "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ]
                     *       },
                     *       "currency": "EUR",
                     *       "delivery_method": "delivery_method",
                     *       "payment_method": "payment_method",
                     *       "payment_due_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "payment_due_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "items": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "quantity": 1,
                     *           "shipped_quantity": 1,
                     *           "delivered_quantity": 1,
                     *           "cancelled_quantity": 1,
                     *           "returned_quantity": 1,
                     *           "lost_quantity": 1,
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "price": 1,
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "parts": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "subtotal": 1,
                     *           "delivery_amount": 1,
                     *           "delivery_owed": true,
                     *           "delivery_recipient": "operator",
                     *           "legal": {
                     *             "name": "Brass coffee pot",
                     *             "address": "address",
                     *             "tax_id": "tax_id"
                     *           }
                     *         }
                     *       ],
                     *       "shipping_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "billing_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "tax_id": "tax_id",
                     *       "contact": {
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "phone": "phone"
                     *       },
                     *       "language": "en",
                     *       "history": [
                     *         {
                     *           "old_status": "pending",
                     *           "new_status": "pending",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "paid",
                     *           "amount": 1,
                     *           "currency": "EUR",
                     *           "reference": "reference",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "delivery_amount": 1,
                     *           "borne_by": "operator",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "cancellations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "reason": "reason",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "returns": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1,
                     *               "restocked": true
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "text": "text",
                     *           "visibility": "internal",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "commissions": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "delivery_percent": 1,
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1
                     *         }
                     *       ],
                     *       "external_id": "external_id",
                     *       "imported_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "imported_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *     }
                     */
                    "application/json": Order;
                };
            };
        };
    };
    "orders.changeStatus": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "pending"
                 *     }
                 */
                "application/json": OrderStatusChange;
            };
        };
        responses: {
            /** @description The moved order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "number": 1,
                     *       "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "pending",
                     *       "payment_status": "pending",
                     *       "subtotal_amount": 1,
                     *       "delivery_amount": 1,
                     *       "total_amount": 1,
                     *       "refund_due": 1,
                     *       "refund_due_for": {
                     *         "items": [
                     *           {
                     *             "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ],
                     *         "deliveries": [
                     *           {
                     *             "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *             "amount": 1
                     *           }
                     *         ]
                     *       },
                     *       "currency": "EUR",
                     *       "delivery_method": "delivery_method",
                     *       "payment_method": "payment_method",
                     *       "payment_due_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "payment_due_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "items": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "variant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "quantity": 1,
                     *           "shipped_quantity": 1,
                     *           "delivered_quantity": 1,
                     *           "cancelled_quantity": 1,
                     *           "returned_quantity": 1,
                     *           "lost_quantity": 1,
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "price": 1,
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "parts": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "pending",
                     *           "subtotal": 1,
                     *           "delivery_amount": 1,
                     *           "delivery_owed": true,
                     *           "delivery_recipient": "operator",
                     *           "legal": {
                     *             "name": "Brass coffee pot",
                     *             "address": "address",
                     *             "tax_id": "tax_id"
                     *           }
                     *         }
                     *       ],
                     *       "shipping_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "billing_address": {
                     *         "name": "Brass coffee pot",
                     *         "company": "company",
                     *         "street": "1 Palm Street",
                     *         "city": "Samarkand",
                     *         "region": "region",
                     *         "postal_code": "140100",
                     *         "country": "country",
                     *         "phone": "phone"
                     *       },
                     *       "tax_id": "tax_id",
                     *       "contact": {
                     *         "email": "amina@example.com",
                     *         "name": "Brass coffee pot",
                     *         "phone": "phone"
                     *       },
                     *       "language": "en",
                     *       "history": [
                     *         {
                     *           "old_status": "pending",
                     *           "new_status": "pending",
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "paid",
                     *           "amount": 1,
                     *           "currency": "EUR",
                     *           "reference": "reference",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "delivery_amount": 1,
                     *           "borne_by": "operator",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "cancellations": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "reason": "reason",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "returns": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "items": [
                     *             {
                     *               "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *               "quantity": 1,
                     *               "amount": 1,
                     *               "restocked": true
                     *             }
                     *           ],
                     *           "amount": 1,
                     *           "note": "note",
                     *           "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "text": "text",
                     *           "visibility": "internal",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "commissions": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "delivery_percent": 1,
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1
                     *         }
                     *       ],
                     *       "external_id": "external_id",
                     *       "imported_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "imported_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *     }
                     */
                    "application/json": Order;
                };
            };
        };
    };
    "payments.record": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "paid",
                 *       "amount": 103,
                 *       "reference": "pi_3Nf2"
                 *     }
                 */
                "application/json": NewPayment;
            };
        };
        responses: {
            /** @description The payment, with the order's payment_status */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "status": "paid",
                     *       "amount": 1,
                     *       "currency": "EUR",
                     *       "reference": "reference",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "amount": 1
                     *         }
                     *       ],
                     *       "delivery_amount": 1,
                     *       "borne_by": "operator",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "payment_status": "pending"
                     *     }
                     */
                    "application/json": Payment;
                };
            };
        };
    };
    "orders.returnItems": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                 *           "quantity": 1
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": NewOrderReturn;
            };
        };
        responses: {
            /** @description The return, with the order's status */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "items": [
                     *         {
                     *           "item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "quantity": 1,
                     *           "amount": 1,
                     *           "restocked": true
                     *         }
                     *       ],
                     *       "amount": 1,
                     *       "note": "note",
                     *       "actor_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_status": "pending"
                     *     }
                     */
                    "application/json": OrderReturn;
                };
            };
        };
    };
    "orders.addNote": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "text"
                 *     }
                 */
                "application/json": NewOrderNote;
            };
        };
        responses: {
            /** @description The note */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "text": "text",
                     *       "visibility": "internal",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "author_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "order_id": "dddddddd-0000-4000-8000-000000000000"
                     *     }
                     */
                    "application/json": OrderNote;
                };
            };
        };
    };
    "bookings.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "starts_at" | "created_at";
                order?: "asc" | "desc";
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                from?: string;
                /** @description A time with its offset, or a date: the end of this day in the tenant's time zone. */
                to?: string;
                product_id?: string;
                order_id?: string;
                status?: BookingStatus;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bookings the caller may see: customers their own, suppliers those of their services */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bookings": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "order_item_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "customer_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "starts_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "starts_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "ends_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "ends_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "seat": 1,
                     *           "status": "booked",
                     *           "cancellable_until": "cancellable_until",
                     *           "cancellable_until_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "delivered_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "delivered_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "time_zone": "time_zone",
                     *           "location": {
                     *             "street": "1 Market Street",
                     *             "city": "Fez"
                     *           },
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at_local": "2026-11-24T09:00:00.123456+13:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at_local": "2026-11-24T09:00:00.123456+13:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": BookingList;
                };
            };
        };
    };
    "commissions.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                supplier_id?: string;
                marketplace_id?: string;
                /** @description The status of the supplier's part. */
                status?: OrderStatus & unknown;
                /** @description The same as status, by the name that it has in the list of orders. */
                part_status?: OrderStatus & unknown;
                payment_status?: PaymentStatus;
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                from?: string;
                /** @description A time with its offset, or a date: the end of this day in the tenant's time zone. */
                to?: string;
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                due_from?: string;
                /** @description A time with its offset, or a date: the end of this day in the tenant's time zone. */
                due_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines the caller may see: all for admins and clients, a supplier's own, none for customers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "commissions": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "delivery_percent": 1,
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1,
                     *           "order_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "number": 1,
                     *           "status": "pending",
                     *           "order_status": "pending",
                     *           "payment_status": "pending",
                     *           "currency": "EUR",
                     *           "completed_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "due_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "totals": [
                     *         {
                     *           "currency": "EUR",
                     *           "sales_amount": 1,
                     *           "delivery_amount": 1,
                     *           "commission_amount": 1,
                     *           "refunded_amount": 1,
                     *           "payout_amount": 1
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        commissions: Commission[];
                        /** @description The sums over the whole result, in each currency. */
                        totals: CommissionTotal[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "commissionRates.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                supplier_id?: string;
                category_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rates of suppliers and of categories; a supplier sees its own and those of categories */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "commission_rates": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "commission_percent": 1,
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        commission_rates: CommissionRate[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "commissionRates.set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "commission_percent": 1
                 *     }
                 */
                "application/json": NewCommissionRate;
            };
        };
        responses: {
            /** @description The rate */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "commission_percent": 1,
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": CommissionRate;
                };
            };
        };
    };
    "commissionRates.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /** @description The `next` of the previous page. Without it, the list starts at the first event. */
                after?: string;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                name?: EventName;
                /** @description Only events since this time, with its offset, or since the beginning of this day in the tenant's time zone. Use it to start without a cursor. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events after the cursor */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "event": "order.created",
                     *           "timestamp": "timestamp",
                     *           "truncated": true,
                     *           "data": {}
                     *         }
                     *       ],
                     *       "next": "next",
                     *       "more": true
                     *     }
                     */
                    "application/json": EventPage;
                };
            };
        };
    };
    "events.types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every name, with an example and a schema of its body */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_types": [
                     *         {
                     *           "name": "order.created",
                     *           "description": "description",
                     *           "example": {},
                     *           "schema": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": EventTypeList;
                };
            };
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The registrations; none for suppliers and customers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "url": "https://example.com/lamps",
                     *           "description": "description",
                     *           "events": [
                     *             "order.created"
                     *           ],
                     *           "filter": {
                     *             "marketplace_ids": [
                     *               "dddddddd-0000-4000-8000-000000000000"
                     *             ],
                     *             "statuses": [
                     *               "statuses"
                     *             ]
                     *           },
                     *           "header_names": [
                     *             "header_names"
                     *           ],
                     *           "active": true,
                     *           "disabled_reason": "gone",
                     *           "failing_since": "failing_since",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        webhooks: Webhook[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example.com/hooks",
                 *       "events": [
                 *         "order.created"
                 *       ],
                 *       "headers": {
                 *         "Authorization": "Bearer of-the-receiver"
                 *       }
                 *     }
                 */
                "application/json": NewWebhook;
            };
        };
        responses: {
            /** @description The new registration */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "url": "https://example.com/lamps",
                     *       "description": "description",
                     *       "events": [
                     *         "order.created"
                     *       ],
                     *       "filter": {
                     *         "marketplace_ids": [
                     *           "dddddddd-0000-4000-8000-000000000000"
                     *         ],
                     *         "statuses": [
                     *           "statuses"
                     *         ]
                     *       },
                     *       "header_names": [
                     *         "header_names"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "failing_since",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "secret": "secret"
                     *     }
                     */
                    "application/json": CreatedWebhook;
                };
            };
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The registration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "url": "https://example.com/lamps",
                     *       "description": "description",
                     *       "events": [
                     *         "order.created"
                     *       ],
                     *       "filter": {
                     *         "marketplace_ids": [
                     *           "dddddddd-0000-4000-8000-000000000000"
                     *         ],
                     *         "statuses": [
                     *           "statuses"
                     *         ]
                     *       },
                     *       "header_names": [
                     *         "header_names"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "failing_since",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Webhook;
                };
            };
        };
    };
    "webhooks.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example.com/hooks",
                 *       "headers": {
                 *         "Authorization": "Bearer of-the-receiver"
                 *       }
                 *     }
                 */
                "application/json": WebhookChanges;
            };
        };
        responses: {
            /** @description The changed registration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "url": "https://example.com/lamps",
                     *       "description": "description",
                     *       "events": [
                     *         "order.created"
                     *       ],
                     *       "filter": {
                     *         "marketplace_ids": [
                     *           "dddddddd-0000-4000-8000-000000000000"
                     *         ],
                     *         "statuses": [
                     *           "statuses"
                     *         ]
                     *       },
                     *       "header_names": [
                     *         "header_names"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "failing_since",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Webhook;
                };
            };
        };
    };
    "webhooks.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "secret": "secret.........."
                 *     }
                 */
                "application/json": SecretRotation;
            };
        };
        responses: {
            /** @description The registration, with its new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "url": "https://example.com/lamps",
                     *       "description": "description",
                     *       "events": [
                     *         "order.created"
                     *       ],
                     *       "filter": {
                     *         "marketplace_ids": [
                     *           "dddddddd-0000-4000-8000-000000000000"
                     *         ],
                     *         "statuses": [
                     *           "statuses"
                     *         ]
                     *       },
                     *       "header_names": [
                     *         "header_names"
                     *       ],
                     *       "active": true,
                     *       "disabled_reason": "gone",
                     *       "failing_since": "failing_since",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "secret": "secret",
                     *       "previous_secret_until": "previous_secret_until"
                     *     }
                     */
                    "application/json": RotatedWebhook;
                };
            };
        };
    };
    "webhooks.deliveries": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                status?: DeliveryStatus;
                event?: EventName;
                /** @description A time with its offset, or a date: the beginning of this day in the tenant's time zone. */
                since?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the deliveries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "logs": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "event": "order.created",
                     *           "status": "pending",
                     *           "response_code": 1,
                     *           "attempts": 1,
                     *           "error": "error",
                     *           "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        logs: Delivery[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "event": "order.created",
                     *       "status": "pending",
                     *       "response_code": 1,
                     *       "attempts": 1,
                     *       "error": "error",
                     *       "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "request": {},
                     *       "history": [
                     *         {
                     *           "attempt": 1,
                     *           "started_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "duration_ms": 1,
                     *           "response_code": 1,
                     *           "response_body": "response_body",
                     *           "error": "error"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": DeliveryDetails;
                };
            };
        };
    };
    "webhooks.retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, pending again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "event": "order.created",
                     *       "status": "pending",
                     *       "response_code": 1,
                     *       "attempts": 1,
                     *       "error": "error",
                     *       "next_attempt_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Delivery;
                };
            };
        };
    };
    "webhooks.recover": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-01T12:00:00Z"
                 *     }
                 */
                "application/json": Recovery;
            };
        };
        responses: {
            /** @description The number of deliveries that are pending again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovered": 1,
                     *       "more": true
                     *     }
                     */
                    "application/json": Recovered;
                };
            };
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "order.created"
                 *     }
                 */
                "application/json": WebhookTest;
            };
        };
        responses: {
            /** @description The outcome */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "response_code": 1,
                     *       "response_time": 1,
                     *       "error": "error"
                     *     }
                     */
                    "application/json": WebhookTestResult;
                };
            };
        };
    };
    "placement.slots": {
        parameters: {
            query: {
                categoryId: string;
                placement?: Placement;
                /** @description The visitor's region. Without it, only campaigns without regions are shown. */
                region?: string;
                /** @description Number of products in the page, of which 30 % may be promoted. Default: 100; at most 1000. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The filled slots, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "placement": "search",
                     *       "region": "region",
                     *       "slots": [
                     *         {
                     *           "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "labels": [
                     *             "labels"
                     *           ],
                     *           "highlighted": true,
                     *           "pinned": true,
                     *           "position": 1,
                     *           "token": "token",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_name": "product_name",
                     *           "bid_amount": 1,
                     *           "price": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": Slots;
                };
            };
        };
    };
    "auctions.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                order?: "asc" | "desc";
                /** @description The category of the request. */
                category_id?: string;
                placement?: Placement;
                /** @description Only auctions in which this campaign took part. */
                campaign_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of auctions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auctions": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "placement": "search",
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "region": "region",
                     *           "held_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "size": 1,
                     *           "candidate_count": 1,
                     *           "placed_count": 1
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        auctions: Auction[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "auctions.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The auction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "placement": "search",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "region": "region",
                     *       "held_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "size": 1,
                     *       "candidates": [
                     *         {
                     *           "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "bid_amount": 1,
                     *           "quality": 1,
                     *           "eligible": true,
                     *           "reason": "outbid",
                     *           "position": 1,
                     *           "price": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": AuctionDetails;
                };
            };
        };
    };
    "campaigns.auctions": {
        parameters: {
            query?: {
                /** @description The first day, in the tenant's time zone. */
                from?: string;
                /** @description The last day, in the tenant's time zone. */
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums and each day's counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "totals": {
                     *         "held": 1,
                     *         "won": 1,
                     *         "lost_to_bid": 1,
                     *         "lost_to_budget": 1,
                     *         "lost_to_stock": 1,
                     *         "lost_otherwise": 1,
                     *         "win_rate": 1
                     *       },
                     *       "daily": [
                     *         {
                     *           "held": 1,
                     *           "won": 1,
                     *           "lost_to_bid": 1,
                     *           "lost_to_budget": 1,
                     *           "lost_to_stock": 1,
                     *           "lost_otherwise": 1,
                     *           "date": "date"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": AuctionShare;
                };
            };
        };
    };
    "campaigns.list": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "updated_at" | "start_date" | "end_date" | "bid_amount";
                order?: "asc" | "desc";
                status?: CampaignStatus;
                category_id?: string;
                product_id?: string;
                supplier_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The campaigns the caller may see: all for admins and clients, a supplier's own, none for customers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaigns": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "pricing_model": "fixed",
                     *           "start_date": "start_date",
                     *           "end_date": "end_date",
                     *           "daily_budget": 1,
                     *           "bid_amount": 1,
                     *           "max_bid": 1,
                     *           "fee": 1,
                     *           "regions": [
                     *             "regions"
                     *           ],
                     *           "labels": [
                     *             "TOP"
                     *           ],
                     *           "highlighted": true,
                     *           "pinned": true,
                     *           "status": "pending_review",
                     *           "note": "note",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        campaigns: Campaign[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "campaigns.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "productId": "dddddddd-0000-4000-8000-000000000000",
                 *       "categoryId": "dddddddd-0000-4000-8000-000000000000",
                 *       "duration": 7,
                 *       "bidAmount": 0.5
                 *     }
                 */
                "application/json": NewCampaign;
            };
        };
        responses: {
            /** @description The new campaign */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "pricing_model": "fixed",
                     *       "start_date": "start_date",
                     *       "end_date": "end_date",
                     *       "daily_budget": 1,
                     *       "bid_amount": 1,
                     *       "max_bid": 1,
                     *       "fee": 1,
                     *       "regions": [
                     *         "regions"
                     *       ],
                     *       "labels": [
                     *         "TOP"
                     *       ],
                     *       "highlighted": true,
                     *       "pinned": true,
                     *       "status": "pending_review",
                     *       "note": "note",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Campaign;
                };
            };
        };
    };
    "campaigns.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The campaign */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "pricing_model": "fixed",
                     *       "start_date": "start_date",
                     *       "end_date": "end_date",
                     *       "daily_budget": 1,
                     *       "bid_amount": 1,
                     *       "max_bid": 1,
                     *       "fee": 1,
                     *       "regions": [
                     *         "regions"
                     *       ],
                     *       "labels": [
                     *         "TOP"
                     *       ],
                     *       "highlighted": true,
                     *       "pinned": true,
                     *       "status": "pending_review",
                     *       "note": "note",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Campaign;
                };
            };
        };
    };
    "campaigns.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "paused"
                 *     }
                 */
                "application/json": CampaignChanges;
            };
        };
        responses: {
            /** @description The changed campaign */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "pricing_model": "fixed",
                     *       "start_date": "start_date",
                     *       "end_date": "end_date",
                     *       "daily_budget": 1,
                     *       "bid_amount": 1,
                     *       "max_bid": 1,
                     *       "fee": 1,
                     *       "regions": [
                     *         "regions"
                     *       ],
                     *       "labels": [
                     *         "TOP"
                     *       ],
                     *       "highlighted": true,
                     *       "pinned": true,
                     *       "status": "pending_review",
                     *       "note": "note",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Campaign;
                };
            };
        };
    };
    "campaigns.approve": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "note"
                 *     }
                 */
                "application/json": CampaignReview;
            };
        };
        responses: {
            /** @description The reviewed campaign */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "pricing_model": "fixed",
                     *       "start_date": "start_date",
                     *       "end_date": "end_date",
                     *       "daily_budget": 1,
                     *       "bid_amount": 1,
                     *       "max_bid": 1,
                     *       "fee": 1,
                     *       "regions": [
                     *         "regions"
                     *       ],
                     *       "labels": [
                     *         "TOP"
                     *       ],
                     *       "highlighted": true,
                     *       "pinned": true,
                     *       "status": "pending_review",
                     *       "note": "note",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Campaign;
                };
            };
        };
    };
    "campaigns.reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "note": "note"
                 *     }
                 */
                "application/json": CampaignReview;
            };
        };
        responses: {
            /** @description The reviewed campaign */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "product_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "pricing_model": "fixed",
                     *       "start_date": "start_date",
                     *       "end_date": "end_date",
                     *       "daily_budget": 1,
                     *       "bid_amount": 1,
                     *       "max_bid": 1,
                     *       "fee": 1,
                     *       "regions": [
                     *         "regions"
                     *       ],
                     *       "labels": [
                     *         "TOP"
                     *       ],
                     *       "highlighted": true,
                     *       "pinned": true,
                     *       "status": "pending_review",
                     *       "note": "note",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Campaign;
                };
            };
        };
    };
    "campaigns.stats": {
        parameters: {
            query?: {
                /** @description The first day, in the tenant's time zone. */
                from?: string;
                /** @description The last day, in the tenant's time zone. */
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums and each day's counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "totals": {
                     *         "impressions": 1,
                     *         "clicks": 1,
                     *         "ctr": 1,
                     *         "spend": 1,
                     *         "sales_count": 1,
                     *         "sales_amount": 1,
                     *         "conversion_rate": 1,
                     *         "roi": 1
                     *       },
                     *       "daily": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "date": "2026-11-21",
                     *           "impressions": 1,
                     *           "clicks": 1,
                     *           "spend": 1,
                     *           "sales_count": 1,
                     *           "sales_amount": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": CampaignStatistics;
                };
            };
        };
    };
    "campaigns.charges": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                kind?: "click" | "fee" | "refund";
                /** @description The first day, in the tenant's time zone. */
                from?: string;
                /** @description The last day, in the tenant's time zone. */
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the charges, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "charges": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "kind": "click",
                     *           "amount": 1,
                     *           "date": "date",
                     *           "click_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "explanation": {},
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        charges: PlacementCharge[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "campaigns.refund": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "visitor_id": "visitor_id"
                 *     }
                 */
                "application/json": PlacementRefund;
            };
        };
        responses: {
            /** @description The number of clicks and refunds */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaign_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "clicks": 1,
                     *       "refunded": 1,
                     *       "amount": 1
                     *     }
                     */
                    "application/json": PlacementRefunded;
                };
            };
        };
    };
    "placement.record": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "type": "click",
                 *           "campaign_id": "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01",
                 *           "visitor_id": "visitor-1",
                 *           "placement": "search"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": PlacementEvents;
            };
        };
        responses: {
            /** @description The result of each event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 1,
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "accepted",
                     *           "reason": "already_charged",
                     *           "price": 1,
                     *           "sales": 1,
                     *           "error": {
                     *             "code": "INVALID_JSON",
                     *             "message": "message",
                     *             "details": {
                     *               "field": "field",
                     *               "value": null
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": PlacementResults;
                };
            };
        };
    };
    "placement.report": {
        parameters: {
            query?: {
                /** @description The first day, in the tenant's time zone. */
                from?: string;
                /** @description The last day, in the tenant's time zone. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "from",
                     *       "to": "to",
                     *       "totals": [
                     *         {
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "campaigns": 1,
                     *           "cost_per_click": 1,
                     *           "cost_per_campaign": 1,
                     *           "impressions": 1,
                     *           "clicks": 1,
                     *           "ctr": 1,
                     *           "spend": 1,
                     *           "sales_count": 1,
                     *           "sales_amount": 1,
                     *           "conversion_rate": 1,
                     *           "roi": 1
                     *         }
                     *       ],
                     *       "categories": [
                     *         {
                     *           "category_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "impressions": 1,
                     *           "clicks": 1,
                     *           "active_campaigns": 1,
                     *           "contenders": 1,
                     *           "max_slots": 1,
                     *           "competition": 1
                     *         }
                     *       ],
                     *       "suppliers": [
                     *         {
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "currency": "EUR",
                     *           "campaigns": 1,
                     *           "impressions": 1,
                     *           "clicks": 1,
                     *           "ctr": 1,
                     *           "spend": 1,
                     *           "sales_count": 1,
                     *           "sales_amount": 1,
                     *           "conversion_rate": 1,
                     *           "roi": 1
                     *         }
                     *       ],
                     *       "daily": [
                     *         {
                     *           "date": "date",
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "impressions": 1,
                     *           "clicks": 1,
                     *           "sales_count": 1,
                     *           "sales_amount": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": PlacementReport;
                };
            };
        };
    };
    "placement.category": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole configuration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categoryId": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "basePrice": 1,
                     *       "maxSlots": 1,
                     *       "auctionEnabled": true,
                     *       "minBid": 0.01,
                     *       "prices": [
                     *         {
                     *           "currency": "EUR",
                     *           "basePrice": 1,
                     *           "minBid": 0.01
                     *         }
                     *       ],
                     *       "forbidden": true,
                     *       "rotationMinutes": 1,
                     *       "displayPriority": "quality",
                     *       "minQuality": 1
                     *     }
                     */
                    "application/json": PlacementCategory;
                };
            };
        };
    };
    "placement.setCategory": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "categoryId": "dddddddd-0000-4000-8000-000000000000"
                 *     }
                 */
                "application/json": PlacementCategoryChanges;
            };
        };
        responses: {
            /** @description The whole configuration */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "categoryId": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "basePrice": 1,
                     *       "maxSlots": 1,
                     *       "auctionEnabled": true,
                     *       "minBid": 0.01,
                     *       "prices": [
                     *         {
                     *           "currency": "EUR",
                     *           "basePrice": 1,
                     *           "minBid": 0.01
                     *         }
                     *       ],
                     *       "forbidden": true,
                     *       "rotationMinutes": 1,
                     *       "displayPriority": "quality",
                     *       "minQuality": 1
                     *     }
                     */
                    "application/json": PlacementCategory;
                };
            };
        };
    };
    "placement.settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings for all categories */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auction_log_share": 1,
                     *       "clicks_per_visitor_and_hour": 1,
                     *       "clicks_per_address_and_hour": 1,
                     *       "click_account_age_minutes": 1
                     *     }
                     */
                    "application/json": PlacementSettings;
                };
            };
        };
    };
    "placement.setSettings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "auction_log_share": 1
                 *     }
                 */
                "application/json": PlacementSettingsChanges;
            };
        };
        responses: {
            /** @description The settings for all categories */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auction_log_share": 1,
                     *       "clicks_per_visitor_and_hour": 1,
                     *       "clicks_per_address_and_hour": 1,
                     *       "click_account_age_minutes": 1
                     *     }
                     */
                    "application/json": PlacementSettings;
                };
            };
        };
    };
    "analytics.record": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                "x-souk-marketplace"?: string;
                "x-souk-visitor"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "type": "product_view",
                 *           "product_id": "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": StorefrontEvents;
            };
        };
        responses: {
            /** @description The result of each event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 1,
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "status": "accepted",
                     *           "reason": "bot",
                     *           "error": {
                     *             "code": "INVALID_JSON",
                     *             "message": "message",
                     *             "details": {
                     *               "field": "field",
                     *               "value": null
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": StorefrontResults;
                };
            };
        };
    };
    "analytics.funnel": {
        parameters: {
            query?: {
                /** @description Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own. */
                period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
                /** @description The first day of the period custom. */
                from?: string;
                /** @description The last day of the period custom. */
                to?: string;
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stages, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "stages": [
                     *         {
                     *           "name": "visitors",
                     *           "count": 1,
                     *           "conversion": 1
                     *         }
                     *       ],
                     *       "bots": 1
                     *     }
                     */
                    "application/json": Funnel;
                };
            };
        };
    };
    "analytics.overview": {
        parameters: {
            query?: {
                /** @description Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own. */
                period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
                /** @description The first day of the period custom. */
                from?: string;
                /** @description The last day of the period custom. */
                to?: string;
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                /** @description Cancellations and returns count on their own day (booked) or on the day of their order (placed). */
                basis?: "booked" | "placed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "basis": "booked",
                     *       "currency": "EUR",
                     *       "other_currencies": [
                     *         {
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "orders": 1
                     *         }
                     *       ],
                     *       "revenue": {
                     *         "total": 1,
                     *         "change": "+12.5%",
                     *         "period": "today",
                     *         "delivery_amount": 1,
                     *         "received": 1,
                     *         "refunded": 1
                     *       },
                     *       "orders": {
                     *         "total": 1,
                     *         "change": "+12.5%",
                     *         "average_order": 1
                     *       },
                     *       "customers": {
                     *         "total": 1,
                     *         "new": 1,
                     *         "change": "+12.5%"
                     *       },
                     *       "conversion_rate": {
                     *         "value": 1,
                     *         "change": "+12.5%"
                     *       }
                     *     }
                     */
                    "application/json": Overview;
                };
            };
        };
    };
    "analytics.sales": {
        parameters: {
            query?: {
                /** @description Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own. */
                period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
                /** @description The first day of the period custom. */
                from?: string;
                /** @description The last day of the period custom. */
                to?: string;
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                /** @description Cancellations and returns count on their own day (booked) or on the day of their order (placed). */
                basis?: "booked" | "placed";
                /** @description hour: for at most 31 days. */
                group_by?: "hour" | "day" | "week" | "month" | "quarter";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sales */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "basis": "booked",
                     *       "currency": "EUR",
                     *       "other_currencies": [
                     *         {
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "orders": 1
                     *         }
                     *       ],
                     *       "group_by": "hour",
                     *       "data": [
                     *         {
                     *           "date": "2026-11-23",
                     *           "revenue": 1,
                     *           "orders": 1,
                     *           "average_order": 1,
                     *           "items": 1,
                     *           "cancelled": 1,
                     *           "returned": 1
                     *         }
                     *       ],
                     *       "summary": {
                     *         "total_revenue": 1,
                     *         "total_orders": 1,
                     *         "growth_rate": 1,
                     *         "average_order": 1,
                     *         "items": 1,
                     *         "cancelled": 1,
                     *         "returned": 1,
                     *         "delivery_amount": 1,
                     *         "received": 1,
                     *         "refunded": 1
                     *       }
                     *     }
                     */
                    "application/json": SalesReport;
                };
            };
        };
    };
    "analytics.revenue": {
        parameters: {
            query?: {
                /** @description Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own. */
                period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
                /** @description The first day of the period custom. */
                from?: string;
                /** @description The last day of the period custom. */
                to?: string;
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                /** @description Cancellations and returns count on their own day (booked) or on the day of their order (placed). */
                basis?: "booked" | "placed";
                /** @description hour: for at most 31 days. */
                group_by?: "hour" | "day" | "week" | "month" | "quarter";
                /** @description source: what the operator itself earns: sales, commissions and promotion. */
                by?: "marketplace" | "category" | "supplier" | "product" | "source";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revenue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "basis": "booked",
                     *       "currency": "EUR",
                     *       "other_currencies": [
                     *         {
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "orders": 1
                     *         }
                     *       ],
                     *       "group_by": "hour",
                     *       "by": "marketplace",
                     *       "total": 1,
                     *       "change": "+12.5%",
                     *       "data": [
                     *         {
                     *           "date": "2026-11-23",
                     *           "revenue": 1,
                     *           "orders": 1,
                     *           "average_order": 1,
                     *           "items": 1,
                     *           "cancelled": 1,
                     *           "returned": 1
                     *         }
                     *       ],
                     *       "breakdown": [
                     *         {
                     *           "id": "id",
                     *           "name": "Brass coffee pot",
                     *           "revenue": 1,
                     *           "orders": 1,
                     *           "share": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": RevenueReport;
                };
            };
        };
    };
    "analytics.topProducts": {
        parameters: {
            query?: {
                /** @description Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own. */
                period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
                /** @description The first day of the period custom. */
                from?: string;
                /** @description The last day of the period custom. */
                to?: string;
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                /** @description Cancellations and returns count on their own day (booked) or on the day of their order (placed). */
                basis?: "booked" | "placed";
                /** @description At most 100; more is cut to that. */
                limit?: number;
                by?: "revenue" | "sales_count";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The products, the best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "basis": "booked",
                     *       "currency": "EUR",
                     *       "other_currencies": [
                     *         {
                     *           "currency": "EUR",
                     *           "revenue": 1,
                     *           "orders": 1
                     *         }
                     *       ],
                     *       "by": "revenue",
                     *       "products": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "sales_count": 1,
                     *           "revenue": 1,
                     *           "rank": 1,
                     *           "change": "+12.5%"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": TopProducts;
                };
            };
        };
    };
    "analytics.segments": {
        parameters: {
            query?: {
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The segments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "currency": "EUR",
                     *       "segments": [
                     *         {
                     *           "name": "prospects",
                     *           "criteria": "criteria",
                     *           "count": 1,
                     *           "revenue": 1,
                     *           "revenue_share": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": CustomerSegments;
                };
            };
        };
    };
    "analytics.segmentCustomers": {
        parameters: {
            query?: {
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of customers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "name": "prospects",
                     *       "currency": "EUR",
                     *       "customers": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "email": "amina@example.com",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "orders": 1,
                     *           "revenue": 1,
                     *           "first_ordered_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "last_ordered_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": SegmentCustomers;
                };
            };
        };
    };
    "analytics.cohorts": {
        parameters: {
            query?: {
                marketplace_id?: string;
                /** @description For admins and clients; suppliers see their own figures. */
                supplier_id?: string;
                /** @description With all categories below it. */
                category?: string;
                /** @description Default: the currency of the marketplace, or of most orders. */
                currency?: string;
                type?: "retention" | "revenue";
                /** @description Including the current one. */
                months?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cohorts, the earliest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "period": "today",
                     *       "from": "2026-01-01",
                     *       "to": "2026-01-01",
                     *       "time_zone": "Europe/Berlin",
                     *       "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "type": "retention",
                     *       "currency": "EUR",
                     *       "cohorts": [
                     *         {
                     *           "period": "2026-01",
                     *           "users": 1,
                     *           "retention": [
                     *             1
                     *           ],
                     *           "revenue": [
                     *             1
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": Cohorts;
                };
            };
        };
    };
    "dashboards.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dashboards": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "name": "Brass coffee pot",
                     *           "widgets": [
                     *             {
                     *               "type": "metric",
                     *               "title": "Sales by day",
                     *               "query": "/api/analytics/sales?period=30d&group_by=day"
                     *             }
                     *           ],
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": DashboardList;
                };
            };
        };
    };
    "dashboards.create": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "This month",
                 *       "widgets": [
                 *         {
                 *           "type": "metric",
                 *           "title": "Sales by day",
                 *           "query": "/api/analytics/sales?period=30d&group_by=day"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": NewDashboard;
            };
        };
        responses: {
            /** @description The new dashboard */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "widgets": [
                     *         {
                     *           "type": "metric",
                     *           "title": "Sales by day",
                     *           "query": "/api/analytics/sales?period=30d&group_by=day"
                     *         }
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Dashboard;
                };
            };
        };
    };
    "dashboards.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dashboard */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "widgets": [
                     *         {
                     *           "type": "metric",
                     *           "title": "Sales by day",
                     *           "query": "/api/analytics/sales?period=30d&group_by=day"
                     *         }
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Dashboard;
                };
            };
        };
    };
    "dashboards.update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state. */
                "if-match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "This month",
                 *       "widgets": [
                 *         {
                 *           "type": "metric",
                 *           "title": "Sales by day",
                 *           "query": "/api/analytics/sales?period=30d&group_by=day"
                 *         }
                 *       ],
                 *       "updated_at": "2026-01-01T12:00:00Z"
                 *     }
                 */
                "application/json": DashboardChanges;
            };
        };
        responses: {
            /** @description The changed dashboard */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "name": "Brass coffee pot",
                     *       "widgets": [
                     *         {
                     *           "type": "metric",
                     *           "title": "Sales by day",
                     *           "query": "/api/analytics/sales?period=30d&group_by=day"
                     *         }
                     *       ],
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "updated_at": "2026-01-01T12:00:00.000000+00:00"
                     *     }
                     */
                    "application/json": Dashboard;
                };
            };
        };
    };
    "dashboards.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "dashboards.data": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The widgets, in their order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "widgets": [
                     *         {
                     *           "title": "Sales by day",
                     *           "type": "metric",
                     *           "data": {
                     *             "period": "today",
                     *             "from": "2026-01-01",
                     *             "to": "2026-01-01",
                     *             "time_zone": "Europe/Berlin",
                     *             "restated_at": "2026-01-01T12:00:00.000000+00:00",
                     *             "basis": "booked",
                     *             "currency": "EUR",
                     *             "other_currencies": [
                     *               {
                     *                 "currency": "EUR",
                     *                 "revenue": 1,
                     *                 "orders": 1
                     *               }
                     *             ],
                     *             "revenue": {
                     *               "total": 1,
                     *               "change": "+12.5%",
                     *               "period": "today",
                     *               "delivery_amount": 1,
                     *               "received": 1,
                     *               "refunded": 1
                     *             },
                     *             "orders": {
                     *               "total": 1,
                     *               "change": "+12.5%",
                     *               "average_order": 1
                     *             },
                     *             "customers": {
                     *               "total": 1,
                     *               "new": 1,
                     *               "change": "+12.5%"
                     *             },
                     *             "conversion_rate": {
                     *               "value": 1,
                     *               "change": "+12.5%"
                     *             }
                     *           },
                     *           "error": {
                     *             "code": "INVALID_JSON",
                     *             "message": "message",
                     *             "details": {
                     *               "field": "field",
                     *               "value": null
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": DashboardAnswer;
                };
            };
        };
    };
    "analytics.definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "definitions": [
                     *         {
                     *           "name": "revenue",
                     *           "unit": "money",
                     *           "reports": [
                     *             "overview",
                     *             "sales"
                     *           ],
                     *           "meaning": "meaning",
                     *           "formula": "formula"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": FigureDefinitions;
                };
            };
        };
    };
    "analytics.createExport": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "orders",
                 *       "period": "30d",
                 *       "format": "csv"
                 *     }
                 */
                "application/json": NewExport;
            };
        };
        responses: {
            /** @description The export, which is queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "sales",
                     *       "period": "today",
                     *       "from": "from",
                     *       "to": "to",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "by": "marketplace",
                     *       "format": "csv",
                     *       "bom": true,
                     *       "email": "amina@example.com",
                     *       "status": "queued",
                     *       "progress": 1,
                     *       "rows": 1,
                     *       "bytes": 1,
                     *       "error": "error",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "finished_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "url": "https://example.com/lamps",
                     *       "urls": [
                     *         "urls"
                     *       ]
                     *     }
                     */
                    "application/json": Export;
                };
            };
        };
    };
    "analytics.exportSchedules": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at" | "next_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedules: for admins all of the tenant, for others their own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "schedules": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "type": "sales",
                     *           "period": "today",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "category": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "by": "marketplace",
                     *           "format": "csv",
                     *           "bom": true,
                     *           "email": "amina@example.com",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "every": "day",
                     *           "next_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "last_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "last_error": "last_error"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        schedules: ExportSchedule[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "analytics.createExportSchedule": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "sales",
                 *       "period": "last_month",
                 *       "format": "csv",
                 *       "every": "month"
                 *     }
                 */
                "application/json": NewExportSchedule;
            };
        };
        responses: {
            /** @description The new schedule */
            201: {
                headers: {
                    /** @description The address of what was created, or of the record or list that shows it. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "sales",
                     *       "period": "today",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "by": "marketplace",
                     *       "format": "csv",
                     *       "bom": true,
                     *       "email": "amina@example.com",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "every": "day",
                     *       "next_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_error": "last_error"
                     *     }
                     */
                    "application/json": ExportSchedule;
                };
            };
        };
    };
    "analytics.getExportSchedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "sales",
                     *       "period": "today",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "by": "marketplace",
                     *       "format": "csv",
                     *       "bom": true,
                     *       "email": "amina@example.com",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "every": "day",
                     *       "next_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "last_error": "last_error"
                     *     }
                     */
                    "application/json": ExportSchedule;
                };
            };
        };
    };
    "analytics.removeExportSchedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "analytics.exports": {
        parameters: {
            query?: {
                page?: number;
                /** @description At most 1000. A larger value counts as 1000. Each started 100 records count as a request of the minute. */
                limit?: number;
                sort?: "created_at";
                order?: "asc" | "desc";
                type?: ExportType;
                status?: ExportStatus;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The exports: for admins all of the tenant, for others their own */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "exports": [
                     *         {
                     *           "id": "dddddddd-0000-4000-8000-000000000000",
                     *           "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *           "type": "sales",
                     *           "period": "today",
                     *           "from": "from",
                     *           "to": "to",
                     *           "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *           "category": "dddddddd-0000-4000-8000-000000000000",
                     *           "currency": "EUR",
                     *           "by": "marketplace",
                     *           "format": "csv",
                     *           "bom": true,
                     *           "email": "amina@example.com",
                     *           "status": "queued",
                     *           "progress": 1,
                     *           "rows": 1,
                     *           "bytes": 1,
                     *           "error": "error",
                     *           "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "finished_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *           "url": "https://example.com/lamps",
                     *           "urls": [
                     *             "urls"
                     *           ]
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 1
                     *     }
                     */
                    "application/json": {
                        exports: Export[];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
        };
    };
    "analytics.getExport": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "dddddddd-0000-4000-8000-000000000000",
                     *       "tenant_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "asked_by": "dddddddd-0000-4000-8000-000000000000",
                     *       "type": "sales",
                     *       "period": "today",
                     *       "from": "from",
                     *       "to": "to",
                     *       "marketplace_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "supplier_id": "dddddddd-0000-4000-8000-000000000000",
                     *       "category": "dddddddd-0000-4000-8000-000000000000",
                     *       "currency": "EUR",
                     *       "by": "marketplace",
                     *       "format": "csv",
                     *       "bom": true,
                     *       "email": "amina@example.com",
                     *       "status": "queued",
                     *       "progress": 1,
                     *       "rows": 1,
                     *       "bytes": 1,
                     *       "error": "error",
                     *       "created_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "finished_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "expires_at": "2026-01-01T12:00:00.000000+00:00",
                     *       "url": "https://example.com/lamps",
                     *       "urls": [
                     *         "urls"
                     *       ]
                     *     }
                     */
                    "application/json": Export;
                };
            };
        };
    };
    "analytics.removeExport": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted; a worker deletes its files */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
export type EventRecords = {
    "order.created": {
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "order.status_changed": {
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "order.cancelled": {
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "order.completed": {
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "order.items_cancelled": {
        cancellation: {
            /** Format: uuid */
            id: string;
            items: {
                /** Format: uuid */
                item_id: string;
                quantity: number;
                amount: number;
            }[];
            /** @description Their price, without delivery. */
            amount: number;
            reason: string | null;
            /** Format: uuid */
            actor_id: string | null;
            created_at: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            order_id: string;
        };
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "shipment.created": {
        shipment: Shipment;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "shipment.delivered": {
        shipment: Shipment;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "shipment.lost": {
        shipment: Shipment;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "return.requested": {
        return: ReturnRequest;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "return.approved": {
        return: ReturnRequest;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "return.rejected": {
        return: ReturnRequest;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "return.received": {
        return: ReturnRequest;
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "payment.succeeded": {
        payment: {
            /** Format: uuid */
            id: string;
            status: PaymentReport;
            /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
            amount: number;
            currency: string;
            reference: string;
            /** @description The refunded amount of each item, if the refund names items. */
            items: {
                /** Format: uuid */
                item_id: string;
                amount: number;
            }[] | null;
            delivery_amount: number | null;
            borne_by: RefundBearer;
            /** Format: uuid */
            actor_id: string | null;
            created_at: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            order_id: string;
        };
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "payment.failed": {
        payment: {
            /** Format: uuid */
            id: string;
            status: PaymentReport;
            /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
            amount: number;
            currency: string;
            reference: string;
            /** @description The refunded amount of each item, if the refund names items. */
            items: {
                /** Format: uuid */
                item_id: string;
                amount: number;
            }[] | null;
            delivery_amount: number | null;
            borne_by: RefundBearer;
            /** Format: uuid */
            actor_id: string | null;
            created_at: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            order_id: string;
        };
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "payment.refunded": {
        payment: {
            /** Format: uuid */
            id: string;
            status: PaymentReport;
            /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
            amount: number;
            currency: string;
            reference: string;
            /** @description The refunded amount of each item, if the refund names items. */
            items: {
                /** Format: uuid */
                item_id: string;
                amount: number;
            }[] | null;
            delivery_amount: number | null;
            borne_by: RefundBearer;
            /** Format: uuid */
            actor_id: string | null;
            created_at: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            order_id: string;
        };
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "payment.refund_failed": {
        payment: {
            /** Format: uuid */
            id: string;
            status: PaymentReport;
            /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
            amount: number;
            currency: string;
            reference: string;
            /** @description The refunded amount of each item, if the refund names items. */
            items: {
                /** Format: uuid */
                item_id: string;
                amount: number;
            }[] | null;
            delivery_amount: number | null;
            borne_by: RefundBearer;
            /** Format: uuid */
            actor_id: string | null;
            created_at: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            order_id: string;
        };
        order: Order & {
            /** @description The order's total_amount. */
            total: number;
        };
    };
    "product.created": {
        product: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            /** Format: uuid */
            supplier_id: string | null;
            /** @enum {string} */
            kind: "physical" | "digital" | "service";
            name: string;
            /**
             * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
             * @example brass-lantern
             */
            slug: string;
            /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
            description: string;
            /** @description It must not have more decimals than the currency. */
            price: number;
            /** Format: uuid */
            category_id: string | null;
            /** @description The seller's own id of the product. */
            external_id: string | null;
            /** @description For digital products only: whether they have a stock of licence keys. */
            track_inventory: boolean;
            images: ProductImage[];
            attributes: ProductAttribute[];
            physical: PhysicalDetails;
            /**
             * Format: uuid
             * @description The template of type product that renders its page; null for the default.
             */
            template_id: string | null;
            currency: string;
            /** @description The value of the attribute brand. */
            brand: string | null;
            variants: ProductVariant[];
            inventory: Inventory & unknown;
            status: ProductStatus;
            created_at: string;
            updated_at: string;
        };
    };
    "product.updated": {
        product: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            /** Format: uuid */
            supplier_id: string | null;
            /** @enum {string} */
            kind: "physical" | "digital" | "service";
            name: string;
            /**
             * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
             * @example brass-lantern
             */
            slug: string;
            /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
            description: string;
            /** @description It must not have more decimals than the currency. */
            price: number;
            /** Format: uuid */
            category_id: string | null;
            /** @description The seller's own id of the product. */
            external_id: string | null;
            /** @description For digital products only: whether they have a stock of licence keys. */
            track_inventory: boolean;
            images: ProductImage[];
            attributes: ProductAttribute[];
            physical: PhysicalDetails;
            /**
             * Format: uuid
             * @description The template of type product that renders its page; null for the default.
             */
            template_id: string | null;
            currency: string;
            /** @description The value of the attribute brand. */
            brand: string | null;
            variants: ProductVariant[];
            inventory: Inventory & unknown;
            status: ProductStatus;
            created_at: string;
            updated_at: string;
        };
    };
    "product.out_of_stock": {
        product: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            /** Format: uuid */
            supplier_id: string | null;
            /** @enum {string} */
            kind: "physical" | "digital" | "service";
            name: string;
            /**
             * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
             * @example brass-lantern
             */
            slug: string;
            /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
            description: string;
            /** @description It must not have more decimals than the currency. */
            price: number;
            /** Format: uuid */
            category_id: string | null;
            /** @description The seller's own id of the product. */
            external_id: string | null;
            /** @description For digital products only: whether they have a stock of licence keys. */
            track_inventory: boolean;
            images: ProductImage[];
            attributes: ProductAttribute[];
            physical: PhysicalDetails;
            /**
             * Format: uuid
             * @description The template of type product that renders its page; null for the default.
             */
            template_id: string | null;
            currency: string;
            /** @description The value of the attribute brand. */
            brand: string | null;
            variants: ProductVariant[];
            inventory: Inventory & unknown;
            status: ProductStatus;
            created_at: string;
            updated_at: string;
        };
    };
    "user.registered": {
        user: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
            role: Role;
            email_verified: boolean;
        };
    };
    "user.verified": {
        user: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
            role: Role;
            email_verified: boolean;
        };
    };
    "content.created": {
        content: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            type: string;
            slug: string;
            /**
             * Format: uuid
             * @description The product or category that it describes.
             */
            subject_id: string | null;
            /** @description By language. */
            title: {
                [key: string]: string;
            };
            status: ContentStatus;
            /** Format: uuid */
            author_id: string | null;
            version_number: number;
            /** @description The version that readers see; null if it is not published. */
            published_version_number: number | null;
            created_at: string;
            updated_at: string;
        };
    };
    "content.status_changed": {
        content: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            type: string;
            slug: string;
            /**
             * Format: uuid
             * @description The product or category that it describes.
             */
            subject_id: string | null;
            /** @description By language. */
            title: {
                [key: string]: string;
            };
            status: ContentStatus;
            /** Format: uuid */
            author_id: string | null;
            version_number: number;
            /** @description The version that readers see; null if it is not published. */
            published_version_number: number | null;
            created_at: string;
            updated_at: string;
        };
    };
    "content.published": {
        content: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            type: string;
            slug: string;
            /**
             * Format: uuid
             * @description The product or category that it describes.
             */
            subject_id: string | null;
            /** @description By language. */
            title: {
                [key: string]: string;
            };
            status: ContentStatus;
            /** Format: uuid */
            author_id: string | null;
            version_number: number;
            /** @description The version that readers see; null if it is not published. */
            published_version_number: number | null;
            created_at: string;
            updated_at: string;
        };
    };
    "content.deleted": {
        content: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenant_id: string;
            /** Format: uuid */
            marketplace_id: string;
            type: string;
            slug: string;
            /**
             * Format: uuid
             * @description The product or category that it describes.
             */
            subject_id: string | null;
            /** @description By language. */
            title: {
                [key: string]: string;
            };
            status: ContentStatus;
            /** Format: uuid */
            author_id: string | null;
            version_number: number;
            /** @description The version that readers see; null if it is not published. */
            published_version_number: number | null;
            created_at: string;
            updated_at: string;
        };
    };
    "analytics.mismatch": {
        mismatch: SalesMismatch;
    };
    "webhook.failing": {
        webhook: Webhook;
    };
    "webhook.disabled": {
        webhook: Webhook;
    };
};
/** @enum {string} */
export type OrderStatus = "pending" | "confirmed" | "processing" | "shipped" | "delivered" | "cancelled" | "returned";
/** @enum {string} */
export type PaymentStatus = "pending" | "paid" | "failed" | "refunded";
export type OrderItem = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    /** Format: uuid */
    supplier_id: string | null;
    name: string;
    quantity: number;
    /** @description Pieces that left: in transit, delivered or lost. */
    shipped_quantity: number;
    /** @description Pieces that arrived, including returned ones. */
    delivered_quantity: number;
    cancelled_quantity: number;
    returned_quantity: number;
    lost_quantity: number;
    starts_at: string | null;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    starts_at_local: string | null;
    price: number;
    amount: number;
};
export type OrderPart = {
    /**
     * Format: uuid
     * @description Null for the operator's part.
     */
    supplier_id: string | null;
    status: OrderStatus;
    subtotal: number;
    delivery_amount: number;
    /** @description Whether the delivery_amount is owed: false once all pieces are cancelled or lost. */
    delivery_owed: boolean;
    delivery_recipient: DeliveryRecipient & unknown;
    legal: LegalIdentity;
};
/**
 * @description The recipient of the delivery amount of a supplier's part, with per_supplier. Default: the operator.
 * @enum {string}
 */
export type DeliveryRecipient = "operator" | "supplier";
/** @description The fields that are known. */
export type LegalIdentity = {
    name?: string;
    address?: string;
    tax_id?: string;
};
/** @description Null if none was sent. Only physical items require it. */
export type Address = ({
    name?: string;
    company?: string;
    street: string;
    city?: string;
    region?: string;
    postal_code?: string;
    country?: string;
    phone?: string;
} & {
    [key: string]: unknown;
}) | null;
export type OrderContact = {
    email: string;
    name?: string;
    phone?: string;
};
/** @enum {string} */
export type PaymentReport = "paid" | "failed" | "refunded" | "refund_failed" | "payment_reversed";
/**
 * @description The party that bears a refund; null for other reports.
 * @enum {string|null}
 */
export type RefundBearer = "operator" | "supplier" | null;
/** @enum {string} */
export type NoteVisibility = "internal" | "customer";
export type Order = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    marketplace_id: string;
    /** @description 1, 2, 3, … in each marketplace, without gaps. */
    number: number;
    /** Format: uuid */
    customer_id: string;
    status: OrderStatus;
    payment_status: PaymentStatus;
    /** @description The sum of the items' amounts. */
    subtotal_amount: number;
    delivery_amount: number;
    total_amount: number;
    /** @description The amount to refund: the paid price of what was cancelled, returned or lost since. A refund that names an item, or the delivery, lowers what is due for that item or delivery only. 0 for suppliers. */
    refund_due: number;
    /** @description What refund_due is for: the amounts of items, and of the deliveries of parts. Together at most refund_due. */
    refund_due_for: {
        items: {
            /** Format: uuid */
            item_id: string;
            amount: number;
        }[];
        deliveries: {
            /** Format: uuid */
            supplier_id: string | null;
            amount: number;
        }[];
    };
    currency: string;
    delivery_method: string | null;
    payment_method: string | null;
    /** @description Time until which a pending order waits for its payment; null if none is owed. */
    payment_due_at: string | null;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    payment_due_at_local: string | null;
    items: OrderItem[];
    /** @description The part of each supplier, with its legal identity at the time of the order. Suppliers see their own. */
    parts: OrderPart[];
    shipping_address: Address;
    billing_address: Address & unknown;
    /** @description The buyer's tax number. */
    tax_id: string | null;
    contact: OrderContact | null;
    /** @description The language of the order's mails; null if unknown. */
    language: string | null;
    history: {
        old_status: OrderStatus;
        new_status: OrderStatus;
        note: string | null;
        /**
         * Format: uuid
         * @description Null if a timer or another system made the change.
         */
        actor_id: string | null;
        created_at: string;
        /**
         * @description The same time in the tenant's time zone, with its offset.
         * @example 2026-11-24T09:00:00.123456+13:00
         */
        created_at_local: string;
    }[];
    payments: {
        /** Format: uuid */
        id: string;
        status: PaymentReport;
        /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
        amount: number;
        currency: string;
        reference: string;
        /** @description The refunded amount of each item, if the refund names items. */
        items: {
            /** Format: uuid */
            item_id: string;
            amount: number;
        }[] | null;
        delivery_amount: number | null;
        borne_by: RefundBearer;
        /** Format: uuid */
        actor_id: string | null;
        created_at: string;
        /**
         * @description The same time in the tenant's time zone, with its offset.
         * @example 2026-11-24T09:00:00.123456+13:00
         */
        created_at_local: string;
    }[];
    cancellations: {
        /** Format: uuid */
        id: string;
        items: {
            /** Format: uuid */
            item_id: string;
            quantity: number;
            amount: number;
        }[];
        /** @description Their price, without delivery. */
        amount: number;
        reason: string | null;
        /** Format: uuid */
        actor_id: string | null;
        created_at: string;
        /**
         * @description The same time in the tenant's time zone, with its offset.
         * @example 2026-11-24T09:00:00.123456+13:00
         */
        created_at_local: string;
    }[];
    returns: {
        /** Format: uuid */
        id: string;
        items: {
            /** Format: uuid */
            item_id: string;
            quantity: number;
            amount: number;
            restocked: boolean;
        }[];
        /** @description Their price, without delivery. */
        amount: number;
        note: string | null;
        /** Format: uuid */
        actor_id: string | null;
        created_at: string;
        /**
         * @description The same time in the tenant's time zone, with its offset.
         * @example 2026-11-24T09:00:00.123456+13:00
         */
        created_at_local: string;
    }[];
    notes: {
        /** Format: uuid */
        id: string;
        text: string;
        visibility: NoteVisibility;
        /** Format: uuid */
        supplier_id: string | null;
        /** Format: uuid */
        author_id: string | null;
        created_at: string;
        /**
         * @description The same time in the tenant's time zone, with its offset.
         * @example 2026-11-24T09:00:00.123456+13:00
         */
        created_at_local: string;
    }[];
    /** @description A line per supplier, for admins and clients; suppliers see their own. */
    commissions: {
        /** Format: uuid */
        supplier_id: string;
        /** @description The rate of its items when the order was placed; null if they have several (order_item_commissions has each). */
        commission_percent: number | null;
        /** @description The rate of its delivery; 0 if no commission is taken on delivery. */
        delivery_percent: number;
        /** @description Items that were not cancelled, returned or lost. */
        sales_amount: number;
        /** @description The delivery, if the supplier receives it. */
        delivery_amount: number;
        commission_amount: number;
        /** @description Refunds that the supplier bears, for items that the customer keeps. They lower the payout, and not the commission. */
        refunded_amount: number;
        payout_amount: number;
    }[];
    /** @description The order's id in the system that it was imported from. */
    external_id: string | null;
    /** @description Time at which a past order was imported; null for an order that was placed here. */
    imported_at: string | null;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    imported_at_local: string | null;
    created_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    created_at_local: string;
    updated_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    updated_at_local: string;
};
export type Shipment = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    status: ShipmentStatus;
    /** @description Whether the shipment was lost and its pieces are reserved again. */
    resent: boolean;
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
    }[];
    carrier: string | null;
    tracking_number: string | null;
    tracking_url: string | null;
    note: string | null;
    /**
     * Format: uuid
     * @description The user who created it.
     */
    actor_id: string | null;
    /** @description Time at which it counts as delivered without a report. */
    delivery_expected_by: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    delivery_expected_by_local: string;
    delivered_at: string | null;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    delivered_at_local: string | null;
    created_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    created_at_local: string;
    updated_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    updated_at_local: string;
};
/** @enum {string} */
export type ShipmentStatus = "shipped" | "delivered" | "lost" | "void";
export type ReturnRequest = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    status: ReturnRequestStatus;
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
        received_quantity: number;
    }[];
    reason: string | null;
    /** @description The note of the last answer. */
    note: string | null;
    /**
     * Format: uuid
     * @description The user who created it.
     */
    actor_id: string | null;
    created_at: string;
    updated_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    created_at_local: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    updated_at_local: string;
};
/** @enum {string} */
export type ReturnRequestStatus = "requested" | "approved" | "rejected" | "received" | "cancelled";
/** @description Images of the media library have all fields, others only url and alt. */
export type ProductImage = {
    url: string;
    alt: string;
    /** Format: uuid */
    asset_id?: string;
    width?: number;
    height?: number;
    /** @description Smaller versions, in the format of HTML's `srcset`; null if there are none. */
    srcset?: string | null;
};
/** @description If the category defines the attribute, its type, required and searchable are the category's. */
export type ProductAttribute = {
    name: string;
    value: string;
    /** @enum {string} */
    type: "text" | "number" | "boolean" | "select";
    required: boolean;
    searchable: boolean;
};
export type PhysicalDetails = {
    weight_grams: number | null;
    length_mm: number | null;
    width_mm: number | null;
    height_mm: number | null;
    delivery: string[] | null;
} | null;
export type ProductVariant = {
    /** Format: uuid */
    id: string;
    name: string;
    sku: string | null;
    price: number;
    /** @description Its own price; null if the variant inherits the product's. */
    own_price: number | null;
    inventory: Inventory;
};
export type Inventory = {
    quantity: number;
    reserved: number;
};
/** @enum {string} */
export type ProductStatus = "draft" | "active" | "inactive" | "out_of_stock" | "discontinued";
/** @enum {string} */
export type Role = "customer" | "supplier" | "client" | "admin";
/** @enum {string} */
export type ContentStatus = "draft" | "in_review" | "approved" | "published" | "archived";
export type SalesMismatch = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    marketplace_id: string;
    differences: {
        /** @description Which sums should be equal. */
        rule: string;
        /** @description Null for numbers of visitors. */
        currency: string | null;
        /**
         * Format: date
         * @description Null for all days.
         */
        day: string | null;
        /** @description By the orders, the book of sales, or the days of visitors. */
        expected: number | null;
        found: number | null;
    }[];
};
export type Webhook = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    url: string;
    description: string;
    events: EventName[];
    filter: {
        marketplace_ids: string[] | null;
        statuses: string[] | null;
    } | null;
    /** @description The names of the deliveries' headers. The values are not shown. */
    header_names: string[];
    active: boolean;
    /**
     * @description The reason if it was switched off automatically. gone: the receiver answered 410; failing: every attempt failed for a day.
     * @enum {string|null}
     */
    disabled_reason: "gone" | "failing" | null;
    /** @description Every attempt has failed since this time. */
    failing_since: string | null;
    created_at: string;
    updated_at: string;
};
/**
 * @example order.created
 * @enum {string}
 */
export type EventName = "analytics.mismatch" | "content.created" | "content.deleted" | "content.published" | "content.status_changed" | "order.cancelled" | "order.completed" | "order.created" | "order.items_cancelled" | "order.status_changed" | "payment.failed" | "payment.refund_failed" | "payment.refunded" | "payment.succeeded" | "product.created" | "product.out_of_stock" | "product.updated" | "return.approved" | "return.received" | "return.rejected" | "return.requested" | "shipment.created" | "shipment.delivered" | "shipment.lost" | "user.registered" | "user.verified" | "webhook.disabled" | "webhook.failing";
export type EventFields = {
    "order.status_changed": {
        /** Format: uuid */
        order_id: string;
        old_status: OrderStatus;
        new_status: OrderStatus;
    };
    "content.status_changed": {
        /** Format: uuid */
        content_id: string;
        old_status: ContentStatus;
        new_status: ContentStatus;
    };
};
/** @description The tokens are null if there is no new session: after a registration that needs a confirmed e-mail, and after switching without a refresh token. */
export type Session = {
    access_token: string | null;
    refresh_token: string | null;
    /** @enum {string} */
    token_type: "bearer";
    /** @description Lifetime of the access token in seconds. */
    expires_in: number | null;
    /** @description Expiry of the access token in seconds since 1970. */
    expires_at: number | null;
    user: User;
};
export type User = {
    /** Format: uuid */
    id: string;
    /** @description Null for a guest. */
    email: string | null;
    name: string;
    role: Role | null;
    /** Format: uuid */
    tenant_id: string | null;
    /** @description Whether the user is a guest, who has not registered. */
    is_anonymous: boolean;
};
export type Error = {
    error: {
        code: ErrorCode;
        message: string;
        /** @description Empty if the error concerns no field. */
        details: {
            /** @example items[0].price */
            field?: string;
            /** @description The value that was sent; null if none was sent. */
            value?: unknown;
            /** @description All invalid fields if there are several; at most 100. */
            errors?: {
                field: string;
                value?: unknown;
                message?: string;
            }[];
            /**
             * @description With LIMIT_REACHED: the name of the cap.
             * @example webhooks_per_tenant
             */
            cap?: string;
            /** @description The value of that cap or limit. */
            maximum?: number;
            /**
             * @description With TEMPLATE_LIMIT: which limit was exceeded.
             * @example steps
             */
            limit?: string;
            /** @description With TEMPLATE_ERROR: the id of the section with the mistake. */
            section?: string;
            /** @description With TEMPLATE_ERROR: the id of the block. */
            block?: string;
            /** @description With TEMPLATE_ERROR: the line in the text of the block, from 1. */
            line?: number;
            /** @description With TEMPLATE_ERROR: the column in that line, from 1. */
            column?: number;
            /** @description With a file that is too large: the number of bytes that are still free. */
            remaining?: number;
            /** @description With CONFLICT: the records that use the record to delete. */
            used_by?: {
                type: string;
                id: string;
            }[];
            /** @description With CONFLICT on a save of content: the newest version. */
            version_number?: number;
            /** @description With CONFLICT on a save or a merge of content: the values that both sides changed differently. base: before; ours: now; theirs: as sent. */
            conflicts?: {
                /** @example seo.title */
                path: string;
                base?: unknown;
                ours?: unknown;
                theirs?: unknown;
            }[];
        };
    };
};
/**
 * @example VALIDATION_ERROR
 * @enum {string}
 */
export type ErrorCode = "INVALID_JSON" | "NESTING_TOO_DEEP" | "INVALID_REQUEST" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "INVALID_CREDENTIALS" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "VALIDATION_ERROR" | "INVALID_TRANSITION" | "INSUFFICIENT_INVENTORY" | "PRICE_MISMATCH" | "MARKETPLACE_NOT_ACTIVE" | "SLOT_NOT_AVAILABLE" | "LAST_ADMIN" | "IDEMPOTENCY_KEY_REUSED" | "UNSUPPORTED_MEDIA" | "TEMPLATE_ERROR" | "TEMPLATE_LIMIT" | "LIMIT_REACHED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "TIMEOUT";
export type Registration = {
    /** Format: idn-email */
    email: string;
    password: string;
    name?: string;
    /**
     * @description The language of mails to a customer.
     * @example de
     */
    language?: string;
    /**
     * @description Opens a new tenant, with the caller as its admin.
     * @example Oasis
     */
    tenant_name?: string;
    /**
     * Format: uuid
     * @description Joins a tenant.
     */
    tenant_id?: string;
    /**
     * @description The role to join with, together with tenant_id. The default is customer. A new supplier is not verified.
     * @enum {string}
     */
    role?: "customer" | "supplier";
    /** @description The token of an invitation to this e-mail address. It determines the tenant and the role. */
    invitation?: string;
};
export type NewGuest = {
    /**
     * @description The id or the domain of the marketplace.
     * @example shop.example.com
     */
    marketplace: string;
};
export type Login = {
    email: string;
    password: string;
};
export type Refresh = {
    refresh_token: string;
};
export type Me = {
    user: User;
    tenant: {
        /** Format: uuid */
        id: string;
        name: string;
    };
    role: Role;
    content_roles: ContentRole[];
    /** Format: uuid */
    supplier_id: string | null;
    /** @description The organisation of a supplier. */
    supplier: {
        /** Format: uuid */
        id: string;
        name: string;
        verified: boolean;
    } | null;
    /** Format: uuid */
    customer_id: string | null;
};
/** @enum {string} */
export type ContentRole = "editor" | "reviewer" | "publisher" | "admin";
/** @description A tenant that the caller is a member of. */
export type Membership = {
    /** Format: uuid */
    id: string;
    name: string;
    role: Role;
    status: MemberStatus;
    /** Format: uuid */
    supplier_id: string | null;
    /** Format: uuid */
    customer_id: string | null;
    /** @description Whether the access token is of this tenant. */
    current: boolean;
    created_at: string;
};
/** @enum {string} */
export type MemberStatus = "active" | "suspended";
export type NewMembership = {
    /**
     * @description Opens a new tenant, with the caller as its admin.
     * @example Oasis
     */
    tenant_name?: string;
    /**
     * Format: uuid
     * @description Joins a tenant.
     */
    tenant_id?: string;
    /**
     * @description The role to join with, together with tenant_id. The default is customer. A new supplier is not verified.
     * @enum {string}
     */
    role?: "customer" | "supplier";
};
export type TenantChoice = {
    /** Format: uuid */
    tenant_id: string;
    /** @description The refresh token of the session, to get tokens of the new tenant. */
    refresh_token?: string;
};
export type KeyToken = {
    access_token: string;
    /** @enum {string} */
    token_type: "bearer";
    /** @description Lifetime of the access token in seconds. */
    expires_in: number;
};
export type TokenError = {
    /** @enum {string} */
    error: "invalid_request" | "invalid_client" | "unsupported_grant_type";
    error_description: string;
};
export type Invitation = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    email: string;
    role: Role;
    /**
     * Format: uuid
     * @description For suppliers: the organisation to join. If null, a new one is created.
     */
    supplier_id: string | null;
    status: InvitationStatus;
    /** Format: uuid */
    invited_by: string | null;
    expires_at: string;
    accepted_at: string | null;
    /** Format: uuid */
    accepted_by: string | null;
    created_at: string;
};
/** @enum {string} */
export type InvitationStatus = "pending" | "accepted" | "expired";
export type CreatedInvitation = Invitation & {
    /** @description Shown only once, and again if the Idempotency-Key is repeated. Null if the invitation was withdrawn since. */
    token: string | null;
};
export type NewInvitation = {
    /** Format: idn-email */
    email: string;
    role: Role;
    /**
     * Format: uuid
     * @description For suppliers: the organisation to join. If null, a new one is created.
     */
    supplier_id?: string | null;
};
export type InvitationAcceptance = {
    /** @description The token of the invitation. */
    invitation: string;
};
export type ProductMatches = {
    products: ListedProduct[];
    /** @description A score for each product, in descending order. For similar products, the order applies after the promoted ones. */
    relevance_scores: number[];
};
export type ListedProduct = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    marketplace_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    /** @enum {string} */
    kind: "physical" | "digital" | "service";
    name: string;
    /**
     * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
     * @example brass-lantern
     */
    slug: string;
    /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
    description: string;
    /** @description It must not have more decimals than the currency. */
    price: number;
    /** Format: uuid */
    category_id: string | null;
    /** @description The seller's own id of the product. */
    external_id: string | null;
    /** @description For digital products only: whether they have a stock of licence keys. */
    track_inventory: boolean;
    images: ProductImage[];
    attributes: ProductAttribute[];
    physical: PhysicalDetails;
    /**
     * Format: uuid
     * @description The template of type product that renders its page; null for the default.
     */
    template_id: string | null;
    currency: string;
    /** @description The value of the attribute brand. */
    brand: string | null;
    variants: ProductVariant[];
    inventory: Inventory & unknown;
    status: ProductStatus;
    created_at: string;
    updated_at: string;
    /** @description How well the product matches the search; null without a search. */
    relevance_score: number | null;
    promotion: Promotion;
};
/** @description The promotion, if the product is promoted and therefore listed first; else null. */
export type Promotion = {
    /** Format: uuid */
    campaign_id: string;
    /** @description Labels that the shop must show. */
    labels: string[];
    highlighted: boolean;
    pinned: boolean;
    /** @description Rank among the promoted products, from 1. */
    position: number;
    /** @description Proves for a day that the caller was shown the promotion. Send it with reported impressions and clicks. */
    token: string;
} | null;
export type SemanticQuestion = {
    category?: string | string[];
    price_min?: number;
    price_max?: number;
    /** Format: uuid */
    marketplace_id?: string;
    /**
     * @description Only products with prices in this currency. In a tenant with several currencies, `price_min`, `price_max` and `sort=price` require it or `marketplace_id`.
     * @example EUR
     */
    currency?: string;
    /** Format: uuid */
    supplier_id?: string;
    brand?: string | string[];
    /**
     * @example {
     *       "material": [
     *         "brass",
     *         "wool"
     *       ]
     *     }
     */
    attributes?: {
        [key: string]: string | string[];
    };
    /**
     * @description A question in free words. Different words with the same meaning find the same products.
     * @example somewhere to sit in the garden
     */
    query: string;
    /** @default 20 */
    limit?: number;
};
export type Tenant = {
    /** Format: uuid */
    id: string;
    name: string;
    time_zone: string;
    settings: TenantSettings;
    /**
     * @description Whether the owner of the project lets the tenant send mails of its own.
     * @enum {string}
     */
    mail_status: "new" | "approved";
    /** @description Since when too many bounces or complaints have paused the tenant's mail. */
    mail_paused_at: string | null;
    created_at: string;
    updated_at: string;
};
/** @description A setting that is absent has the value in docs/limits.md. In a change, null removes one, and the value of a setting is replaced whole. */
export type TenantSettings = {
    content?: {
        /** @description A reviewer cannot approve content if one of its versions since the last publication is their own. */
        four_eyes?: boolean | null;
        /**
         * @description Number of versions of a piece of content that are kept.
         * @example 100
         */
        keep_versions?: number | null;
        /**
         * @description The shop's address for previews, with {type}, {slug}, {language} and {token}.
         * @example https://shop.example.com/{slug}?preview={token}
         */
        preview_url?: string | null;
    } | null;
    catalog?: {
        /** @description Whether variants of a supplier in a marketplace must have different skus. Default: true. */
        unique_skus?: boolean | null;
    } | null;
    media?: {
        /**
         * @description Largest file, in bytes.
         * @example 52428800
         */
        file_bytes?: number | null;
        /**
         * @description Total size of all media, in bytes.
         * @example 5368709120
         */
        quota_bytes?: number | null;
        /** @description Public images are served as they were sent, with where and when they were taken. Otherwise Souk keeps their orientation and colour profile only. */
        keep_metadata?: boolean | null;
    } | null;
    analytics?: {
        /** @description Visitors that are not counted. */
        ignore?: {
            /**
             * @description Parts of visitors' User-Agent headers. Upper and lower case are the same.
             * @example [
             *       "UptimeRobot"
             *     ]
             */
            user_agents?: string[];
            /** @description Values of `visitor_id`, or ids of users. */
            visitors?: string[];
        } | null;
    } | null;
};
export type TenantChanges = {
    name?: string;
    /**
     * @description An IANA name. It determines the start of the tenant's days. Default: UTC.
     * @example Europe/Berlin
     */
    time_zone?: string;
    settings?: TenantSettings;
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
export type Member = {
    /** Format: uuid */
    user_id: string;
    /** Format: uuid */
    tenant_id: string;
    /** @description Empty for a guest. */
    email: string;
    name: string;
    /** @description Whether the user is a guest, who has not registered. */
    is_anonymous: boolean;
    role: Role;
    status: MemberStatus;
    /**
     * Format: uuid
     * @description The organisation of a supplier; null for other roles.
     */
    supplier_id: string | null;
    content_roles: ContentRole[];
    created_at: string;
};
export type MemberChanges = {
    role?: Role;
    status?: MemberStatus;
    /**
     * Format: uuid
     * @description The organisation of a supplier; null for other roles.
     */
    supplier_id?: string | null;
    content_roles?: ContentRole[];
};
export type ApiKey = {
    /** Format: uuid */
    id: string;
    /** @example key_0f0f2a3e2a774d1b9a550c7a2b1d4e01 */
    client_id: string;
    /** @example Warehouse */
    name: string;
    /**
     * @description client: everything that a machine of the tenant may do. supplier: for a supplier.
     * @enum {string}
     */
    role: "client" | "supplier";
    /**
     * Format: uuid
     * @description The organisation of a supplier's key.
     */
    supplier_id: string | null;
    /**
     * @description The permissions of the key; null: all of its role.
     * @example [
     *       "orders.read",
     *       "shipments.write"
     *     ]
     */
    scopes: Permission[] | null;
    /** @description Null: never. */
    expires_at: string | null;
    /** Format: uuid */
    created_by: string | null;
    created_at: string;
    /** @description When the key last got a session; null: never. */
    last_used_at: string | null;
};
/** @enum {string} */
export type Permission = "analytics.read" | "api_keys.read" | "api_keys.write" | "auctions.read" | "bookings.read" | "calendars.write" | "campaigns.read" | "campaigns.refund" | "campaigns.review" | "campaigns.write" | "categories.write" | "commission_rates.read" | "commission_rates.write" | "commissions.read" | "content.manage" | "content.write" | "customers.read" | "customers.write" | "dashboards.read" | "dashboards.write" | "digital_goods.read" | "digital_goods.write" | "downloads.read" | "email_templates.read" | "email_templates.write" | "events.read" | "exports.read" | "inventory.read" | "inventory.write" | "invitations.read" | "invitations.write" | "mails.read" | "mails.write" | "marketplaces.read" | "marketplaces.write" | "media.manage" | "media.write" | "members.read" | "members.write" | "order_notes.write" | "orders.cancel" | "orders.import" | "orders.move" | "orders.place" | "orders.read" | "payments.read" | "payments.write" | "placement_prices.read" | "placement_revenue.read" | "placement_settings.read" | "placement_settings.write" | "private_media.read" | "products.export" | "products.read" | "products.write" | "returns.answer" | "returns.record" | "returns.request" | "shipments.void" | "shipments.write" | "shop_events.write" | "suppliers.create" | "suppliers.verify" | "suppliers.write" | "synonyms.write" | "templates.read" | "tenant.write" | "webhooks.read" | "webhooks.write";
export type CreatedApiKey = ApiKey & {
    /** @description Shown only once. Store it as a secret. */
    client_secret: string;
};
export type NewApiKey = {
    /** @example Warehouse */
    name: string;
    /**
     * @description By default client for admins, and supplier for suppliers.
     * @enum {string}
     */
    role?: "client" | "supplier";
    /**
     * Format: uuid
     * @description For admins, with the role supplier: the organisation.
     */
    supplier_id?: string;
    /**
     * @description The permissions of the key; by default all of its role.
     * @example [
     *       "orders.read",
     *       "shipments.write"
     *     ]
     */
    scopes?: Permission[] | null;
    /**
     * Format: date-time
     * @description A time in the future; by default never.
     */
    expires_at?: string | null;
};
export type Supplier = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    name: string;
    verified: boolean;
    legal: LegalIdentity;
    created_at: string;
    updated_at: string;
};
export type NewSupplier = {
    name: string;
    /** @default false */
    verified?: boolean;
    legal?: NewLegalIdentity;
};
/**
 * @description The supplier's legal identity. Shops show it, and each order keeps a copy.
 * @example {
 *       "name": "Atlas Crafts GmbH",
 *       "address": "2 Oak Street, 10115 Berlin",
 *       "tax_id": "DE1"
 *     }
 */
export type NewLegalIdentity = {
    name?: string;
    address?: string;
    tax_id?: string;
};
export type SupplierChanges = {
    name?: string;
    /** @description For admins. */
    verified?: boolean;
    legal?: NewLegalIdentity & unknown;
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
export type Customer = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /**
     * Format: uuid
     * @description Null for a customer without an account.
     */
    user_id: string | null;
    /** @description A guest without a name of its own has the name of its last order. */
    name: string;
    /** @description For a guest, the address that it gave in its last order, which nobody has confirmed. */
    email: string | null;
    /** @description Whether the account is a guest's. */
    is_guest: boolean;
    /** @description The language of the customer's mails; null if unknown. */
    language: string | null;
    /** @description The customer's id in the system that its past orders were imported from. */
    external_id: string | null;
    /** @description The number of its orders, cancelled ones too. */
    orders: number;
    last_ordered_at: string | null;
    created_at: string;
};
export type NewCustomer = {
    name: string;
    /** Format: idn-email */
    email?: string;
};
export type Marketplace = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    name: string;
    description: string;
    category: string;
    /** @example EUR */
    currency: string;
    /**
     * @description A BCP 47 tag.
     * @example en
     */
    language: string;
    /**
     * @description A host name. An internationalised name is stored as Punycode.
     * @example shop.example.com
     */
    domain: string;
    status: MarketplaceStatus;
    settings: MarketplaceSettings;
    created_at: string;
    updated_at: string;
};
/** @enum {string} */
export type MarketplaceStatus = "draft" | "active" | "inactive" | "suspended";
export type MarketplaceSettings = {
    branding?: MarketplaceBranding;
    seo?: MarketplaceSeo;
    business?: MarketplaceBusiness;
};
export type MarketplaceBranding = {
    /** @example https://shop.example.com/logo.svg */
    logo_url?: string;
    /** @example https://shop.example.com/logo.svg */
    favicon_url?: string;
    /**
     * @example {
     *       "primary": "#1a2b3c"
     *     }
     */
    colors?: {
        [key: string]: string;
    };
    /**
     * @description The other hosts that pages may load pictures, sounds, videos and frames from, send forms to, and link to with values in the address.
     * @example [
     *       "images.example.com"
     *     ]
     */
    hosts?: string[];
    custom_css?: string;
};
export type MarketplaceSeo = {
    title?: string;
    description?: string;
    keywords?: string[];
    /** @example https://shop.example.com/logo.svg */
    canonical_url?: string;
    meta_tags?: {
        [key: string]: string;
    };
    /**
     * @example {
     *       "og:type": "website"
     *     }
     */
    og_tags?: {
        [key: string]: string;
    };
};
export type MarketplaceBusiness = {
    /** @description At most 4 decimals. */
    commission_percent?: number;
    /**
     * @example [
     *       "card",
     *       "invoice"
     *     ]
     */
    payment_methods?: string[];
    /** @description An order that is not paid within this number of minutes is cancelled. Default: 1440. */
    payment_deadline_minutes?: number;
    delivery?: {
        methods?: DeliveryMethod[];
        recipient?: DeliveryRecipient;
    };
    /** @description The maximum number of unpaid orders of a customer. Orders of free items, and those that the seller accepted by hand, do not count. Default: 50. */
    max_unpaid_orders?: number;
    /** @description The maximum number of pieces of a product that a customer reserves in unpaid orders. Default: 20, or a tenth of the product's free stock if that is more. */
    max_unpaid_pieces?: number;
    /** @description Whether unpaid orders may be shipped. Default: true. */
    ship_unpaid?: boolean;
    /** @description The number of days after which a shipment counts as delivered without a report. Default: 14. */
    delivered_after_days?: number;
    /** @description The number of days after the delivery of a piece within which a return can be requested. Default: 14. */
    return_days?: number;
    /** @description The number of days after which a supplier's line is due, from its payment and delivery on. Default: return_days. */
    payout_delay_days?: number;
    /** @description Whether commission is also taken on delivery that a supplier receives. Default: false. */
    commission_on_delivery?: boolean;
    /** @description Whether guests may order. Default: true. */
    guest_checkout?: boolean;
    /**
     * @description The country of addresses that name none: an ISO 3166-1 alpha-2 code. Default: none.
     * @example DE
     */
    country?: string;
    /**
     * Format: idn-email
     * @description The address that answers to mails go to. Default: the sender's. Domains may be internationalised.
     * @example help@spices.example.com
     */
    reply_to?: string;
};
export type DeliveryMethod = {
    key: string;
    name: string;
    /** @description It must not have more decimals than the marketplace's currency. */
    price: number;
    /** @description Charges the price for each supplier with physical items, and for the operator if it has some, instead of once for the order. Default: false. */
    per_supplier?: boolean;
    /** @description Delivery is free from this subtotal of the order, or with per_supplier of the supplier's part. It must not have more decimals than the currency. */
    free_from?: number;
};
export type NewMarketplace = {
    name: string;
    /** @default  */
    description?: string;
    category: string;
    /** @example EUR */
    currency: string;
    /**
     * @description A BCP 47 tag.
     * @example en
     */
    language: string;
    /**
     * @description A host name. An internationalised name is stored as Punycode.
     * @example shop.example.com
     */
    domain: string;
    settings?: MarketplaceSettings;
};
export type MarketplaceChanges = {
    name?: string;
    description?: string;
    category?: string;
    /** @example EUR */
    currency?: string;
    /**
     * @description A BCP 47 tag.
     * @example en
     */
    language?: string;
    /**
     * @description A host name. An internationalised name is stored as Punycode.
     * @example shop.example.com
     */
    domain?: string;
    status?: MarketplaceStatus;
    settings?: MarketplaceSettingsChanges;
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
/** @description Groups (branding, seo, business) and fields of a group that are not sent stay as they are, and null removes one. The value of a field is replaced whole, also if it is an object or a list. */
export type MarketplaceSettingsChanges = {
    branding?: MarketplaceBrandingChanges;
    seo?: MarketplaceSeoChanges;
    business?: MarketplaceBusinessChanges;
};
export type MarketplaceBrandingChanges = {
    /** @example https://shop.example.com/logo.svg */
    logo_url?: string | null;
    /** @example https://shop.example.com/logo.svg */
    favicon_url?: string | null;
    /**
     * @example {
     *       "primary": "#1a2b3c"
     *     }
     */
    colors?: {
        [key: string]: string;
    } | null;
    /**
     * @description The other hosts that pages may load pictures, sounds, videos and frames from, send forms to, and link to with values in the address.
     * @example [
     *       "images.example.com"
     *     ]
     */
    hosts?: string[] | null;
    custom_css?: string | null;
} | null;
export type MarketplaceSeoChanges = {
    title?: string | null;
    description?: string | null;
    keywords?: string[] | null;
    /** @example https://shop.example.com/logo.svg */
    canonical_url?: string | null;
    meta_tags?: {
        [key: string]: string;
    } | null;
    /**
     * @example {
     *       "og:type": "website"
     *     }
     */
    og_tags?: {
        [key: string]: string;
    } | null;
} | null;
export type MarketplaceBusinessChanges = {
    /** @description At most 4 decimals. */
    commission_percent?: number | null;
    /**
     * @example [
     *       "card",
     *       "invoice"
     *     ]
     */
    payment_methods?: string[] | null;
    /** @description An order that is not paid within this number of minutes is cancelled. Default: 1440. */
    payment_deadline_minutes?: number | null;
    delivery?: {
        methods?: DeliveryMethod[];
        recipient?: DeliveryRecipient;
    } | null;
    /** @description The maximum number of unpaid orders of a customer. Orders of free items, and those that the seller accepted by hand, do not count. Default: 50. */
    max_unpaid_orders?: number | null;
    /** @description The maximum number of pieces of a product that a customer reserves in unpaid orders. Default: 20, or a tenth of the product's free stock if that is more. */
    max_unpaid_pieces?: number | null;
    /** @description Whether unpaid orders may be shipped. Default: true. */
    ship_unpaid?: boolean | null;
    /** @description The number of days after which a shipment counts as delivered without a report. Default: 14. */
    delivered_after_days?: number | null;
    /** @description The number of days after the delivery of a piece within which a return can be requested. Default: 14. */
    return_days?: number | null;
    /** @description The number of days after which a supplier's line is due, from its payment and delivery on. Default: return_days. */
    payout_delay_days?: number | null;
    /** @description Whether commission is also taken on delivery that a supplier receives. Default: false. */
    commission_on_delivery?: boolean | null;
    /** @description Whether guests may order. Default: true. */
    guest_checkout?: boolean | null;
    /**
     * @description The country of addresses that name none: an ISO 3166-1 alpha-2 code. Default: none.
     * @example DE
     */
    country?: string | null;
    /**
     * Format: idn-email
     * @description The address that answers to mails go to. Default: the sender's. Domains may be internationalised.
     * @example help@spices.example.com
     */
    reply_to?: string | null;
} | null;
export type Storefront = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    name: string;
    description: string;
    category: string;
    /** @example EUR */
    currency: string;
    /**
     * @description A BCP 47 tag.
     * @example en
     */
    language: string;
    /**
     * @description A host name. An internationalised name is stored as Punycode.
     * @example shop.example.com
     */
    domain: string;
    /** @description The languages of its contents. */
    languages: string[];
    branding: MarketplaceBranding;
    seo: MarketplaceSeo;
    /** @description Whether guests may order. */
    guest_checkout: boolean;
    /** @description The country of addresses that name none; null for none. */
    country: string | null;
};
export type DeliveryMethods = {
    delivery_methods: DeliveryMethod[];
};
export type PaymentMethods = {
    payment_methods: string[];
};
export type CountryList = {
    /** @description Sorted by name. */
    countries: Country[];
};
export type Country = {
    /** @example DE */
    code: string;
    name: string;
    /** @description The fields that an address in the country must have. */
    required: CountryField[];
    /**
     * @description The fields that addresses in the country have, in its usual order, by their names there.
     * @example {
     *       "street": "Street and number",
     *       "postal_code": "Postal code",
     *       "city": "City"
     *     }
     */
    labels: {
        street?: string;
        city?: string;
        region?: string;
        postal_code?: string;
    };
    /**
     * @description Null if postal codes are not checked.
     * @example 26133
     */
    postal_code_example: string | null;
};
/** @enum {string} */
export type CountryField = "street" | "city" | "region" | "postal_code";
export type CategoryTree = {
    categories: Category[];
    total: number;
};
/** @description A category with all categories below it. */
export type Category = {
    /** Format: uuid */
    id: string;
    name: string;
    /** Format: uuid */
    parent_id: string | null;
    attributes: CategoryAttribute[];
    /** Format: uuid */
    template_id: string | null;
    created_at: string;
    updated_at: string;
    children: Category[];
};
export type CategoryAttribute = {
    name: string;
    /** @enum {string} */
    type: "text" | "number" | "boolean" | "select";
    required: boolean;
    searchable: boolean;
    options: string[];
};
export type NewCategory = {
    name: string;
    /**
     * Format: uuid
     * @description Null for a top-level category.
     */
    parent_id?: string | null;
    /** @default [] */
    attributes?: {
        name: string;
        /**
         * @default text
         * @enum {string}
         */
        type?: "text" | "number" | "boolean" | "select";
        /** @default false */
        required?: boolean;
        /** @default false */
        searchable?: boolean;
        /**
         * @description The allowed values. Only for the type select, which needs at least one.
         * @default []
         */
        options?: string[];
    }[];
    /**
     * Format: uuid
     * @description The template of type category that renders its page; null for the default.
     */
    template_id?: string | null;
};
export type CategoryChanges = {
    name?: string;
    /**
     * Format: uuid
     * @description Null for a top-level category.
     */
    parent_id?: string | null;
    attributes?: {
        name: string;
        /**
         * @default text
         * @enum {string}
         */
        type?: "text" | "number" | "boolean" | "select";
        /** @default false */
        required?: boolean;
        /** @default false */
        searchable?: boolean;
        /**
         * @description The allowed values. Only for the type select, which needs at least one.
         * @default []
         */
        options?: string[];
    }[];
    /**
     * Format: uuid
     * @description The template of type category that renders its page; null for the default.
     */
    template_id?: string | null;
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
export type ImportSummary = {
    imported: number;
    updated: number;
    unchanged: number;
    failed: number;
    /** @description The errors of the first 1000 lines that failed. */
    errors: ImportError[];
    /** @description The first 1000 remarks; left out if there are none. */
    remarks?: ImportRemark[];
    /** @description Present if the request ended before its body: the number of the line at which the next request begins. */
    next_line?: number;
};
export type ImportError = {
    /** @description Number of the line, from 1. A header counts as a line. */
    line: number;
    /** @example VALIDATION_ERROR */
    code: string;
    message: string;
    field: string | null;
};
/** @description CODE_CHANGED: a question about a code that a spreadsheet may have changed, such as 123 where the product has 00123. Its line fails without accept_changed_codes. QUANTITY_BELOW_ZERO, QUANTITY_IGNORED: a quantity of an imported line that did not count as it was sent. */
export type ImportRemark = ImportError & {
    /** @enum {string} */
    code?: "CODE_CHANGED" | "QUANTITY_BELOW_ZERO" | "QUANTITY_IGNORED";
    /** @example external_id */
    field?: string;
};
export type ImportProgress = {
    /** @description The last line that was processed. */
    line: number;
    imported: number;
    updated: number;
    unchanged: number;
    failed: number;
    /** @description The errors since the previous line. */
    errors: ImportError[];
    /** @description The remarks since the previous line; left out if there are none. */
    remarks?: ImportRemark[];
    /** @description Whether the whole body has been processed. */
    done: boolean;
    /** @description Present if the request ended before its body: the number of the line at which the next request begins. */
    next_line?: number;
};
export type ProductLine = {
    /**
     * Format: uuid
     * @description The id of an existing product. Otherwise external_id identifies it.
     */
    id?: string;
    name?: string;
    /**
     * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
     * @example brass-lantern
     */
    slug?: string;
    /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
    description?: string;
    /**
     * @description The description as HTML, which is reduced to allowed elements. If both are sent, the one that differs from the product counts, and of two this one. null removes it.
     * @example <p>Throws a <strong>star of light</strong> on every wall.</p>
     */
    description_html?: string | null;
    /** @description It must not have more decimals than the currency. */
    price?: number;
    /**
     * Format: uuid
     * @description Null removes the category.
     */
    category_id?: string | null;
    /** @description Your id of the product. Unique per marketplace and supplier. */
    external_id?: string;
    /** @description For digital products only: whether they have a stock of licence keys. */
    track_inventory?: boolean;
    images?: {
        /**
         * Format: uuid
         * @description A public image of the media library, instead of url.
         */
        asset_id?: string;
        /**
         * Format: iri
         * @description Required without an asset_id.
         */
        url?: string;
        /** @description Default: the asset's alternative text; empty for an image with a url. */
        alt?: string;
    }[];
    attributes?: {
        name: string;
        /** @description A text for every type, such as "12.5", "true" or one of the options. That of brand has at most 1000 bytes. */
        value: string;
        /**
         * @description The type of an attribute that the category does not define. Default: text.
         * @enum {string}
         */
        type?: "text" | "number" | "boolean" | "select";
        searchable?: boolean;
    }[];
    /** @description For physical products only. */
    physical?: {
        weight_grams?: number | null;
        length_mm?: number | null;
        width_mm?: number | null;
        height_mm?: number | null;
        /** @description Keys of the marketplace's delivery methods; null for all. */
        delivery?: string[] | null;
    } | null;
    /** Format: uuid */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description For admins.
     */
    supplier_id?: string;
    /** @enum {string} */
    kind?: "physical" | "digital" | "service";
    /**
     * @description out_of_stock counts as active, because the stock decides.
     * @enum {string}
     */
    status?: "draft" | "active" | "inactive" | "out_of_stock";
    currency?: string;
    /** @description Pieces in stock, for products without variants. Below 0 counts as 0, and digital goods ignore it, with a remark. */
    quantity?: number;
    variants?: {
        name: string;
        sku?: string | null;
        /** @description It must not have more decimals than the currency. */
        price?: number | null;
        quantity?: number | null;
    }[];
};
export type ProductInventory = {
    /** Format: uuid */
    product_id: string;
    /** @description Pieces in stock. */
    quantity: number;
    /** @description Pieces reserved by orders. */
    reserved: number;
    /** @description Pieces that can be sold: quantity minus reserved. */
    available: number;
    /** @description The stock of the product, then the stock of each variant. */
    stock: {
        /** Format: uuid */
        variant_id: string | null;
        variant_name: string | null;
        sku: string | null;
        /** @description Pieces in stock. */
        quantity: number;
        /** @description Pieces reserved by orders. */
        reserved: number;
        /** @description Pieces that can be sold: quantity minus reserved. */
        available: number;
        /** @description The stock is low at or below this number of available pieces. 0 switches the warning off. */
        low_stock_threshold: number;
        low_stock: boolean;
        updated_at: string;
    }[];
    /** @description The reservations of orders, at most the oldest 1000. */
    reservations: {
        /** Format: uuid */
        order_id: string;
        /** Format: uuid */
        variant_id: string | null;
        quantity: number;
        since: string;
    }[];
};
export type ChangedInventory = {
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    /** @description Pieces in stock. */
    quantity: number;
    /** @description Pieces reserved by orders. */
    reserved: number;
    /** @description Pieces that can be sold: quantity minus reserved. */
    available: number;
    /** @description The stock is low at or below this number of available pieces. 0 switches the warning off. */
    low_stock_threshold: number;
};
/**
 * @example {
 *       "quantity": 5,
 *       "operation": "add"
 *     }
 */
export type InventoryChange = {
    /** @description Required unless only the low_stock_threshold changes. */
    quantity?: number;
    /**
     * @description What to do with the quantity. Required with a quantity.
     * @enum {string}
     */
    operation?: "set" | "add" | "subtract";
    /**
     * Format: uuid
     * @description Required if the product has variants.
     */
    variant_id?: string;
    /** @description A note for the ledger. */
    note?: string;
    /** @description 0 switches it off. */
    low_stock_threshold?: number;
} & ({
    quantity: unknown;
    operation: unknown;
} | {
    low_stock_threshold: unknown;
});
export type ProductFileList = {
    files: ProductFile[];
    total: number;
    page: number;
    limit: number;
};
export type ProductFile = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    product_id: string;
    name: string;
    /** @description For an asset, a signed address that is valid for an hour; null if its file is missing. */
    url: string | null;
    /** Format: uuid */
    asset_id: string | null;
    size_bytes: number | null;
    sha256: string | null;
    created_at: string;
};
export type NewProductFile = {
    /** @example handbook.pdf */
    name: string;
    /**
     * Format: iri
     * @description Must be https. Buyers get it unchanged.
     * @example https://files.example.com/handbook.pdf
     */
    url?: string;
    /**
     * Format: uuid
     * @description Instead of url: a private asset of the media library. Buyers get signed addresses that expire.
     */
    asset_id?: string;
    size_bytes?: number;
    sha256?: string;
};
export type LicenceKeyList = {
    licence_keys: LicenceKey[];
    counts: LicenceKeyCounts;
    total: number;
    page: number;
    limit: number;
};
export type LicenceKey = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    /**
     * @description Masked except for the last four characters.
     * @example ••••7F2Q
     */
    code: string;
    status: LicenceKeyStatus;
    /** Format: uuid */
    order_id: string | null;
    /** Format: uuid */
    item_id: string | null;
    handed_out_at: string | null;
    revoked_at: string | null;
    created_at: string;
};
/** @enum {string} */
export type LicenceKeyStatus = "available" | "handed_out" | "revoked";
/** @description Counts for the whole product. Keys that unpaid orders have reserved count as available. */
export type LicenceKeyCounts = {
    available: number;
    handed_out: number;
    revoked: number;
};
export type AddedLicenceKeys = {
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    added: number;
    /** @description The positions, from 0, of codes that the product already had. They were skipped. */
    duplicates: number[];
    counts: LicenceKeyCounts;
};
export type NewLicenceKeys = {
    /**
     * Format: uuid
     * @description Required if the product has variants.
     */
    variant_id?: string;
    codes: string[];
};
export type ServiceCalendar = {
    /** Format: uuid */
    product_id: string;
    time_zone: string;
    duration_minutes: number;
    capacity: number;
    lead_minutes: number;
    cancellation_minutes: number;
    /**
     * @description The place of the service, with any fields.
     * @example {
     *       "street": "1 Market Street",
     *       "city": "Fez"
     *     }
     */
    location: {
        [key: string]: unknown;
    } | null;
    hours: OpeningHours[];
    exceptions: CalendarException[];
    created_at: string;
    updated_at: string;
};
export type OpeningHours = {
    /** @description 1 is Monday. */
    weekday: number;
    /** @example 09:00 */
    opens: string;
    /** @example 17:00 */
    closes: string;
};
export type CalendarException = {
    /**
     * Format: date
     * @example 2026-12-24
     */
    date: string;
    /** @description The hours of this day instead of the weekday's. An empty list closes the day. */
    hours: {
        /** @example 09:00 */
        opens: string;
        /** @example 17:00 */
        closes: string;
    }[];
};
export type NewServiceCalendar = {
    /** @example Africa/Casablanca */
    time_zone: string;
    /** @description Length of a slot in minutes. */
    duration_minutes: number;
    /**
     * @description Number of bookings per slot.
     * @default 1
     */
    capacity?: number;
    /**
     * @description Minimum time between a booking and the start of its slot, in minutes.
     * @default 0
     */
    lead_minutes?: number;
    /**
     * @description Customers can cancel a booking until this many minutes before the start of its slot.
     * @default 0
     */
    cancellation_minutes?: number;
    /**
     * @description The place of the service, with any fields.
     * @default null
     * @example {
     *       "street": "1 Market Street",
     *       "city": "Fez"
     *     }
     */
    location?: {
        [key: string]: unknown;
    } | null;
    /** @default [] */
    hours?: OpeningHours[];
    /** @default [] */
    exceptions?: CalendarException[];
};
export type ServiceSlotList = {
    /** Format: uuid */
    product_id: string;
    /** @description The time zone of the opening hours. */
    time_zone: string;
    /**
     * Format: date
     * @example 2026-12-24
     */
    from: string;
    /**
     * Format: date
     * @example 2026-12-24
     */
    to: string;
    slots: ServiceSlot[];
    total: number;
    page: number;
    limit: number;
};
export type ServiceSlot = {
    starts_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    starts_at_local: string;
    ends_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    ends_at_local: string;
    /** @description Number of free places. */
    available: number;
};
export type TopSales = {
    products: BestSeller[];
};
export type BestSeller = ListedProduct & {
    /** @description Pieces in orders of these days, minus returned ones; 0 for a product that is listed only because it is promoted. */
    sales_count: number;
};
export type ProductList = {
    products: ListedProduct[];
    total: number;
    page: number;
    limit: number;
    /** @description Computed from the whole result, not only the page. */
    filters: {
        categories: {
            /** Format: uuid */
            id: string;
            name: string;
            count: number;
        }[];
        /**
         * @description The lowest and the highest price; null if there are no products, or several currencies.
         * @example [
         *       5,
         *       120
         *     ]
         */
        price_range: [
            number,
            number
        ] | null;
        brands: {
            name: string;
            count: number;
        }[];
        /** @description One entry for each of `facets`, in that order; missing without `facets`. Each is counted as if none of its own values were selected. */
        attributes?: {
            name: string;
            /** @description At most 100, most frequent first. */
            values: {
                value: string;
                count: number;
            }[];
        }[];
    };
};
export type Product = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    marketplace_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    /** @enum {string} */
    kind: "physical" | "digital" | "service";
    name: string;
    /**
     * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
     * @example brass-lantern
     */
    slug: string;
    /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
    description: string;
    /**
     * @description The description as HTML of allowed elements, safe to show; left out for plain text.
     * @example <p>Throws a <strong>star of light</strong> on every wall.</p>
     */
    description_html?: string;
    /** @description It must not have more decimals than the currency. */
    price: number;
    /** Format: uuid */
    category_id: string | null;
    /** @description The seller's own id of the product. */
    external_id: string | null;
    /** @description For digital products only: whether they have a stock of licence keys. */
    track_inventory: boolean;
    images: ProductImage[];
    attributes: ProductAttribute[];
    physical: PhysicalDetails;
    /**
     * Format: uuid
     * @description The template of type product that renders its page; null for the default.
     */
    template_id: string | null;
    currency: string;
    /** @description The value of the attribute brand. */
    brand: string | null;
    variants: ProductVariant[];
    inventory: Inventory & unknown;
    status: ProductStatus;
    created_at: string;
    updated_at: string;
};
export type NewProduct = {
    name: string;
    /**
     * @description The readable address, unique per marketplace. If absent, it is made from the name, with a number if it is taken. A new name does not change it; a former slug leads to the product.
     * @example brass-lantern
     */
    slug?: string | null;
    /**
     * @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description.
     * @default
     */
    description?: string;
    /**
     * @description The description as HTML, which is reduced to allowed elements. If both are sent, the one that differs from the product counts, and of two this one. null removes it.
     * @example <p>Throws a <strong>star of light</strong> on every wall.</p>
     */
    description_html?: string | null;
    /** @description It must not have more decimals than the currency. */
    price: number;
    /** Format: uuid */
    category_id?: string | null;
    /** @description The seller's own id of the product. */
    external_id?: string | null;
    /** @description For digital products only: whether they have a stock of licence keys. */
    track_inventory?: boolean;
    /** @default [] */
    images?: {
        /**
         * Format: uuid
         * @description A public image of the media library, instead of url.
         */
        asset_id?: string;
        /**
         * Format: iri
         * @description Required without an asset_id.
         */
        url?: string;
        /** @description Default: the asset's alternative text; empty for an image with a url. */
        alt?: string;
    }[];
    /** @default [] */
    attributes?: {
        name: string;
        /** @description A text for every type, such as "12.5", "true" or one of the options. That of brand has at most 1000 bytes. */
        value: string;
        /**
         * @description The type of an attribute that the category does not define. Default: text.
         * @enum {string}
         */
        type?: "text" | "number" | "boolean" | "select";
        searchable?: boolean;
    }[];
    /** @description For physical products only. */
    physical?: {
        weight_grams?: number | null;
        length_mm?: number | null;
        width_mm?: number | null;
        height_mm?: number | null;
        /** @description Keys of the marketplace's delivery methods; null for all. */
        delivery?: string[] | null;
    } | null;
    /**
     * Format: uuid
     * @description The template of type product that renders its page; null for the default.
     */
    template_id?: string | null;
    /**
     * @description The marketplace's, and so not needed.
     * @example EUR
     */
    currency?: string;
    /**
     * Format: uuid
     * @description Optional if the tenant has one marketplace.
     */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description For admins only; suppliers list their own products.
     */
    supplier_id?: string;
    /**
     * @default physical
     * @enum {string}
     */
    kind?: "physical" | "digital" | "service";
    /**
     * @default active
     * @enum {string}
     */
    status?: "draft" | "active";
    /** @default [] */
    variants?: {
        name: string;
        sku?: string | null;
        /** @description Only if it differs from the product's price. */
        price?: number | null;
        /** @description In place of price: the variant keeps this price when the product's changes. null: it has the product's price. */
        own_price?: number | null;
        inventory?: {
            /** @default 0 */
            quantity?: number;
        };
    }[];
    /**
     * @default {
     *       "quantity": 0
     *     }
     */
    inventory?: {
        /** @default 0 */
        quantity?: number;
    };
};
export type ProductFound = Product & {
    /** @description The current slug, if the request named a former one; else absent. */
    moved_to?: string;
};
export type ProductChanges = {
    name?: string;
    /**
     * @description null: it is made anew from the name.
     * @example brass-lantern
     */
    slug?: string | null;
    /** @description Plain text of at most 50000 characters. HTML is accepted too: it is reduced to allowed elements and returned as description_html, and its text becomes the description. */
    description?: string;
    /**
     * @description The description as HTML, which is reduced to allowed elements. If both are sent, the one that differs from the product counts, and of two this one. null removes it.
     * @example <p>Throws a <strong>star of light</strong> on every wall.</p>
     */
    description_html?: string | null;
    /** @description It must not have more decimals than the currency. */
    price?: number;
    /** Format: uuid */
    category_id?: string | null;
    /** @description The seller's own id of the product. */
    external_id?: string | null;
    /** @description For digital products only: whether they have a stock of licence keys. */
    track_inventory?: boolean;
    images?: {
        /**
         * Format: uuid
         * @description A public image of the media library, instead of url.
         */
        asset_id?: string;
        /**
         * Format: iri
         * @description Required without an asset_id.
         */
        url?: string;
        /** @description Default: the asset's alternative text; empty for an image with a url. */
        alt?: string;
    }[];
    attributes?: {
        name: string;
        /** @description A text for every type, such as "12.5", "true" or one of the options. That of brand has at most 1000 bytes. */
        value: string;
        /**
         * @description The type of an attribute that the category does not define. Default: text.
         * @enum {string}
         */
        type?: "text" | "number" | "boolean" | "select";
        searchable?: boolean;
    }[];
    /** @description For physical products only. */
    physical?: {
        weight_grams?: number | null;
        length_mm?: number | null;
        width_mm?: number | null;
        height_mm?: number | null;
        /** @description Keys of the marketplace's delivery methods; null for all. */
        delivery?: string[] | null;
    } | null;
    /**
     * Format: uuid
     * @description The template of type product that renders its page; null for the default.
     */
    template_id?: string | null;
    status?: ProductStatus;
    /** @description The whole list. An entry with an id changes that variant, an entry without one is a new variant, and missing variants are removed. */
    variants?: {
        name?: string;
        sku?: string | null;
        /** @description Only if it differs from the product's price. */
        price?: number | null;
        /** @description In place of price: the variant keeps this price when the product's changes. null: it has the product's price. */
        own_price?: number | null;
        inventory?: {
            /** @default 0 */
            quantity?: number;
        };
        /** Format: uuid */
        id?: string;
    }[];
    /**
     * Format: uuid
     * @description Cannot change; may be sent back.
     */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description Cannot change; may be sent back.
     */
    supplier_id?: string | null;
    /**
     * @description Cannot change; may be sent back.
     * @example EUR
     */
    currency?: string;
    /**
     * @description Cannot change; may be sent back.
     * @enum {string}
     */
    kind?: "physical" | "digital" | "service";
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
export type MediaFolderTree = {
    folders: MediaFolderInTree[];
};
/** @description A folder with its subfolders. */
export type MediaFolderInTree = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    parent_id: string | null;
    name: string;
    created_at: string;
    children: MediaFolderInTree[];
};
export type MediaFolder = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    parent_id: string | null;
    name: string;
    created_at: string;
};
export type NewMediaFolder = {
    name: string;
    /** Format: uuid */
    parent_id?: string | null;
};
export type MediaFolderChanges = {
    name?: string;
    /** Format: uuid */
    parent_id?: string | null;
};
export type MediaList = {
    media: MediaAsset[];
    total: number;
    page: number;
    limit: number;
};
export type MediaAsset = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    uploaded_by: string | null;
    /**
     * Format: uuid
     * @description The supplier that owns it; null for the operator's own.
     */
    supplier_id: string | null;
    filename: string;
    type: MediaType;
    content_type: string;
    size: number;
    dimensions: ImageDimensions;
    alt_text: string;
    alt_texts: {
        [key: string]: string;
    };
    /** @description The point that cropping keeps visible: from 0 (left, top) to 1 (right, bottom). */
    focal_point: {
        x: number;
        y: number;
    } | null;
    tags: string[];
    /** Format: uuid */
    folder_id: string | null;
    private: boolean;
    status: MediaStatus;
    /** @description Null until the asset is ready. For a private asset, a signed address that is valid for an hour. */
    url: string | null;
    /** @description Smaller versions of an image. For a private image, only GET of one asset has them. */
    variants: MediaVariant[];
    /** @description The variants in the format of HTML's `srcset`; null without variants. */
    srcset: string | null;
    /** @description The records that use it, at most 100. Empty for callers who may not change the asset. */
    used_by: MediaUse[];
    upload_date: string;
    updated_at: string;
};
/** @enum {string} */
export type MediaType = "image" | "video" | "document" | "model_3d";
/** @description Dimensions of an image as browsers show it; null for other types. */
export type ImageDimensions = {
    width: number;
    height: number;
} | null;
/** @enum {string} */
export type MediaStatus = "uploading" | "ready";
export type MediaVariant = {
    width: number;
    height: number;
    /**
     * @description Clients that do not accept WebP get the original's format.
     * @enum {string}
     */
    format: "webp";
    url: string;
};
export type MediaUse = {
    type: string;
    /** Format: uuid */
    id: string;
};
export type AnnouncedMedia = MediaAsset & {
    upload: MediaUpload;
};
/** @description The address for the bytes, which works once. */
export type MediaUpload = {
    url: string;
    /** @enum {string} */
    method: "PUT";
    headers: {
        [key: string]: string;
    };
    expires_at: string;
    /** @description The same upload by TUS, in parts of 6 MB: for large files. */
    resumable: {
        url: string;
        headers: {
            [key: string]: string;
        };
        /** @description The content of Upload-Metadata, before base64. */
        metadata: {
            [key: string]: string;
        };
    };
};
export type NewMedia = {
    /** @example pot.jpg */
    filename: string;
    /**
     * @description Size in bytes. It counts against the quota from now on.
     * @example 48213
     */
    size: number;
    /**
     * @description Images: jpeg, png, apng, webp, avif, gif. Videos: mp4, x-m4v, 3gpp, 3gpp2, webm. Documents: pdf, plain text, csv, docx, xlsx. 3D models: glb, gltf, usdz.
     * @example image/jpeg
     */
    content_type: string;
    /**
     * @description Empty for a decorative image.
     * @default
     */
    alt_text?: string;
    /** @default [] */
    tags?: string[];
    /** Format: uuid */
    folder_id?: string | null;
    /**
     * @description Only admins, content roles and the uploader can read it. It cannot be changed.
     * @default false
     */
    private?: boolean;
};
export type MediaChanges = {
    /** @description Empty for a decorative image. */
    alt_text?: string;
    /**
     * @description By language.
     * @example {
     *       "fr": "La cafetière, de côté"
     *     }
     */
    alt_texts?: {
        [key: string]: string;
    };
    /** @description The point that cropping keeps visible: from 0 (left, top) to 1 (right, bottom). */
    focal_point?: {
        x: number;
        y: number;
    } | null;
    tags?: string[];
    /** Format: uuid */
    folder_id?: string | null;
};
export type ReplacedMedia = {
    /** @example pot.jpg */
    filename: string;
    /**
     * @description Size in bytes. It counts against the quota from now on.
     * @example 48213
     */
    size: number;
    /**
     * @description Images: jpeg, png, apng, webp, avif, gif. Videos: mp4, x-m4v, 3gpp, 3gpp2, webm. Documents: pdf, plain text, csv, docx, xlsx. 3D models: glb, gltf, usdz.
     * @example image/jpeg
     */
    content_type: string;
};
export type ContentTypeList = {
    content_types: ContentType[];
};
export type ContentType = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    key: string;
    name: string;
    fields: TemplateField[];
    workflow: WorkflowStep[];
    /** @description True for products, categories and static_pages. */
    built_in: boolean;
    created_at: string;
    updated_at: string;
};
export type TemplateField = {
    /** @example minutes */
    name: string;
    /**
     * @example number
     * @enum {string}
     */
    type: "string" | "number" | "boolean" | "array" | "object" | "image" | "color" | "date";
    /** @description Whether content needs it before submit, approve and publish. */
    required?: boolean;
    /** @description number: min, max, options. string: min_length, max_length, options. Other types have none. */
    validation?: {
        min?: number;
        max?: number;
        min_length?: number;
        max_length?: number;
        options?: (string | number)[];
    } | null;
    default_value?: unknown;
};
export type WorkflowStep = {
    /** @example legal */
    id: string;
    /** @example Legal department */
    name: string;
    /**
     * @example reviewer
     * @enum {string}
     */
    assignee_role: "editor" | "reviewer" | "publisher" | "admin";
    /**
     * @description The moves that only this role makes.
     * @example [
     *       "approve",
     *       "reject"
     *     ]
     */
    required_actions: string[];
    /** @description For a step with approve or publish as its one action: the move is made automatically. */
    auto_transition?: boolean;
};
export type NewContentType = {
    /** @example recipes */
    key: string;
    /** @example Recipes */
    name: string;
    /** @default [] */
    fields?: TemplateField[];
};
export type ContentTypeChanges = {
    /** @example Recipes */
    name?: string;
    fields?: TemplateField[];
};
/** @description A move that no step names has the role in docs/content.md. */
export type ContentWorkflow = {
    steps: WorkflowStep[];
};
export type ContentList = {
    content: Content[];
    total: number;
    page: number;
    limit: number;
};
export type Content = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** @example static_pages */
    type: string;
    /** Format: uuid */
    marketplace_id: string;
    /** @example about-us */
    slug: string;
    /** Format: uuid */
    subject_id: string | null;
    status: ContentStatus;
    /** @description In the requested language. Editors who request none get all languages. */
    title: string | LocalizedString | null;
    /** @description A rich text, or with `format=html` its HTML. */
    content: RichText | string | null;
    blocks: ContentBlock[];
    fields: {
        [key: string]: unknown;
    };
    layout: string | null;
    seo: SEOData;
    /**
     * @description public: everybody. members: everybody with an account. roles: the roles in visible_to.
     * @enum {string}
     */
    visibility: "public" | "members" | "roles";
    visible_to: Role[];
    /** @description For editors who request no language. */
    localizations?: {
        [key: string]: {
            content?: RichText | null;
            seo?: SEOData & (Record<string, never> | null);
            fields?: {
                [key: string]: unknown;
            } | null;
            blocks?: {
                id: string;
                content: {
                    [key: string]: unknown;
                };
            }[] | null;
        };
    };
    version_number: number;
    published_version_number: number | null;
    has_unpublished_changes: boolean;
    scheduled_at: string | null;
    scheduled_version_number: number | null;
    unpublish_at: string | null;
    /** @description The requested language, or the original's. */
    language: string;
    /** @description The first language that supplied a field. Null if no language was requested. */
    served_language: string | null;
    /** @description The translations. */
    languages: ContentLanguage[];
    /** Format: uuid */
    author_id: string | null;
    /** @description Whether this is the draft and not the published version. */
    is_draft: boolean;
    /** @description The current slug, if the request named a former one. */
    moved_to: string | null;
    /** @description The media assets that the content names, by id. */
    assets: {
        [key: string]: {
            url: string;
            type: string;
            alt: string;
            width: number | null;
            height: number | null;
            srcset: string | null;
            focal_point: {
                x: number;
                y: number;
            } | null;
        };
    };
    published_at: string | null;
    created_at: string;
    updated_at: string;
};
/**
 * @description By language. The marketplace's language is required.
 * @example {
 *       "en": "About us",
 *       "de": "Über uns"
 *     }
 */
export type LocalizedString = {
    [key: string]: string;
};
/**
 * @description A ProseMirror document, as TipTap's editor produces it.
 * @example {
 *       "type": "doc",
 *       "content": [
 *         {
 *           "type": "paragraph",
 *           "content": [
 *             {
 *               "type": "text",
 *               "text": "Open from ten to six."
 *             }
 *           ]
 *         }
 *       ]
 *     }
 */
export type RichText = {
    /** @enum {string} */
    type: "doc";
    content?: {
        [key: string]: unknown;
    }[];
};
export type ContentBlock = {
    id: string;
    type: ContentBlockType;
    /**
     * @description Null if it is not translated and `fallback=false`.
     * @example {
     *       "title": "Summer sale",
     *       "text": "Until August",
     *       "href": "/sale"
     *     }
     */
    content: {
        [key: string]: unknown;
    } | null;
    /**
     * @description Free for the shop: how the block is shown.
     * @example {
     *       "tone": "warm"
     *     }
     */
    settings: {
        [key: string]: unknown;
    };
    /** @description The roles that see the block. Absent: everybody. */
    permissions: {
        /**
         * @example [
         *       "customer"
         *     ]
         */
        roles?: Role[] | null;
    };
    /** @description In a product_grid with `resolve=true`: the products, as product lists return them. */
    products?: {
        [key: string]: unknown;
    }[];
};
/** @enum {string} */
export type ContentBlockType = "text" | "image" | "video" | "gallery" | "product_grid" | "banner" | "testimonials";
export type SEOData = {
    title?: string;
    description?: string;
    keywords?: string[];
    canonical_url?: string;
    og_tags?: {
        [key: string]: string;
    };
    /** @description JSON-LD. */
    schema_markup?: {
        [key: string]: unknown;
    };
};
export type ContentLanguage = {
    language: string;
    status: TranslationStatus;
    published_version_number: number | null;
    /** @description Whether the original has changed since. */
    outdated: boolean;
};
/** @enum {string} */
export type TranslationStatus = "draft" | "in_progress" | "review" | "approved" | "published";
export type NewContent = {
    /**
     * @description The address of the content. If absent, it is made from the title.
     * @example about-us
     */
    slug?: string;
    title: LocalizedString;
    content?: RichText | null;
    blocks?: NewContentBlock[];
    /** @description As the content type defines them. */
    fields?: {
        [key: string]: unknown;
    };
    layout?: string | null;
    seo?: SEOData;
    /**
     * @description public: everybody. members: everybody with an account. roles: the roles in visible_to.
     * @enum {string}
     */
    visibility?: "public" | "members" | "roles";
    visible_to?: Role[];
    /** @description By language. Absent texts follow the original. */
    localizations?: {
        [key: string]: {
            content?: RichText | null;
            seo?: SEOData & (Record<string, never> | null);
            fields?: {
                [key: string]: unknown;
            } | null;
            blocks?: {
                id: string;
                content: {
                    [key: string]: unknown;
                };
            }[] | null;
        };
    };
    /**
     * Format: uuid
     * @description Optional if the tenant has one marketplace, and for products.
     */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description For the types products and categories: the id of the described record.
     */
    subject_id?: string;
    /** @example Opening hours of the new year */
    comment?: string;
};
export type NewContentBlock = {
    /**
     * @description Generated if absent.
     * @example hero
     */
    id?: string;
    type: ContentBlockType & unknown;
    /**
     * @description By type: text `{text: RichText}`; image, video `{asset_id, alt, title}`; gallery `{images: [{asset_id, alt}]}`; product_grid `{product_ids}` or `{query}`, as the list of products takes it; banner `{title, text, href, asset_id}`; testimonials `{items: [{author, text}]}`.
     * @example {
     *       "title": "Summer sale",
     *       "text": "Until August",
     *       "href": "/sale"
     *     }
     */
    content: {
        [key: string]: unknown;
    };
    /**
     * @description Free for the shop: how the block is shown.
     * @example {
     *       "tone": "warm"
     *     }
     */
    settings?: {
        [key: string]: unknown;
    };
    /** @description The roles that see the block. Absent: everybody. */
    permissions?: {
        /**
         * @example [
         *       "customer"
         *     ]
         */
        roles?: Role[] | null;
    };
};
export type SavedContent = Content & {
    /** @description Whether the save was merged with a newer version. */
    merged: boolean;
};
export type ContentChanges = {
    /**
     * @description The address of the content. If absent, it is made from the title.
     * @example about-us
     */
    slug?: string;
    title?: LocalizedString;
    content?: RichText | null;
    blocks?: NewContentBlock[];
    /** @description As the content type defines them. */
    fields?: {
        [key: string]: unknown;
    };
    layout?: string | null;
    seo?: SEOData;
    /**
     * @description public: everybody. members: everybody with an account. roles: the roles in visible_to.
     * @enum {string}
     */
    visibility?: "public" | "members" | "roles";
    visible_to?: Role[];
    /** @description By language. Absent texts follow the original. */
    localizations?: {
        [key: string]: {
            content?: RichText | null;
            seo?: SEOData & (Record<string, never> | null);
            fields?: {
                [key: string]: unknown;
            } | null;
            blocks?: {
                id: string;
                content: {
                    [key: string]: unknown;
                };
            }[] | null;
        };
    };
    /** @description The version that the changes began from. If-Match can state it instead. */
    version_number?: number;
    /** @example Opening hours of the new year */
    comment?: string;
    /**
     * @description The save replaces the caller's last autosave of the last 10 minutes.
     * @default false
     */
    autosave?: boolean;
};
export type ContentMove = {
    /** @example Opening hours of the new year */
    comment?: string;
};
export type ContentPublication = ContentMove & {
    /**
     * Format: date-time
     * @description Absent: now. A later save does not change the version that is published.
     */
    at?: string;
    /**
     * Format: date-time
     * @description The end of the publication.
     */
    until?: string;
    /**
     * @description Only these languages. Absent: the original.
     * @example [
     *       "de"
     *     ]
     */
    languages?: string[];
};
export type ContentWithdrawal = ContentMove & {
    /**
     * @description Only these languages. Absent: the original.
     * @example [
     *       "de"
     *     ]
     */
    languages?: string[];
};
export type ContentMoveList = {
    moves: ContentMoveRecord[];
    total: number;
    page: number;
    limit: number;
};
export type ContentMoveRecord = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    content_id: string;
    /**
     * @description submit, approve, reject, publish, unpublish, archive, restore; also edit, schedule, schedule_failed, delete.
     * @example approve
     */
    move: string;
    from_status: ContentStatus;
    to_status: ContentStatus;
    version_number: number;
    /**
     * Format: uuid
     * @description Null for scheduled moves and automatic steps.
     */
    actor_id: string | null;
    comment: string | null;
    created_at: string;
};
export type ContentVersionList = {
    versions: ContentVersion[];
    total: number;
    page: number;
    limit: number;
};
export type ContentVersion = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    content_id: string;
    version_number: number;
    /** @description A merge has two. */
    parents: number[];
    branch: string;
    /**
     * @description The paths that differ from the first parent, at most 1,000.
     * @example [
     *       "title.en",
     *       "blocks.hero"
     *     ]
     */
    changes: string[];
    /** Format: uuid */
    author_id: string | null;
    timestamp: string;
    comment: string | null;
    autosave: boolean;
    bytes: number;
};
export type ContentVersionWithDocument = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    content_id: string;
    version_number: number;
    /** @description A merge has two. */
    parents: number[];
    branch: string;
    /**
     * @description The paths that differ from the first parent, at most 1,000.
     * @example [
     *       "title.en",
     *       "blocks.hero"
     *     ]
     */
    changes: string[];
    /** Format: uuid */
    author_id: string | null;
    timestamp: string;
    comment: string | null;
    autosave: boolean;
    bytes: number;
    document: {
        [key: string]: unknown;
    };
};
export type ContentComparison = {
    changes: ContentChange[];
};
/** @description from and to are null if there is no value at the path. */
export type ContentChange = {
    path: string;
    from?: unknown;
    to?: unknown;
};
export type RolledBackContent = Content & {
    /** @description The paths that name assets or products that were removed since. */
    missing: string[];
};
export type ContentRollback = {
    version_number: number;
    /** @example Opening hours of the new year */
    comment?: string;
};
export type ContentBranchList = {
    branches: ContentBranch[];
};
export type ContentBranch = {
    name: string;
    version_number: number;
    created_at: string;
};
export type NewContentBranch = {
    /** @example christmas */
    name: string;
    /** @description Absent: the head of main. */
    from_version?: number;
};
export type ContentMerge = {
    /** @example christmas */
    from: string;
    /**
     * @default main
     * @example christmas
     */
    into?: string;
    /**
     * @description The resolution of conflicts: the value of `into` (ours), of `from` (theirs), or another value.
     * @default []
     * @example [
     *       {
     *         "path": "seo.title",
     *         "take": "ours"
     *       }
     *     ]
     */
    resolutions?: ({
        path: string;
        /** @enum {string} */
        take: "ours" | "theirs";
    } | {
        path: string;
        value?: unknown;
    })[];
    /** @example Opening hours of the new year */
    comment?: string;
};
export type LocalizedContent = {
    /** Format: uuid */
    content_id: string;
    language: string;
    status: TranslationStatus;
    /** Format: uuid */
    translator_id: string | null;
    last_updated: string;
    published_version_number: number | null;
    outdated: boolean;
    /** @description The version of the content, for the next save. */
    version_number: number;
    title: string | null;
    content: RichText | null;
    seo: SEOData;
    fields: {
        [key: string]: unknown;
    };
    blocks: {
        id: string;
        content: {
            [key: string]: unknown;
        };
    }[];
};
/** @description null removes a text. */
export type LocalizedContentChanges = {
    /** @description The version of the content that the changes began from. If-Match can state it instead. */
    version_number?: number;
    title?: string | null;
    content?: RichText | null;
    seo?: SEOData & (Record<string, never> | null);
    fields?: {
        [key: string]: unknown;
    } | null;
    blocks?: {
        id: string;
        content: {
            [key: string]: unknown;
        };
    }[] | null;
    /** @example Opening hours of the new year */
    comment?: string;
};
export type LocalizedContentMove = {
    status: TranslationStatus;
};
export type ContentPreview = {
    /** @description settings.content.preview_url with its placeholders filled in. Null without that setting. */
    url: string | null;
    token: string;
    expires_at: string;
};
export type NewContentPreview = {
    /** @default main */
    branch?: string;
    /** @example de */
    language?: string;
};
export type ComponentTemplateList = {
    components: ComponentTemplate[];
    total: number;
    page: number;
    limit: number;
};
export type ComponentTemplate = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    name: string;
    category: ComponentCategory;
    /**
     * @description HTML with Liquid, which can read the props only.
     * @example <h2>{{ title }}</h2>
     */
    content: string;
    props: TemplateVariable[];
    /**
     * @description CSS, which affects this component only.
     * @example .headline { color: teal }
     */
    styles: string;
    variants: {
        /** @example wide */
        name: string;
        /** @description Values of props, which replace the default values. */
        props?: {
            [key: string]: unknown;
        } | null;
        /** @example .headline { color: teal } */
        styles?: string | null;
        content?: string | null;
    }[];
    responsive: ResponsiveRule[];
    version_number: number;
    created_at: string;
    updated_at: string;
};
/**
 * @example ecommerce
 * @enum {string}
 */
export type ComponentCategory = "layout" | "navigation" | "form" | "content" | "ecommerce" | "media" | "feedback";
export type TemplateVariable = {
    /** @example headline */
    name: string;
    /**
     * @example string
     * @enum {string}
     */
    type: "string" | "number" | "boolean" | "array" | "object" | "image" | "color" | "date";
    /** @example Welcome */
    default_value?: unknown;
    required?: boolean;
    description?: string | null;
    validation?: {
        min?: number | string | null;
        max?: number | string | null;
        min_length?: number | null;
        max_length?: number | null;
        pattern?: string | null;
        options?: unknown[] | null;
    } | null;
};
export type ResponsiveRule = {
    /**
     * @description mobile: below 768 px; desktop: from 1280 px.
     * @example mobile
     * @enum {string}
     */
    breakpoint: "mobile" | "tablet" | "desktop";
    /**
     * @example {
     *       "text-align": "center"
     *     }
     */
    styles?: {
        [key: string]: string;
    } | null;
    visibility?: {
        show_on?: ("mobile" | "tablet" | "desktop")[] | null;
        hide_on?: ("mobile" | "tablet" | "desktop")[] | null;
    } | null;
};
export type NewComponentTemplate = {
    name: string;
    category: ComponentCategory;
    /**
     * @description HTML with Liquid, which can read the props only.
     * @example <h2>{{ title }}</h2>
     */
    content: string;
    props?: TemplateVariable[];
    /**
     * @description CSS, which affects this component only.
     * @example .headline { color: teal }
     */
    styles?: string;
    variants?: {
        /** @example wide */
        name: string;
        /** @description Values of props, which replace the default values. */
        props?: {
            [key: string]: unknown;
        } | null;
        /** @example .headline { color: teal } */
        styles?: string | null;
        content?: string | null;
    }[];
    responsive?: ResponsiveRule[];
};
export type ComponentTemplateChanges = {
    name?: string;
    category?: ComponentCategory;
    /**
     * @description HTML with Liquid, which can read the props only.
     * @example <h2>{{ title }}</h2>
     */
    content?: string;
    props?: TemplateVariable[];
    /**
     * @description CSS, which affects this component only.
     * @example .headline { color: teal }
     */
    styles?: string;
    variants?: {
        /** @example wide */
        name: string;
        /** @description Values of props, which replace the default values. */
        props?: {
            [key: string]: unknown;
        } | null;
        /** @example .headline { color: teal } */
        styles?: string | null;
        content?: string | null;
    }[];
    responsive?: ResponsiveRule[];
    /** @description The version that the change is based on. The header If-Match can name it instead. */
    version_number?: number;
};
export type PageTemplateList = {
    templates: PageTemplate[];
    total: number;
    page: number;
    limit: number;
};
export type PageTemplate = {
    /**
     * Format: uuid
     * @description Null: a built-in template.
     */
    id: string | null;
    /** Format: uuid */
    tenant_id: string | null;
    /**
     * Format: uuid
     * @description Null: for all marketplaces.
     */
    marketplace_id: string | null;
    name: string;
    type: PageType;
    is_default: boolean;
    content: TemplateContent;
    caching: TemplateCaching;
    /** @description The number of this version. */
    version: number;
    /** @description The number of the latest version, for the next save. */
    version_number: number;
    /** @description The number of the version that readers see. */
    active_version: number | null;
    created_at: string | null;
    updated_at: string | null;
};
/** @enum {string} */
export type PageType = "homepage" | "category" | "product" | "checkout" | "profile" | "search_results";
export type TemplateContent = {
    /**
     * @example default
     * @enum {string|null}
     */
    layout?: "default" | "full_width" | "sidebar_left" | "sidebar_right" | null;
    /** @description The ids of the sections in the sidebar. */
    sidebar?: string[] | null;
    sections?: TemplateSection[];
    variables?: TemplateVariable[];
    bindings?: DataBinding[];
    inheritance?: TemplateInheritance;
    /** @example .headline { color: teal } */
    styles?: string | null;
};
export type TemplateSection = {
    /**
     * @description Generated if left out.
     * @example top
     */
    id?: string;
    /** @example Top */
    name?: string;
    /**
     * @description The order of the sections; by default the order in which they are sent.
     * @example 1
     */
    order?: number;
    blocks?: TemplateBlock[];
    /** @description All must hold. */
    conditions?: RenderCondition[] | null;
    responsive?: ResponsiveRule[] | null;
};
/** @description `then` and `else` can hold blocks, at most 8 levels deep. */
export type TemplateBlock = {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "static_content";
    /**
     * @description HTML.
     * @example <p>Open from ten to six.</p>
     */
    content: string;
} | {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "dynamic_content";
    /**
     * @description HTML with Liquid.
     * @example <h1>{{ headline }}</h1>
     */
    content: string;
} | {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "component";
    content: {
        /** Format: uuid */
        component_id: string;
        /**
         * @description A text that is a single `{{ … }}` passes the value itself, not a text.
         * @example {
         *       "title": "{{ product.name }}"
         *     }
         */
        props?: {
            [key: string]: unknown;
        };
        variant?: string | null;
    };
} | {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "widget";
    /**
     * @description `widget` is a block type of content; the other fields are the `content` of such a block.
     * @example {
     *       "widget": "banner",
     *       "title": "Summer sale",
     *       "href": "/sale"
     *     }
     */
    content: {
        /** @enum {string} */
        widget: "text" | "image" | "video" | "gallery" | "product_grid" | "banner" | "testimonials";
    } & {
        [key: string]: unknown;
    };
} | {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "include";
    content: {
        /** Format: uuid */
        template_id: string;
    };
} | {
    /**
     * @description Generated if left out.
     * @example hero
     */
    id?: string;
    name?: string | null;
    /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
    required?: boolean;
    settings?: TemplateBlockSettings;
    /** @description The roles that see the block; by default all. */
    permissions?: {
        roles?: Role[] | null;
    };
    /** @enum {string} */
    type: "conditional";
    content: {
        expression: ConditionalExpression | LogicalCondition | ConditionalExpression[];
        then: TemplateBlock[];
        else?: TemplateBlock[];
    };
};
export type TemplateBlockSettings = {
    /**
     * @description The element around the block; div by default.
     * @enum {string|null}
     */
    element?: "div" | "section" | "article" | "aside" | "header" | "footer" | "nav" | "main" | null;
    class?: string | null;
    /** @description The aria-label of that element. */
    label?: string | null;
};
export type ConditionalExpression = {
    /** @example product.price */
    variable: string;
    /**
     * @example less_than
     * @enum {string}
     */
    operator: "equals" | "not_equals" | "greater_than" | "less_than" | "contains" | "exists";
    /** @example 20 */
    value?: unknown;
    /**
     * @description In a list: how it is joined to the expressions before it; AND by default.
     * @enum {string|null}
     */
    logic?: "AND" | "OR" | null;
};
export type LogicalCondition = {
    /** @enum {string} */
    operator: "AND" | "OR" | "NOT";
    conditions: (ConditionalExpression | LogicalCondition)[];
};
export type RenderCondition = {
    /** @example hero */
    id?: string | null;
    expression: ConditionalExpression | LogicalCondition | ConditionalExpression[];
    /** @enum {string} */
    action: "show" | "hide";
};
export type DataBinding = {
    /** @example newest */
    variable: string;
    source: DataSource;
    /**
     * @description A chain of filters.
     * @example map: 'name' | first
     */
    transformation?: string | null;
    /** @description How long the value may be kept, in seconds. */
    caching?: {
        duration?: number;
    } | null;
};
export type DataSource = {
    /**
     * @example api
     * @enum {string}
     */
    type: "api" | "database" | "static" | "computed";
    /**
     * @description For api: a path of this API. It is read with the rights of the reader of the page.
     * @example /api/products?sort=created_at&limit=4
     */
    endpoint?: string;
    /** @description For database: `table?select=…`, or `rpc/…`. */
    query?: string;
    /** @description For static. */
    value?: unknown;
    /** @description For computed: Liquid without braces. */
    formula?: string;
};
export type TemplateInheritance = {
    /** Format: uuid */
    parent_id: string;
    overrides?: TemplateOverride[];
    /** @description Additional sections. A section with the id of an inherited one replaces it. */
    extensions?: TemplateSection[];
} | null;
export type TemplateOverride = {
    /** @example hero */
    block_id: string;
    /**
     * @example append
     * @enum {string}
     */
    action: "replace" | "extend" | "prepend" | "append";
    /** @description replace: a block. prepend, append: a block or a list of blocks. extend: the fields of the block to change; content and settings are merged key by key. */
    content: {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "static_content";
        /**
         * @description HTML.
         * @example <p>Open from ten to six.</p>
         */
        content: string;
    } | {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "dynamic_content";
        /**
         * @description HTML with Liquid.
         * @example <h1>{{ headline }}</h1>
         */
        content: string;
    } | {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "component";
        content: {
            /** Format: uuid */
            component_id: string;
            /**
             * @description A text that is a single `{{ … }}` passes the value itself, not a text.
             * @example {
             *       "title": "{{ product.name }}"
             *     }
             */
            props?: {
                [key: string]: unknown;
            };
            variant?: string | null;
        };
    } | {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "widget";
        /**
         * @description `widget` is a block type of content; the other fields are the `content` of such a block.
         * @example {
         *       "widget": "banner",
         *       "title": "Summer sale",
         *       "href": "/sale"
         *     }
         */
        content: {
            /** @enum {string} */
            widget: "text" | "image" | "video" | "gallery" | "product_grid" | "banner" | "testimonials";
        } & {
            [key: string]: unknown;
        };
    } | {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "include";
        content: {
            /** Format: uuid */
            template_id: string;
        };
    } | {
        /**
         * @description Generated if left out.
         * @example hero
         */
        id?: string;
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type: "conditional";
        content: {
            expression: ConditionalExpression | LogicalCondition | ConditionalExpression[];
            then: TemplateBlock[];
            else?: TemplateBlock[];
        };
    } | TemplateBlock[] | {
        name?: string | null;
        /** @description If the block fails, the page fails. Otherwise the block is left out, with a warning. */
        required?: boolean;
        settings?: TemplateBlockSettings;
        /** @description The roles that see the block; by default all. */
        permissions?: {
            roles?: Role[] | null;
        };
        /** @enum {string} */
        type?: "static_content" | "dynamic_content" | "component" | "widget" | "include" | "conditional";
        content?: unknown;
    };
};
export type TemplateCaching = {
    /**
     * @example memory
     * @enum {string}
     */
    strategy: "memory" | "redis" | "filesystem" | "cdn";
    /**
     * @description Seconds.
     * @example 300
     */
    duration: number;
    /**
     * @description Stored only: a change shows at once in any case.
     * @example [
     *       "product.updated"
     *     ]
     */
    invalidation?: string[] | null;
    compression?: boolean | null;
} | null;
export type NewTemplate = {
    /** @example Summer */
    name: string;
    type: PageType & unknown;
    content: TemplateContent;
    /**
     * Format: uuid
     * @description Left out: for all marketplaces.
     */
    marketplace_id?: string | null;
    /** @description Once active, it renders all pages of its type, and replaces the default template before. */
    is_default?: boolean;
    caching?: TemplateCaching;
};
export type TemplateChanges = {
    /** @example Summer */
    name?: string;
    content?: TemplateContent;
    is_default?: boolean;
    caching?: TemplateCaching;
    type?: PageType & unknown;
    /**
     * Format: uuid
     * @description Cannot change; may be sent back unchanged.
     */
    marketplace_id?: string | null;
    /** @description The version that the change is based on. The header If-Match can name it instead. */
    version_number?: number;
};
export type RenderAnswer = {
    html: string;
    css: string;
    head: {
        title: string;
        meta: {
            name: string;
            content: string;
        }[];
        open_graph: {
            [key: string]: string;
        };
        json_ld: {
            [key: string]: unknown;
        }[];
        links: {
            rel: string;
            href: string;
            hreflang?: string;
        }[];
    };
    language: string;
    rtl: boolean;
    /** @description 0 for a built-in template. */
    version: number;
    cache: {
        hit: boolean;
        key: string;
        expires_at: string | null;
    };
    warnings: {
        code: string;
        message: string;
        section?: string;
        block?: string;
    }[];
};
export type RenderRequest = {
    /**
     * @default {}
     * @example {
     *       "headline": "Welcome"
     *     }
     */
    variables?: {
        [key: string]: unknown;
    };
    /** @default {} */
    context?: {
        /** @example de */
        language?: string;
        /** @enum {string} */
        device?: "mobile" | "tablet" | "desktop";
        /** Format: uuid */
        marketplace_id?: string;
        /** Format: uuid */
        product_id?: string;
        /** Format: uuid */
        category_id?: string;
        /** @description For members with a content role. */
        version?: number;
        /** @description The token of a preview. */
        preview?: string;
    };
};
export type TemplateVersionList = {
    versions: TemplateVersion[];
    total: number;
    page: number;
    limit: number;
};
export type TemplateVersion = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    template_id: string;
    version: number;
    /**
     * @description The paths that differ from the version before, at most 1,000.
     * @example [
     *       "sections.top.blocks.hero",
     *       "variables.headline"
     *     ]
     */
    changes: string[];
    /** Format: uuid */
    created_by: string | null;
    created_at: string;
    is_active: boolean;
};
export type LocalizedTemplateList = {
    localizations: LocalizedTemplate[];
};
export type LocalizedTemplate = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    base_template_id: string;
    language: string;
    translations: {
        /** @example cart.items */
        key: string;
        /** @example {{ count }} Artikel */
        value: string;
        context?: string | null;
        /**
         * @example {
         *       "one": "Ein Artikel",
         *       "other": "{{ count }} Artikel"
         *     }
         */
        plural_forms?: {
            zero?: string;
            one?: string;
            two?: string;
            few?: string;
            many?: string;
            other: string;
        } | null;
    }[];
    /** @description Written from right to left. By default as the language is. */
    rtl_support: boolean;
    custom_styles: string | null;
    formatting: LocaleFormatting;
    version_number: number;
    created_at: string;
    updated_at: string;
};
export type LocaleFormatting = {
    /** @enum {string|null} */
    date_format?: "short" | "medium" | "long" | "full" | null;
    /** @enum {string|null} */
    time_format?: "short" | "medium" | "long" | "full" | null;
    /** @enum {string|null} */
    currency_format?: "symbol" | "narrow_symbol" | "code" | "name" | null;
    /** @enum {string|null} */
    number_format?: "grouped" | "plain" | "compact" | null;
} | null;
export type LocalizedTemplateChanges = {
    translations?: {
        /** @example cart.items */
        key: string;
        /** @example {{ count }} Artikel */
        value: string;
        context?: string | null;
        /**
         * @example {
         *       "one": "Ein Artikel",
         *       "other": "{{ count }} Artikel"
         *     }
         */
        plural_forms?: {
            zero?: string;
            one?: string;
            two?: string;
            few?: string;
            many?: string;
            other: string;
        } | null;
    }[];
    /** @description Written from right to left. By default as the language is. */
    rtl_support?: boolean;
    custom_styles?: string | null;
    formatting?: LocaleFormatting;
    /** @description The version that the change is based on; left out or 0 for a new language. */
    version_number?: number;
};
export type TemplatePreview = {
    /** @description Renders this version without a session. */
    url: string;
    token: string;
    version: number;
    expires_at: string;
};
export type NewTemplatePreview = {
    /** @description By default the latest. */
    version?: number;
};
/** @description A mail of the tenant. Its texts are Liquid, each one text or texts by language. */
export type EmailTemplate = {
    /** Format: uuid */
    id: string;
    key: string;
    name: string;
    subject: string | {
        [key: string]: string;
    };
    html_content: string | {
        [key: string]: string;
    };
    text_content: string | {
        [key: string]: string;
    } | null;
    variables: string[];
    trigger_events: string[];
    created_at: string;
    updated_at: string;
};
export type NewEmailTemplate = {
    /**
     * @description The key of a built-in mail, which it replaces, or another key.
     * @example order_placed
     */
    key: string;
    /** @example Order confirmation */
    name: string;
    /** @description Names of the variables in its texts, for editors. */
    variables?: string[];
    /**
     * @description The events on which it is sent. Leave it out for a built-in mail, whose events cannot be changed.
     * @example []
     */
    trigger_events?: string[];
    /**
     * @description Liquid: one text, or texts by language.
     * @example {
     *       "en": "Your order {{ order.number }}",
     *       "de": "Ihre Bestellung {{ order.number }}"
     *     }
     */
    subject?: string | {
        [key: string]: string;
    };
    /**
     * @description Liquid in HTML: one text, or texts by language.
     * @example {
     *       "en": "<p>Thank you, {{ customer.name }}!</p>"
     *     }
     */
    html_content?: string | {
        [key: string]: string;
    };
    /** @description The plain text, in Liquid. It is made from the HTML if left out. */
    text_content?: string | {
        [key: string]: string;
    } | null;
};
export type EmailTemplateChanges = {
    /** @example Order confirmation */
    name?: string;
    /** @description Names of the variables in its texts, for editors. */
    variables?: string[];
    /**
     * @description The events on which it is sent. Leave it out for a built-in mail, whose events cannot be changed.
     * @example []
     */
    trigger_events?: string[];
    /**
     * @description Liquid: one text, or texts by language.
     * @example {
     *       "en": "Your order {{ order.number }}",
     *       "de": "Ihre Bestellung {{ order.number }}"
     *     }
     */
    subject?: string | {
        [key: string]: string;
    };
    /**
     * @description Liquid in HTML: one text, or texts by language.
     * @example {
     *       "en": "<p>Thank you, {{ customer.name }}!</p>"
     *     }
     */
    html_content?: string | {
        [key: string]: string;
    };
    /** @description The plain text, in Liquid. It is made from the HTML if left out. */
    text_content?: string | {
        [key: string]: string;
    } | null;
};
export type RenderedEmail = {
    subject: string;
    html: string;
    text: string;
    language: string;
    /** @description Whether the language is written from right to left. */
    rtl: boolean;
};
export type EmailRendering = {
    /**
     * @description Variables of the mail. Samples are used for those that are left out.
     * @example {
     *       "customer": {
     *         "name": "Ada"
     *       }
     *     }
     */
    variables?: {
        [key: string]: unknown;
    };
    /** @example de */
    language?: string;
    /** Format: uuid */
    marketplace_id?: string;
};
/** @description A mail to an address: waiting, sent or failed. */
export type Mail = {
    /** Format: uuid */
    id: string;
    to: string;
    name: string;
    /**
     * @description The key of the mail.
     * @example order_placed
     */
    template: string;
    /** Format: uuid */
    event_id: string | null;
    /** Format: uuid */
    marketplace_id: string | null;
    /** @description Whether an admin has sent it to itself as a test. */
    is_test: boolean;
    /** @description Null until it is rendered. */
    subject: string | null;
    status: MailStatus;
    attempts: number;
    /** @description The error of the last attempt, or why it was not sent; of a mail that was sent, why the built-in mail has replaced the tenant's. */
    error: string | null;
    next_attempt_at: string | null;
    sent_at: string | null;
    created_at: string;
    updated_at: string;
};
/** @enum {string} */
export type MailStatus = "pending" | "retrying" | "success" | "failed" | "suppressed";
export type EmailTest = {
    /**
     * @description Variables of the mail. Samples are used for those that are left out.
     * @example {
     *       "customer": {
     *         "name": "Ada"
     *       }
     *     }
     */
    variables?: {
        [key: string]: unknown;
    };
};
/** @description An address that gets no mails of the tenant, or none of one kind. */
export type MailSuppression = {
    /** Format: uuid */
    id: string;
    email: string;
    /** @description The key of the mails that are suppressed; null for all mails. */
    template: string | null;
    /** @enum {string} */
    reason: "bounce" | "complaint" | "unsubscribed";
    created_at: string;
};
export type InventoryList = {
    inventory: InventoryRow[];
    total: number;
    page: number;
    limit: number;
};
export type InventoryRow = {
    /** Format: uuid */
    variant_id: string | null;
    variant_name: string | null;
    sku: string | null;
    /** @description Pieces in stock. */
    quantity: number;
    /** @description Pieces reserved by orders. */
    reserved: number;
    /** @description Pieces that can be sold: quantity minus reserved. */
    available: number;
    /** @description The stock is low at or below this number of available pieces. 0 switches the warning off. */
    low_stock_threshold: number;
    low_stock: boolean;
    updated_at: string;
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    product_id: string;
    product_name: string;
    /** Format: uuid */
    marketplace_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    /** @description The status of the product. */
    status: string;
};
export type InventoryMovementList = {
    movements: InventoryMovement[];
    total: number;
    page: number;
    limit: number;
};
export type InventoryMovement = {
    id: number;
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    product_name: string;
    variant_name: string | null;
    sku: string | null;
    reason: InventoryReason;
    quantity_change: number;
    reserved_change: number;
    /** @description Pieces in stock after the change. */
    quantity: number;
    reserved: number;
    note: string | null;
    /** Format: uuid */
    order_id: string | null;
    /**
     * Format: uuid
     * @description The user who made the change; null for the system.
     */
    actor_id: string | null;
    created_at: string;
};
/** @enum {string} */
export type InventoryReason = "opening" | "set" | "add" | "subtract" | "reserve" | "release" | "ship" | "void" | "return" | "import" | "licence_keys" | "removal";
/** @description A group of terms. A search for one of them finds the products of all of them. */
export type SearchSynonyms = {
    /** Format: uuid */
    id: string;
    /** @description In lower case, without accents. */
    terms: string[];
    created_at: string;
    updated_at: string;
};
export type NewSearchSynonyms = {
    /**
     * @description Words or phrases. They are stored in lower case and without accents. Terms that differ only in case, accents or punctuation are duplicates, and the first is kept.
     * @example [
     *       "sofa",
     *       "couch",
     *       "settee"
     *     ]
     */
    terms: string[];
};
export type PastOrderLine = {
    /** @description The id of the order in the other system. Unique per marketplace. */
    external_id: string;
    /** Format: uuid */
    marketplace_id?: string;
    /**
     * Format: date-time
     * @description The time of the order, which becomes created_at. Not in the future.
     */
    placed_at: string;
    /** @description The customer is found by email, or by external_id without an email; otherwise it is created. */
    customer: {
        /** Format: idn-email */
        email?: string | null;
        name?: string | null;
        external_id?: string | null;
    };
    items: {
        /** Format: uuid */
        product_id?: string | null;
        /** @description Your id of the product, instead of its product_id. */
        product_external_id?: string | null;
        /**
         * Format: uuid
         * @description The supplier; required if several have a product with this product_external_id.
         */
        supplier_id?: string | null;
        variant_sku?: string | null;
        quantity: number;
        /** @description The price of one piece at the time of the order. */
        price: number;
    }[];
    shipping_address: NewAddress;
    billing_address?: NewAddress & (Record<string, never> | null);
    tax_id?: string | null;
    status: OrderStatus;
    payment_status: PaymentStatus;
    /**
     * Format: date-time
     * @description The time of the delivery: required for delivered, optional for returned.
     */
    completed_at?: string;
    /**
     * Format: date-time
     * @description Required for cancelled.
     */
    cancelled_at?: string;
    /**
     * Format: date-time
     * @description Required for returned.
     */
    returned_at?: string;
};
/**
 * @description What is required depends on the country: see `/api/countries`. Without one it is street and city. Blank texts count as not sent. Further fields are allowed. At most 8192 bytes as JSON.
 * @example {
 *       "name": "Amina Karimova",
 *       "street": "1 Palm Street",
 *       "city": "Samarkand",
 *       "postal_code": "140100",
 *       "country": "UZ"
 *     }
 */
export type NewAddress = {
    name?: string | null;
    company?: string | null;
    /** @description At most 3 lines. */
    street?: string | null;
    city?: string | null;
    /** @description The state, province, county or emirate. */
    region?: string | null;
    postal_code?: string | null;
    /** @description An ISO 3166-1 alpha-2 code, in capital letters. Default: the marketplace's settings.business.country. */
    country?: string | null;
    phone?: string | null;
} & {
    [key: string]: unknown;
};
export type OrderDownloads = {
    files: Download[];
    licence_keys: Licence[];
};
export type Download = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    item_id: string;
    /** Format: uuid */
    product_id: string;
    name: string;
    /** @description For an asset, a signed address that is valid for an hour; null if its file is missing. */
    url: string | null;
    size_bytes: number | null;
    sha256: string | null;
};
export type Licence = {
    /** Format: uuid */
    item_id: string;
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    variant_id: string | null;
    code: string;
};
export type MovedShipment = Shipment & {
    order_status: OrderStatus & unknown;
};
export type NewShipment = {
    /** @description Items of one supplier. Default: all pieces that the caller can still ship. */
    items?: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
    }[];
    carrier?: string;
    tracking_number?: string;
    tracking_url?: string;
    /** @description Visible to everybody who sees the shipment. */
    note?: string;
};
export type ShipmentChanges = {
    carrier?: string | null;
    tracking_number?: string | null;
    tracking_url?: string | null;
    /** @description Visible to everybody who sees the shipment. */
    note?: string | null;
    /**
     * @description lost: the customer is owed the price. void: the shipment was a mistake, and its pieces can be shipped again; for its creator and admins.
     * @enum {string}
     */
    status?: "delivered" | "lost" | "void";
    /** @description With lost: reserves the pieces again for another shipment. */
    resend?: boolean;
};
export type OrderCancellation = {
    /** Format: uuid */
    id: string;
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
        amount: number;
    }[];
    /** @description Their price, without delivery. */
    amount: number;
    reason: string | null;
    /** Format: uuid */
    actor_id: string | null;
    created_at: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
    order_status: OrderStatus;
};
export type NewOrderCancellation = {
    /** @description Default: all pieces that the caller may cancel. */
    items?: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
    }[];
    reason?: string;
};
export type MovedReturnRequest = ReturnRequest & {
    order_status: OrderStatus & unknown;
};
export type NewReturnRequest = {
    /** @description Items of one supplier, delivered within return_days. */
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
    }[];
    reason?: string;
};
export type ReturnAnswer = {
    note?: string;
};
export type ReceivedReturn = {
    /** @description The received items, at most those requested. Default: all. */
    items?: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
        /** @description Whether the pieces go into stock. Default: true. */
        restock?: boolean;
    }[];
    note?: string;
};
export type NewOrder = {
    /** @description Computed by the database. A sent value is ignored. */
    status?: unknown;
    /** @description Computed by the database. A sent value is ignored. */
    payment_status?: unknown;
    /** @description Computed by the database. A sent value is ignored. */
    total_amount?: unknown;
    /** Format: uuid */
    marketplace_id: string;
    /** @description The currency that the customer was shown. It must be the marketplace's. */
    currency?: string;
    items: {
        /** Format: uuid */
        product_id: string;
        /**
         * Format: uuid
         * @description Required if the product has variants.
         */
        variant_id?: string;
        quantity: number;
        /** @description The price that the customer was shown. It must be the current price. */
        price: number;
        /**
         * Format: date-time
         * @description For booked services: the start of the slot.
         */
        starts_at?: string;
    }[];
    /**
     * @description Required for physical items. Digital goods and services need none.
     * @example {
     *       "name": "Amina Karimova",
     *       "street": "1 Palm Street",
     *       "city": "Samarkand",
     *       "postal_code": "140100",
     *       "country": "UZ"
     *     }
     */
    shipping_address?: ({
        name?: string | null;
        company?: string | null;
        /** @description At most 3 lines. */
        street?: string | null;
        city?: string | null;
        /** @description The state, province, county or emirate. */
        region?: string | null;
        postal_code?: string | null;
        /** @description An ISO 3166-1 alpha-2 code, in capital letters. Default: the marketplace's settings.business.country. */
        country?: string | null;
        phone?: string | null;
    } & {
        [key: string]: unknown;
    }) | null;
    /**
     * @description The address of the invoice. Default: the shipping address.
     * @example {
     *       "name": "Amina Karimova",
     *       "street": "1 Palm Street",
     *       "city": "Samarkand",
     *       "postal_code": "140100",
     *       "country": "UZ"
     *     }
     */
    billing_address?: ({
        name?: string | null;
        company?: string | null;
        /** @description At most 3 lines. */
        street?: string | null;
        city?: string | null;
        /** @description The state, province, county or emirate. */
        region?: string | null;
        postal_code?: string | null;
        /** @description An ISO 3166-1 alpha-2 code, in capital letters. Default: the marketplace's settings.business.country. */
        country?: string | null;
        phone?: string | null;
    } & {
        [key: string]: unknown;
    }) | null;
    /** @description The buyer's tax number. */
    tax_id?: string | null;
    /**
     * Format: uuid
     * @description For admins and clients: the customer.
     */
    customer_id?: string;
    /** @description The key of one of the marketplace's methods; its price is added to the total. Required for physical items if the marketplace has methods. */
    delivery_method?: string;
    /** @description One of the marketplace's payment methods. */
    payment_method?: string;
    contact?: NewOrderContact;
    /**
     * @description The language of the order's mails. Default: the customer's.
     * @example de
     */
    language?: string;
    /**
     * Format: uuid
     * @description An unpaid order of the customer, pending or confirmed. It is cancelled in the same transaction, and its stock is free for this order. If this order is refused, it stays.
     */
    replaces?: string;
};
/** @description The contact for the order. Required from guests. */
export type NewOrderContact = {
    /** Format: idn-email */
    email: string;
    name?: string;
    phone?: string;
};
export type OrderStatusChange = {
    status: OrderStatus;
    note?: string;
};
export type Payment = {
    /** Format: uuid */
    id: string;
    status: PaymentReport;
    /** @description Of a payment_reversed: the payment, or what refunds had left of it, if that is less. */
    amount: number;
    currency: string;
    reference: string;
    /** @description The refunded amount of each item, if the refund names items. */
    items: {
        /** Format: uuid */
        item_id: string;
        amount: number;
    }[] | null;
    delivery_amount: number | null;
    borne_by: RefundBearer;
    /** Format: uuid */
    actor_id: string | null;
    created_at: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
    payment_status: PaymentStatus & unknown;
};
/**
 * @example {
 *       "status": "paid",
 *       "amount": 103,
 *       "reference": "pi_3Nf2"
 *     }
 */
export type NewPayment = {
    status: PaymentReport;
    /** @description For paid: what the order costs, exactly. For refunded: at most what was paid and not given back yet. Required, except for refund_failed and payment_reversed, which have the amount of what they undo. */
    amount?: number;
    /** @description What the payment service calls it. The same status and reference happen once. For refund_failed: the reference of the refund; for payment_reversed: that of the payment. */
    reference: string;
    /** @description For refunded: the refunded amount of each item. A refund without items and delivery_amount is goodwill: it does not lower refund_due. */
    items?: {
        /** Format: uuid */
        item_id: string;
        amount: number;
    }[];
    /** @description For refunded: the refunded amount of the delivery. */
    delivery_amount?: number;
    borne_by?: RefundBearer & unknown;
};
export type OrderReturn = {
    /** Format: uuid */
    id: string;
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
        amount: number;
        restocked: boolean;
    }[];
    /** @description Their price, without delivery. */
    amount: number;
    note: string | null;
    /** Format: uuid */
    actor_id: string | null;
    created_at: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
    order_status: OrderStatus;
};
export type NewOrderReturn = {
    items: {
        /** Format: uuid */
        item_id: string;
        quantity: number;
    }[];
    note?: string;
};
export type OrderNote = {
    /** Format: uuid */
    id: string;
    text: string;
    visibility: NoteVisibility;
    /** Format: uuid */
    supplier_id: string | null;
    /** Format: uuid */
    author_id: string | null;
    created_at: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    order_id: string;
};
export type NewOrderNote = {
    text: string;
    visibility?: NoteVisibility & unknown;
};
export type BookingList = {
    bookings: Booking[];
    total: number;
    page: number;
    limit: number;
};
export type Booking = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    product_id: string;
    /** Format: uuid */
    order_id: string;
    /** Format: uuid */
    order_item_id: string;
    /** Format: uuid */
    customer_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    name: string;
    starts_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    starts_at_local: string;
    ends_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    ends_at_local: string;
    seat: number;
    status: BookingStatus;
    /** @description Time until which the customer can cancel the booking. */
    cancellable_until: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    cancellable_until_local: string;
    /** @description The end of the slot, once it is over and counts as delivered. */
    delivered_at: string | null;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    delivered_at_local: string | null;
    time_zone: string;
    /**
     * @description The place of the service, with any fields.
     * @example {
     *       "street": "1 Market Street",
     *       "city": "Fez"
     *     }
     */
    location: {
        [key: string]: unknown;
    } | null;
    created_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    created_at_local: string;
    updated_at: string;
    /**
     * @description The same time in the tenant's time zone, with its offset.
     * @example 2026-11-24T09:00:00.123456+13:00
     */
    updated_at_local: string;
};
/** @enum {string} */
export type BookingStatus = "booked" | "cancelled";
export type Commission = {
    /** Format: uuid */
    supplier_id: string;
    /** @description The rate of its items when the order was placed; null if they have several (order_item_commissions has each). */
    commission_percent: number | null;
    /** @description The rate of its delivery; 0 if no commission is taken on delivery. */
    delivery_percent: number;
    /** @description Items that were not cancelled, returned or lost. */
    sales_amount: number;
    /** @description The delivery, if the supplier receives it. */
    delivery_amount: number;
    commission_amount: number;
    /** @description Refunds that the supplier bears, for items that the customer keeps. They lower the payout, and not the commission. */
    refunded_amount: number;
    payout_amount: number;
    /** Format: uuid */
    order_id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    marketplace_id: string;
    /** @description The order's number. */
    number: number;
    status: OrderStatus & unknown;
    order_status: OrderStatus & unknown;
    payment_status: PaymentStatus;
    currency: string;
    /** @description The later of the payment and the delivery of the last piece that the customer keeps; null before both. */
    completed_at: string | null;
    /** @description Time at which it is due: completed_at plus the marketplace's payout delay. */
    due_at: string | null;
    /** @description Time at which the order was placed. */
    created_at: string;
    updated_at: string;
};
export type CommissionTotal = {
    currency: string;
    /** @description Items that were not cancelled, returned or lost. */
    sales_amount: number;
    /** @description The delivery, if the supplier receives it. */
    delivery_amount: number;
    commission_amount: number;
    /** @description Refunds that the supplier bears, for items that the customer keeps. They lower the payout, and not the commission. */
    refunded_amount: number;
    payout_amount: number;
};
export type CommissionRate = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /** Format: uuid */
    supplier_id: string | null;
    /** Format: uuid */
    category_id: string | null;
    /** @description At most 4 decimals. */
    commission_percent: number;
    created_at: string;
    updated_at: string;
};
export type NewCommissionRate = {
    /**
     * Format: uuid
     * @description This, or category_id.
     */
    supplier_id?: string;
    /**
     * Format: uuid
     * @description Also applies to the categories below it that have no rate.
     */
    category_id?: string;
    /** @description At most 4 decimals. */
    commission_percent: number;
};
export type EventPage = {
    events: Event[];
    /** @description The cursor for the next page, also if there are no more events yet. It is opaque. */
    next: string;
    /** @description Whether more events may follow now. */
    more: boolean;
};
/** @description The same body as in webhooks. /api/event-types has the schema of each event. */
export type Event = {
    /** Format: uuid */
    id: string;
    event: EventName;
    timestamp: string;
    /**
     * @description The body was too large (docs/limits.md): the records in `data` have only their short fields.
     * @enum {boolean}
     */
    truncated?: true;
    data: {
        [key: string]: unknown;
    };
} & {
    [key: string]: unknown;
};
export type EventTypeList = {
    event_types: EventType[];
};
export type EventType = {
    name: EventName;
    description: string;
    /** @description A complete body. */
    example: {
        [key: string]: unknown;
    };
    /** @description The JSON Schema of the whole body, draft 2020-12. Fields may be added later. */
    schema: {
        [key: string]: unknown;
    };
};
export type CreatedWebhook = Webhook & {
    /** @description Shown only once. Null only if an Idempotency-Key is repeated after the secret of the first response has stopped signing. */
    secret: string | null;
};
export type NewWebhook = {
    /**
     * Format: iri
     * @description HTTPS recommended. It must not have credentials, and its host must be on the public internet. The address is checked here; the addresses of the host name are checked before each attempt.
     * @example https://shop.example.com/hooks
     */
    url: string;
    events: (EventName | "payment.completed")[];
    /** @default  */
    description?: string;
    /**
     * @description Selects events about records in one of the marketplaces and in one of the statuses, at the time of the event. A list that is null selects all. A record without a marketplace or status (a user) passes.
     * @default null
     */
    filter?: {
        /** @default null */
        marketplace_ids?: string[] | null;
        /** @default null */
        statuses?: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "cancelled" | "returned" | "paid" | "failed" | "refunded" | "refund_failed" | "payment_reversed" | "lost" | "void" | "requested" | "approved" | "rejected" | "received" | "draft" | "active" | "inactive" | "out_of_stock" | "discontinued" | "in_review" | "published" | "archived")[] | null;
    } | null;
    /**
     * @description Up to 10 headers for every delivery, such as Authorization. Their values are secret; header_names shows the names. Host, User-Agent, Content-*, Webhook-*, X-Webhook-* and headers of the connection are reserved.
     * @default {}
     * @example {
     *       "Authorization": "Bearer of-the-receiver"
     *     }
     */
    headers?: {
        [key: string]: string;
    };
    /** @default true */
    active?: boolean;
    /** @description Signs the deliveries: 16 to 256 characters. Generated if none is sent. */
    secret?: string;
};
/** @description filter and headers are replaced as a whole. Other fields of the record are ignored and may be sent back. Change the secret by rotating it. */
export type WebhookChanges = {
    /**
     * Format: iri
     * @description HTTPS recommended. It must not have credentials, and its host must be on the public internet. The address is checked here; the addresses of the host name are checked before each attempt.
     * @example https://shop.example.com/hooks
     */
    url?: string;
    events?: (EventName | "payment.completed")[];
    description?: string;
    /** @description Selects events about records in one of the marketplaces and in one of the statuses, at the time of the event. A list that is null selects all. A record without a marketplace or status (a user) passes. */
    filter?: {
        /** @default null */
        marketplace_ids?: string[] | null;
        /** @default null */
        statuses?: ("pending" | "confirmed" | "processing" | "shipped" | "delivered" | "cancelled" | "returned" | "paid" | "failed" | "refunded" | "refund_failed" | "payment_reversed" | "lost" | "void" | "requested" | "approved" | "rejected" | "received" | "draft" | "active" | "inactive" | "out_of_stock" | "discontinued" | "in_review" | "published" | "archived")[] | null;
    } | null;
    /**
     * @description Up to 10 headers for every delivery, such as Authorization. Their values are secret; header_names shows the names. Host, User-Agent, Content-*, Webhook-*, X-Webhook-* and headers of the connection are reserved.
     * @example {
     *       "Authorization": "Bearer of-the-receiver"
     *     }
     */
    headers?: {
        [key: string]: string;
    };
    active?: boolean;
    /** Format: uuid */
    id?: string;
    /** Format: uuid */
    tenant_id?: string;
    /** @description The names of the deliveries' headers. The values are not shown. */
    header_names?: string[];
    /**
     * @description The reason if it was switched off automatically. gone: the receiver answered 410; failing: every attempt failed for a day.
     * @enum {string|null}
     */
    disabled_reason?: "gone" | "failing" | null;
    /** @description Every attempt has failed since this time. */
    failing_since?: string | null;
    created_at?: string;
    updated_at?: string;
    /** @description Must not be sent. Rotate the secret instead. */
    secret?: null;
};
export type RotatedWebhook = CreatedWebhook & {
    /** @description Time until which the previous secret signs too. */
    previous_secret_until: string | null;
};
export type SecretRotation = {
    /** @description Signs the deliveries: 16 to 256 characters. Generated if none is sent. */
    secret?: string;
};
export type Delivery = {
    /**
     * Format: uuid
     * @description The value of X-Webhook-ID, the same in every attempt.
     */
    id: string;
    event: EventName;
    status: DeliveryStatus;
    response_code: number | null;
    attempts: number;
    error: string | null;
    next_attempt_at: string | null;
    /** @description Time of the event. */
    created_at: string;
};
/** @enum {string} */
export type DeliveryStatus = "pending" | "retrying" | "success" | "failed";
export type DeliveryDetails = Delivery & {
    /** @description The body of the request; null if the event is no longer stored. */
    request: {
        [key: string]: unknown;
    } | null;
    /** @description All attempts, oldest first. */
    history: DeliveryAttempt[];
};
export type DeliveryAttempt = {
    /** @description Number of the attempt, from 1. */
    attempt: number;
    started_at: string;
    /** @description Duration in milliseconds. */
    duration_ms: number;
    response_code: number | null;
    /** @description The first 1024 bytes of the receiver's response, as text. */
    response_body: string | null;
    error: string | null;
};
export type Recovered = {
    /** @description Number of deliveries that are sent again. */
    recovered: number;
    /** @description Whether more deliveries may follow. If true, repeat the request. */
    more: boolean;
};
export type Recovery = {
    /** @description Only deliveries of events since this time, with its offset, or since the beginning of this day in the tenant's time zone. */
    since: string;
};
export type WebhookTestResult = {
    success: boolean;
    response_code: number | null;
    /** @description Duration in milliseconds. */
    response_time: number;
    error: string | null;
};
export type WebhookTest = {
    event: EventName | "payment.completed";
};
export type Slots = {
    /** Format: uuid */
    category_id: string;
    placement: Placement;
    region: string | null;
    slots: Slot[];
};
/** @enum {string} */
export type Placement = "search" | "category" | "similar" | "top_sales";
export type Slot = Promotion & {
    /** Format: uuid */
    product_id: string;
    product_name: string;
    bid_amount: number | null;
    /** @description The current price of a click. The price and the bid are null for customers and for suppliers of other campaigns. */
    price: number | null;
};
export type Auction = {
    /** Format: uuid */
    id: string;
    placement: Placement;
    /**
     * Format: uuid
     * @description Null for the whole catalog.
     */
    category_id: string | null;
    region: string | null;
    held_at: string;
    /** @description Number of products in the page. */
    size: number;
    /** @description Number of campaigns that took part. */
    candidate_count: number;
    /** @description Number of campaigns that won a slot. */
    placed_count: number;
};
export type AuctionDetails = {
    /** Format: uuid */
    id: string;
    placement: Placement;
    /**
     * Format: uuid
     * @description Null for the whole catalog.
     */
    category_id: string | null;
    region: string | null;
    held_at: string;
    /** @description Number of products in the page. */
    size: number;
    candidates: AuctionCandidate[];
};
export type AuctionCandidate = {
    /** Format: uuid */
    campaign_id: string;
    /** Format: uuid */
    product_id: string;
    bid_amount: number;
    /** @description Quality of the product's description, 0 to 1. */
    quality: number | null;
    /** @description Whether the campaign was eligible for a slot. */
    eligible: boolean;
    /**
     * @description The reason why it won no slot; null if it won one.
     * @enum {string|null}
     */
    reason: "outbid" | "product" | "bid" | "budget" | "stock" | "status" | "category" | "dates" | "forbidden" | "quality" | "region" | null;
    position: number | null;
    /** @description The price of a click in this slot. */
    price: number | null;
};
export type AuctionShare = {
    /** Format: uuid */
    campaign_id: string;
    totals: {
        /** @description Number of recorded auctions in which the campaign took part. */
        held: number;
        /** @description Number of them in which it won a slot. */
        won: number;
        lost_to_bid: number;
        lost_to_budget: number;
        lost_to_stock: number;
        lost_otherwise: number;
        /** @description won / held; null if held is 0. */
        win_rate: number | null;
    };
    daily: {
        /** @description Number of recorded auctions in which the campaign took part. */
        held: number;
        /** @description Number of them in which it won a slot. */
        won: number;
        lost_to_bid: number;
        lost_to_budget: number;
        lost_to_stock: number;
        lost_otherwise: number;
        date: string;
    }[];
};
export type Campaign = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /**
     * Format: uuid
     * @description Null for the operator's own.
     */
    supplier_id: string | null;
    /** Format: uuid */
    marketplace_id: string;
    /** @description That of the marketplace. */
    currency: string;
    /** Format: uuid */
    product_id: string;
    /**
     * Format: uuid
     * @description Null if the campaign has ended and its category was deleted.
     */
    category_id: string | null;
    pricing_model: PricingModel;
    start_date: string;
    end_date: string;
    daily_budget: number | null;
    bid_amount: number;
    max_bid: number | null;
    /** @description Fee for the whole period, charged daily. */
    fee: number;
    regions: string[] | null;
    labels: ("TOP" | "Advertisement" | "Promoted")[];
    highlighted: boolean;
    pinned: boolean;
    status: CampaignStatus;
    /** @description The reason for its rejection or end. */
    note: string | null;
    created_at: string;
    updated_at: string;
};
/**
 * @description fixed: a fee for the period. auction: per click, and the bid may rise by itself up to maxBid. cpc: per click. hybrid: a fee and clicks.
 * @enum {string}
 */
export type PricingModel = "fixed" | "auction" | "cpc" | "hybrid";
/** @enum {string} */
export type CampaignStatus = "pending_review" | "scheduled" | "active" | "paused" | "exhausted" | "completed" | "rejected" | "cancelled";
export type NewCampaign = {
    /** Format: uuid */
    productId: string;
    /**
     * Format: uuid
     * @description The category in which the product is promoted: its own, or one above it.
     */
    categoryId: string;
    /**
     * @description Whole days of 24 hours. fixed and hybrid: 1, 7, 30 or 90.
     * @example 7
     */
    duration: number;
    /**
     * @description Highest price of a click, at least the category's minBid. It determines the rank. fixed: at least the price of a day, which is then stored.
     * @example 0.5
     */
    bidAmount: number;
    pricingModel?: PricingModel;
    /** @description Highest cost of a day of the tenant's time zone: at least the bid, for hybrid plus the day's fee. Not used for fixed. */
    dailyBudget?: number | null;
    /**
     * Format: date-time
     * @description Start of the campaign, within a year. Default, and at the earliest: now.
     */
    startDate?: string;
    /** @description auction only: limit of automatic bid increases. */
    maxBid?: number | null;
    /** @description Regions, by the frontend's names. Empty: all regions. */
    regions?: string[] | null;
    /** @description Labels that mark the promotion. Default: Promoted. */
    labels?: ("TOP" | "Advertisement" | "Promoted")[];
    /**
     * @description Whether the shop should highlight it.
     * @default false
     */
    highlighted?: boolean;
    /**
     * @description Whether the shop should keep it at the top.
     * @default false
     */
    pinned?: boolean;
};
export type CampaignChanges = {
    /**
     * @description active resumes.
     * @enum {string}
     */
    status?: "paused" | "active" | "cancelled";
    bidAmount?: number;
    maxBid?: number | null;
    dailyBudget?: number | null;
};
export type CampaignReview = {
    note?: string;
};
export type CampaignStatistics = {
    /** Format: uuid */
    campaign_id: string;
    currency: string;
    totals: {
        impressions: number;
        /** @description All valid clicks, charged or not. */
        clicks: number;
        /** @description Clicks / impressions; null without impressions. */
        ctr: number | null;
        spend: number;
        /** @description Number of order lines. */
        sales_count: number;
        sales_amount: number;
        /** @description Sales / clicks; null without clicks. */
        conversion_rate: number | null;
        /** @description (sales_amount - spend) / spend; null if spend is 0. */
        roi: number | null;
    };
    /** @description Days with activity, earliest first. */
    daily: CampaignDay[];
};
export type CampaignDay = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    campaign_id: string;
    /** @example 2026-11-21 */
    date: string;
    impressions: number;
    clicks: number;
    spend: number;
    sales_count: number;
    sales_amount: number;
};
export type PlacementCharge = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    campaign_id: string;
    /** @enum {string} */
    kind: "click" | "fee" | "refund";
    /** @description Refunds are negative. */
    amount: number;
    /** @description The day whose spend includes it. */
    date: string;
    /** Format: uuid */
    click_id: string | null;
    /** @description How the price was determined, or the reason for the refund. */
    explanation: {
        [key: string]: unknown;
    };
    created_at: string;
};
export type PlacementRefunded = {
    /** Format: uuid */
    campaign_id: string;
    /** @description Number of clicks that had been valid. */
    clicks: number;
    /** @description Number of refunded charges. */
    refunded: number;
    amount: number;
};
/** @description Either visitor_id or click_ids. */
export type PlacementRefund = {
    /** @description All clicks of this visitor in the last 32 days. */
    visitor_id?: string;
    click_ids?: string[];
    /** @description Only clicks since this time, with its offset, or since the beginning of this day in the tenant's time zone, of the visitor or in click_ids. */
    since?: string;
    note?: string;
};
export type PlacementResults = {
    /** @description One for each event, in the same order. */
    results: PlacementResult[];
};
export type PlacementResult = {
    /** @description The position in the batch, from 0. */
    index: number;
    /**
     * Format: uuid
     * @description The event's id; for a click without one, its id in the ledger.
     */
    id?: string;
    /**
     * @description accepted: counted. duplicate: already counted. charged: a click, counted and charged. not_charged: see reason. invalid: see error.
     * @enum {string}
     */
    status: "accepted" | "duplicate" | "charged" | "not_charged" | "invalid";
    /**
     * @description already_charged: a click of this visitor was charged in this hour. budget: the daily budget is used up; the click is counted. own_supplier: the visitor is a member of the supplier. not_a_customer: the visitor is another supplier, an admin or a client. flood: too many clicks per hour from the visitor or the IP address. new_account: the account is younger than the settings require. no_token: there is no token of a promotion that was shown to the caller in the last 24 hours. not_running: the campaign did not run at that time, or its category does not allow promotion.
     * @enum {string}
     */
    reason?: "already_charged" | "budget" | "own_supplier" | "not_a_customer" | "flood" | "new_account" | "no_token" | "not_running";
    /** @description The charge in the marketplace's currency; only for admins and clients. */
    price?: number;
    /** @description For a conversion: the number of order lines that follow a click. */
    sales?: number;
    error?: {
        /** @enum {string} */
        code: "INVALID_JSON" | "NESTING_TOO_DEEP" | "INVALID_REQUEST" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "INVALID_CREDENTIALS" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "VALIDATION_ERROR" | "INVALID_TRANSITION" | "INSUFFICIENT_INVENTORY" | "PRICE_MISMATCH" | "MARKETPLACE_NOT_ACTIVE" | "SLOT_NOT_AVAILABLE" | "LAST_ADMIN" | "IDEMPOTENCY_KEY_REUSED" | "UNSUPPORTED_MEDIA" | "TEMPLATE_ERROR" | "TEMPLATE_LIMIT" | "LIMIT_REACHED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "TIMEOUT";
        message: string;
        details: {
            field: string;
            value?: unknown;
        };
    };
};
export type PlacementEvents = {
    events: PlacementEvent[];
};
/**
 * @example {
 *       "type": "click",
 *       "campaign_id": "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01",
 *       "visitor_id": "visitor-1",
 *       "placement": "search"
 *     }
 */
export type PlacementEvent = {
    /**
     * Format: uuid
     * @description Your id of the event. The same event sent again is recognised by it.
     */
    id?: string;
    /** @enum {string} */
    type: "impression" | "click" | "conversion";
    /**
     * Format: uuid
     * @description The campaign_id of the product's promotion. Not needed for a conversion.
     */
    campaign_id?: string;
    /** @description For admins and clients: the visitor, by any name that stays the same. For a customer use the user id. Customers and suppliers report only themselves, whatever they send. */
    visitor_id?: string;
    /** @enum {string} */
    placement?: "search" | "category" | "similar" | "top_sales";
    /** @description The token of the promotion that was shown. Customers and suppliers must send it with impressions and clicks. */
    token?: string;
    /**
     * Format: date-time
     * @description Within the last 24 hours. Default: now. For customers and suppliers it is always now.
     */
    occurred_at?: string;
    /**
     * Format: uuid
     * @description For a conversion: the visitor's order.
     */
    order_id?: string;
};
export type PlacementReport = {
    from: string;
    to: string;
    totals: {
        currency: string;
        /** @description Charges minus refunds. */
        revenue: number;
        /** @description Number of campaigns with activity. */
        campaigns: number;
        cost_per_click: number | null;
        cost_per_campaign: number | null;
        impressions: number;
        /** @description All valid clicks, charged or not. */
        clicks: number;
        /** @description Clicks / impressions; null without impressions. */
        ctr: number | null;
        spend: number;
        /** @description Number of order lines. */
        sales_count: number;
        sales_amount: number;
        /** @description Sales / clicks; null without clicks. */
        conversion_rate: number | null;
        /** @description (sales_amount - spend) / spend; null if spend is 0. */
        roi: number | null;
    }[];
    categories: {
        /** Format: uuid */
        category_id: string | null;
        name: string | null;
        currency: string;
        /** @description Charges minus refunds. */
        revenue: number;
        impressions: number;
        clicks: number;
        /** @description Now. */
        active_campaigns: number;
        /** @description Number of campaigns that may win a slot now, in any currency. */
        contenders: number;
        max_slots: number;
        /** @description Contenders per slot. */
        competition: number;
    }[];
    suppliers: {
        /**
         * Format: uuid
         * @description Null for the operator's own campaigns.
         */
        supplier_id: string | null;
        name: string | null;
        currency: string;
        campaigns: number;
        impressions: number;
        /** @description All valid clicks, charged or not. */
        clicks: number;
        /** @description Clicks / impressions; null without impressions. */
        ctr: number | null;
        spend: number;
        /** @description Number of order lines. */
        sales_count: number;
        sales_amount: number;
        /** @description Sales / clicks; null without clicks. */
        conversion_rate: number | null;
        /** @description (sales_amount - spend) / spend; null if spend is 0. */
        roi: number | null;
    }[];
    daily: {
        date: string;
        currency: string;
        /** @description Charges minus refunds. */
        revenue: number;
        impressions: number;
        clicks: number;
        sales_count: number;
        sales_amount: number;
    }[];
};
export type PlacementCategory = {
    /** Format: uuid */
    categoryId: string;
    /** @description The category's own. */
    name: string;
    /** @description A day of a fee (fixed, hybrid), in the currency of the tenant's oldest marketplace. */
    basePrice: number;
    /** @description Number of promoted products in a page. Usual: 3 to 10. */
    maxSlots: number;
    /** @description Whether auction and hybrid are offered. */
    auctionEnabled: boolean;
    /** @description The least bid for a click, in the currency of the tenant's oldest marketplace. */
    minBid: number;
    /** @description basePrice and minBid in each currency. A product whose currency the list lacks cannot be promoted in the category. If sent, it replaces the prices in all currencies but that of the tenant's oldest marketplace, which stays unless the list has it. */
    prices: PlacementPrice[];
    /** @description Nothing is promoted here, nor in the categories below. */
    forbidden: boolean;
    /** @description How often equal bids change places (displayPriority rotation). */
    rotationMinutes: number;
    /**
     * @description Which of equal bids comes first.
     * @enum {string}
     */
    displayPriority: "quality" | "rotation" | "newest";
    /** @description How well a promoted product has to be described. */
    minQuality: number;
};
export type PlacementPrice = {
    /** @example EUR */
    currency: string;
    basePrice: number;
    minBid: number;
};
/** @description Fields that are not sent stay as they are. categoryId, if sent, must be the one in the path. */
export type PlacementCategoryChanges = {
    /** Format: uuid */
    categoryId?: string;
    /** @description The category's own. */
    name?: string;
    /** @description A day of a fee (fixed, hybrid), in the currency of the tenant's oldest marketplace. */
    basePrice?: number;
    /** @description Number of promoted products in a page. Usual: 3 to 10. */
    maxSlots?: number;
    /** @description Whether auction and hybrid are offered. */
    auctionEnabled?: boolean;
    /** @description The least bid for a click, in the currency of the tenant's oldest marketplace. */
    minBid?: number;
    /** @description basePrice and minBid in each currency. A product whose currency the list lacks cannot be promoted in the category. If sent, it replaces the prices in all currencies but that of the tenant's oldest marketplace, which stays unless the list has it. */
    prices?: PlacementPrice[];
    /** @description Nothing is promoted here, nor in the categories below. */
    forbidden?: boolean;
    /** @description How often equal bids change places (displayPriority rotation). */
    rotationMinutes?: number;
    /**
     * @description Which of equal bids comes first.
     * @enum {string}
     */
    displayPriority?: "quality" | "rotation" | "newest";
    /** @description How well a promoted product has to be described. */
    minQuality?: number;
};
export type PlacementSettings = {
    /** @description Share of auctions that are recorded: 0.1 is a tenth. */
    auction_log_share: number;
    /** @description Largest number of clicks of one visitor per hour that count. */
    clicks_per_visitor_and_hour: number;
    /** @description Largest number of clicks of one campaign from one IP address per hour that count. */
    clicks_per_address_and_hour: number;
    /** @description Clicks of younger accounts do not count unless their e-mail address is confirmed. */
    click_account_age_minutes: number;
};
export type PlacementSettingsChanges = {
    /** @description Share of auctions that are recorded: 0.1 is a tenth. */
    auction_log_share?: number;
    /** @description Largest number of clicks of one visitor per hour that count. */
    clicks_per_visitor_and_hour?: number;
    /** @description Largest number of clicks of one campaign from one IP address per hour that count. */
    clicks_per_address_and_hour?: number;
    /** @description Clicks of younger accounts do not count unless their e-mail address is confirmed. */
    click_account_age_minutes?: number;
};
export type StorefrontResults = {
    /** @description One for each event, in the same order. */
    results: StorefrontResult[];
};
export type StorefrontResult = {
    /** @description The position in the batch, from 0. */
    index: number;
    /**
     * Format: uuid
     * @description The event's id, if it was sent with one.
     */
    id?: string;
    /**
     * @description accepted: counted. duplicate: it was there before. not_counted: see reason. invalid: see error.
     * @enum {string}
     */
    status: "accepted" | "duplicate" | "not_counted" | "invalid";
    /**
     * @description bot: a declared bot. flood: more events than a visitor may report in a day. ignored: excluded by the tenant's settings. member: an admin, client or supplier of the tenant.
     * @enum {string}
     */
    reason?: "bot" | "flood" | "ignored" | "member";
    error?: {
        /** @enum {string} */
        code: "INVALID_JSON" | "NESTING_TOO_DEEP" | "INVALID_REQUEST" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "INVALID_CREDENTIALS" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "VALIDATION_ERROR" | "INVALID_TRANSITION" | "INSUFFICIENT_INVENTORY" | "PRICE_MISMATCH" | "MARKETPLACE_NOT_ACTIVE" | "SLOT_NOT_AVAILABLE" | "LAST_ADMIN" | "IDEMPOTENCY_KEY_REUSED" | "UNSUPPORTED_MEDIA" | "TEMPLATE_ERROR" | "TEMPLATE_LIMIT" | "LIMIT_REACHED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "TIMEOUT";
        message: string;
        details: {
            field: string;
            value?: unknown;
        };
    };
};
export type StorefrontEvents = {
    events: StorefrontEvent[];
};
/**
 * @example {
 *       "type": "product_view",
 *       "product_id": "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01"
 *     }
 */
export type StorefrontEvent = {
    /**
     * Format: uuid
     * @description Yours: the same event sent again within a day is a duplicate.
     */
    id?: string;
    /** @enum {string} */
    type: "visit" | "product_view" | "add_to_cart" | "checkout";
    /**
     * Format: uuid
     * @description Required without a product_id, if the tenant has several.
     */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description Required for product_view and add_to_cart. A checkout without one counts for no supplier: send one event for each product in the cart.
     */
    product_id?: string;
    /** @description For admins and clients: the visitor, by any name that stays the same. For a customer or guest use the user id, so that their orders belong to the same visitor. Customers and guests report only themselves, whatever they send. */
    visitor_id?: string;
    /** @description The visitor's, if a server reports it. Default: the request's. */
    user_agent?: string;
    /**
     * Format: date-time
     * @description Within the last 24 hours. Default: now.
     */
    occurred_at?: string;
};
export type Funnel = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    stages: {
        /** @enum {string} */
        name: "visitors" | "product_view" | "add_to_cart" | "checkout";
        /** @description Distinct visitors who reached the stage. */
        count: number;
        /** @description Percent of the stage before; 100 for the first, null if nobody reached the stage before. */
        conversion: number | null;
    }[];
    /** @description Visitors who are not counted, because their programs declare themselves bots. */
    bots: number;
};
export type Overview = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    basis: "booked" | "placed";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    other_currencies: {
        currency: string;
        revenue: number;
        orders: number;
    }[];
    revenue: {
        /** @description Items ordered less items cancelled and returned, by `basis`. Orders that are not paid count too: `received` is what was paid. */
        total: number;
        /**
         * @description Against the same number of days just before, in percent; null if the earlier value was zero or negative.
         * @example +12.5%
         */
        change: string | null;
        /** @enum {string} */
        period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
        delivery_amount: number | null;
        /** @description Payments of the period, less payments that were reversed in it, with delivery. Null with a supplier or a category. */
        received: number | null;
        refunded: number | null;
    };
    orders: {
        total: number;
        /**
         * @description Against the same number of days just before, in percent; null if the earlier value was zero or negative.
         * @example +12.5%
         */
        change: string | null;
        /** @description Value placed / orders; null without orders. */
        average_order: number | null;
    };
    customers: {
        /** @description Customers who ordered, in any currency. */
        total: number;
        /** @description Customers whose first order is in the period. */
        new: number;
        /**
         * @description Against the same number of days just before, in percent; null if the earlier value was zero or negative.
         * @example +12.5%
         */
        change: string | null;
    };
    conversion_rate: {
        /** @description Percent of visitors who ordered. */
        value: number | null;
        /**
         * @description Against the same number of days just before, in percent; null if the earlier value was zero or negative.
         * @example +12.5%
         */
        change: string | null;
    };
};
export type SalesReport = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    basis: "booked" | "placed";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    other_currencies: {
        currency: string;
        revenue: number;
        orders: number;
    }[];
    /** @enum {string} */
    group_by: "hour" | "day" | "week" | "month" | "quarter";
    data: {
        /**
         * @description The first day of the step; for an hour, its time with the offset of the tenant's time zone.
         * @example 2026-11-23
         */
        date: string;
        revenue: number;
        orders: number;
        /** @description Value placed / orders; null without orders. */
        average_order: number | null;
        /** @description Pieces placed. */
        items: number;
        cancelled: number;
        returned: number;
    }[];
    summary: {
        total_revenue: number;
        total_orders: number;
        /** @description The change of revenue as a number; null if the earlier value was zero or negative. */
        growth_rate: number | null;
        /** @description Value placed / orders; null without orders. */
        average_order: number | null;
        /** @description Pieces placed. */
        items: number;
        cancelled: number;
        returned: number;
        delivery_amount: number | null;
        /** @description Payments of the period, less payments that were reversed in it, with delivery. Null with a supplier or a category. */
        received: number | null;
        refunded: number | null;
    };
};
export type RevenueReport = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    basis: "booked" | "placed";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    other_currencies: {
        currency: string;
        revenue: number;
        orders: number;
    }[];
    /** @enum {string} */
    group_by: "hour" | "day" | "week" | "month" | "quarter";
    /** @enum {string} */
    by: "marketplace" | "category" | "supplier" | "product" | "source";
    total: number;
    /**
     * @description Against the same number of days just before, in percent; null if the earlier value was zero or negative.
     * @example +12.5%
     */
    change: string | null;
    data: {
        /**
         * @description The first day of the step; for an hour, its time with the offset of the tenant's time zone.
         * @example 2026-11-23
         */
        date: string;
        revenue: number;
        orders: number;
        /** @description Value placed / orders; null without orders. */
        average_order: number | null;
        /** @description Pieces placed. */
        items: number;
        cancelled: number;
        returned: number;
    }[];
    /** @description Sorted by revenue, highest first, at most 1000. */
    breakdown: {
        /** @description Null for the operator's own sales, and for products without a category. */
        id: string | null;
        name: string | null;
        revenue: number | null;
        orders: number | null;
        /** @description In percent. */
        share: number | null;
    }[];
};
export type TopProducts = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    basis: "booked" | "placed";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    other_currencies: {
        currency: string;
        revenue: number;
        orders: number;
    }[];
    /** @enum {string} */
    by: "revenue" | "sales_count";
    products: {
        /** Format: uuid */
        id: string;
        name: string;
        /** @description Pieces, minus cancelled and returned ones. */
        sales_count: number;
        revenue: number;
        rank: number;
        /**
         * @description The change of its revenue.
         * @example +12.5%
         */
        change: string | null;
    }[];
};
export type CustomerSegments = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    segments: {
        /** @enum {string} */
        name: "prospects" | "lost" | "at_risk" | "vip" | "new" | "returning";
        criteria: string;
        count: number;
        /** @description Within 365 days. */
        revenue: number;
        /** @description Share of all revenue within 365 days, in percent. */
        revenue_share: number;
    }[];
};
export type SegmentCustomers = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    name: "prospects" | "lost" | "at_risk" | "vip" | "new" | "returning";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    customers: {
        /** Format: uuid */
        id: string;
        /** @description Null for suppliers. */
        name: string | null;
        email: string | null;
        created_at: string;
        /** @description Within 365 days. */
        orders: number;
        /** @description Within 365 days. */
        revenue: number;
        first_ordered_at: string | null;
        last_ordered_at: string | null;
    }[];
    total: number;
    page: number;
    limit: number;
};
export type Cohorts = {
    /** @enum {string} */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /** Format: date */
    from: string;
    /** Format: date */
    to: string;
    /** @example Europe/Berlin */
    time_zone: string;
    /** @description The last time that a day changed after it was over; null if none did. */
    restated_at: string | null;
    /** @enum {string} */
    type: "retention" | "revenue";
    /** @description Null if the tenant has no marketplace. */
    currency: string | null;
    cohorts: {
        /**
         * @description The month.
         * @example 2026-01
         */
        period: string;
        /** @description Customers whose first order is in the month. */
        users: number;
        /** @description Percent of them who ordered in the same month, in the next one, and so on. */
        retention?: number[];
        /** @description Revenue per customer up to the end of each month. */
        revenue?: number[];
    }[];
};
export type DashboardList = {
    /** @description The oldest first. */
    dashboards: Dashboard[];
};
export type Dashboard = {
    /** Format: uuid */
    id: string;
    /**
     * Format: uuid
     * @description The supplier whose members share it; null for the tenant's admins and clients.
     */
    supplier_id: string | null;
    name: string;
    widgets: Widget[];
    created_at: string;
    updated_at: string;
};
export type Widget = {
    /** @enum {string} */
    type: "metric" | "line" | "bar" | "table" | "funnel" | "cohort";
    /** @example Sales by day */
    title: string;
    /**
     * @description A path below /api/analytics/ with its parameters: overview, sales, revenue, products/top, customers/segments, funnel or cohorts. It is run once when it is saved.
     * @example /api/analytics/sales?period=30d&group_by=day
     */
    query: string;
};
export type NewDashboard = {
    /** @example This month */
    name: string;
    widgets: Widget[];
};
export type DashboardChanges = NewDashboard & {
    /**
     * Format: date-time
     * @description The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.
     */
    updated_at?: string;
};
export type DashboardAnswer = {
    widgets: {
        /** @example Sales by day */
        title: string;
        /** @enum {string} */
        type: "metric" | "line" | "bar" | "table" | "funnel" | "cohort";
        /** @description The response of the query; null if it is refused. */
        data: Overview | SalesReport | RevenueReport | TopProducts | CustomerSegments | Funnel | Cohorts | null;
        /** @description The reason, if the query is refused. */
        error?: {
            /** @enum {string} */
            code: "INVALID_JSON" | "NESTING_TOO_DEEP" | "INVALID_REQUEST" | "UNAUTHORIZED" | "TOKEN_EXPIRED" | "INVALID_CREDENTIALS" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "VALIDATION_ERROR" | "INVALID_TRANSITION" | "INSUFFICIENT_INVENTORY" | "PRICE_MISMATCH" | "MARKETPLACE_NOT_ACTIVE" | "SLOT_NOT_AVAILABLE" | "LAST_ADMIN" | "IDEMPOTENCY_KEY_REUSED" | "UNSUPPORTED_MEDIA" | "TEMPLATE_ERROR" | "TEMPLATE_LIMIT" | "LIMIT_REACHED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | "TIMEOUT";
            message: string;
            details: {
                field: string;
                value?: unknown;
            };
        };
    }[];
};
export type FigureDefinitions = {
    definitions: FigureDefinition[];
};
export type FigureDefinition = {
    /** @example revenue */
    name: string;
    /** @enum {string} */
    unit: "money" | "number" | "percent";
    /**
     * @description The paths below /api/analytics/ that return it.
     * @example [
     *       "overview",
     *       "sales"
     *     ]
     */
    reports: string[];
    meaning: string;
    formula: string;
};
export type Export = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    /**
     * Format: uuid
     * @description A user; null if deleted.
     */
    asked_by: string | null;
    type: ExportType;
    /**
     * @description Null if the export has no period.
     * @enum {string|null}
     */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom" | null;
    from: string | null;
    to: string | null;
    /** Format: uuid */
    marketplace_id: string | null;
    /** Format: uuid */
    supplier_id: string | null;
    /** Format: uuid */
    category: string | null;
    currency: string | null;
    /** @enum {string|null} */
    by: "marketplace" | "category" | "supplier" | "product" | "source" | null;
    format: ExportFormat;
    bom: boolean;
    email: string | null;
    status: ExportStatus;
    progress: number;
    /** @description Rows written so far. */
    rows: number;
    bytes: number;
    /** @description The reason for the failure. */
    error: string | null;
    created_at: string;
    finished_at: string | null;
    /** @description Time at which its files are deleted. */
    expires_at: string | null;
    /** @description The signed address of its file, once it is ready. It is valid for 24 hours; each GET returns a new one. */
    url: string | null;
    /** @description The addresses of all its files, in order. A large export has several. */
    urls: string[];
};
/** @enum {string} */
export type ExportType = "sales" | "revenue" | "orders" | "order_items" | "products" | "inventory" | "customers" | "segments" | "cohorts" | "funnel" | "campaigns" | "commissions";
/** @enum {string} */
export type ExportFormat = "csv" | "xlsx" | "json";
/** @enum {string} */
export type ExportStatus = "queued" | "running" | "ready" | "failed" | "expired";
/**
 * @example {
 *       "type": "orders",
 *       "period": "30d",
 *       "format": "csv"
 *     }
 */
export type NewExport = {
    type: ExportType;
    format: ExportFormat;
    /** Format: uuid */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description For admins and clients; suppliers see their own figures.
     */
    supplier_id?: string;
    /**
     * Format: uuid
     * @description With all categories below it.
     */
    category?: string;
    /**
     * @description Default: the currency of the marketplace, or of most orders.
     * @example EUR
     */
    currency?: string;
    /**
     * @description For revenue: the dimension of the breakdown. Default: marketplace.
     * @enum {string}
     */
    by?: "marketplace" | "category" | "supplier" | "product" | "source";
    /** @description For csv: whether the file starts with a byte order mark, by which Excel detects UTF-8. */
    bom?: boolean;
    /**
     * Format: idn-email
     * @description The address of an active member of the tenant who is to be notified. It is stored; no mail is sent yet.
     */
    email?: string;
    /**
     * @description Default: 30d; for products, inventory, customers, campaigns, segments and cohorts everything.
     * @enum {string}
     */
    period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom";
    /**
     * Format: date
     * @description The first day of the period custom.
     * @example 2026-11-01
     */
    from?: string;
    /**
     * Format: date
     * @description The last day of the period custom.
     * @example 2026-11-21
     */
    to?: string;
};
export type ExportSchedule = {
    /** Format: uuid */
    id: string;
    /** Format: uuid */
    tenant_id: string;
    type: ExportType;
    /**
     * @description Null if the export has no period.
     * @enum {string|null}
     */
    period: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter" | "custom" | null;
    /** Format: uuid */
    marketplace_id: string | null;
    /** Format: uuid */
    supplier_id: string | null;
    /** Format: uuid */
    category: string | null;
    currency: string | null;
    /** @enum {string|null} */
    by: "marketplace" | "category" | "supplier" | "product" | "source" | null;
    format: ExportFormat;
    bom: boolean;
    email: string | null;
    created_at: string;
    /** Format: uuid */
    asked_by: string;
    /** @enum {string} */
    every: "day" | "week" | "month";
    /** @description Time at which the next export is queued. */
    next_at: string;
    last_at: string | null;
    /** @description The reason why the last export was refused; null if it was queued. */
    last_error: string | null;
};
/**
 * @example {
 *       "type": "sales",
 *       "period": "last_month",
 *       "format": "csv",
 *       "every": "month"
 *     }
 */
export type NewExportSchedule = {
    type: ExportType;
    format: ExportFormat;
    /** Format: uuid */
    marketplace_id?: string;
    /**
     * Format: uuid
     * @description For admins and clients; suppliers see their own figures.
     */
    supplier_id?: string;
    /**
     * Format: uuid
     * @description With all categories below it.
     */
    category?: string;
    /**
     * @description Default: the currency of the marketplace, or of most orders.
     * @example EUR
     */
    currency?: string;
    /**
     * @description For revenue: the dimension of the breakdown. Default: marketplace.
     * @enum {string}
     */
    by?: "marketplace" | "category" | "supplier" | "product" | "source";
    /** @description For csv: whether the file starts with a byte order mark, by which Excel detects UTF-8. */
    bom?: boolean;
    /**
     * Format: idn-email
     * @description The address of an active member of the tenant who is to be notified. It is stored; no mail is sent yet.
     */
    email?: string;
    /**
     * @description It ends with the day before the export is due. For no gaps: yesterday with day, last_week with week, last_month with month. With month, 30d is refused, and last_month is the default for types whose default is 30d.
     * @enum {string}
     */
    period?: "today" | "yesterday" | "7d" | "30d" | "90d" | "1y" | "last_week" | "last_month" | "last_quarter";
    /**
     * @description Runs at the beginning of the tenant's day. A week begins on Monday.
     * @enum {string}
     */
    every: "day" | "week" | "month";
};
