// Made from the database by `npm run types`. Do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
      categories: {
        Row: {
          attributes: NonNullable<Json>;
          created_at: string;
          id: string;
          name: string;
          parent_id: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          attributes?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          name: string;
          parent_id?: string | null;
          tenant_id?: string;
        };
        Update: {
          attributes?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          name?: string;
          parent_id?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "categories_parent_id_fkey";
            columns: ["tenant_id", "parent_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "categories_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      customers: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          tenant_id: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name?: string;
          tenant_id: string;
          user_id?: string | null;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          tenant_id?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "customers_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      events: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          payload: NonNullable<Json>;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          payload: NonNullable<Json>;
          tenant_id: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          payload?: NonNullable<Json>;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "events_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      inventory: {
        Row: {
          id: string;
          product_id: string;
          quantity: number;
          reserved: number;
          tenant_id: string;
          updated_at: string;
          variant_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          id?: string;
          product_id: string;
          quantity?: number;
          reserved?: number;
          tenant_id: string;
          updated_at?: string;
          variant_id?: string | null;
        };
        Update: {
          id?: string;
          product_id?: string;
          quantity?: number;
          reserved?: number;
          tenant_id?: string;
          updated_at?: string;
          variant_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "inventory_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "product_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "inventory_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "inventory_variant_id_fkey";
            columns: ["tenant_id", "product_id", "variant_id"];
            isOneToOne: false;
            referencedRelation: "product_variants";
            referencedColumns: ["tenant_id", "product_id", "id"];
          },
        ];
      };
      marketplaces: {
        Row: {
          category: string;
          created_at: string;
          currency: string;
          description: string;
          domain: string;
          id: string;
          language: string;
          name: string;
          settings: NonNullable<Json>;
          status: Database["public"]["Enums"]["marketplace_status"];
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          category: string;
          created_at?: string;
          currency: string;
          description?: string;
          domain: string;
          id?: string;
          language: string;
          name: string;
          settings?: NonNullable<Json>;
          status?: Database["public"]["Enums"]["marketplace_status"];
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          category?: string;
          created_at?: string;
          currency?: string;
          description?: string;
          domain?: string;
          id?: string;
          language?: string;
          name?: string;
          settings?: NonNullable<Json>;
          status?: Database["public"]["Enums"]["marketplace_status"];
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "marketplaces_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      members: {
        Row: {
          content_roles: string[];
          created_at: string;
          role: Database["public"]["Enums"]["member_role"];
          status: Database["public"]["Enums"]["member_status"];
          supplier_id: string | null;
          tenant_id: string;
          user_id: string;
        };
        ComputedFields: never;
        Insert: {
          content_roles?: string[];
          created_at?: string;
          role: Database["public"]["Enums"]["member_role"];
          status?: Database["public"]["Enums"]["member_status"];
          supplier_id?: string | null;
          tenant_id: string;
          user_id: string;
        };
        Update: {
          content_roles?: string[];
          created_at?: string;
          role?: Database["public"]["Enums"]["member_role"];
          status?: Database["public"]["Enums"]["member_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          user_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "members_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "members_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      order_items: {
        Row: {
          amount: number;
          id: string;
          name: string;
          order_id: string;
          position: number;
          price: number;
          product_id: string;
          quantity: number;
          supplier_id: string | null;
          tenant_id: string;
          variant_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          amount?: never;
          id?: string;
          name: string;
          order_id: string;
          position: number;
          price: number;
          product_id: string;
          quantity: number;
          supplier_id?: string | null;
          tenant_id: string;
          variant_id?: string | null;
        };
        Update: {
          amount?: never;
          id?: string;
          name?: string;
          order_id?: string;
          position?: number;
          price?: number;
          product_id?: string;
          quantity?: number;
          supplier_id?: string | null;
          tenant_id?: string;
          variant_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "order_items_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_items_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_items_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "product_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_items_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_items_variant_id_fkey";
            columns: ["tenant_id", "product_id", "variant_id"];
            isOneToOne: false;
            referencedRelation: "product_variants";
            referencedColumns: ["tenant_id", "product_id", "id"];
          },
        ];
      };
      order_status_changes: {
        Row: {
          actor_id: string | null;
          created_at: string;
          id: string;
          new_status: Database["public"]["Enums"]["order_status"];
          note: string | null;
          old_status: Database["public"]["Enums"]["order_status"];
          order_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          new_status: Database["public"]["Enums"]["order_status"];
          note?: string | null;
          old_status: Database["public"]["Enums"]["order_status"];
          order_id: string;
          tenant_id: string;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          new_status?: Database["public"]["Enums"]["order_status"];
          note?: string | null;
          old_status?: Database["public"]["Enums"]["order_status"];
          order_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_status_changes_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_status_changes_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      orders: {
        Row: {
          created_at: string;
          currency: string;
          customer_id: string;
          id: string;
          marketplace_id: string;
          payment_status: Database["public"]["Enums"]["payment_status"];
          shipping_address: NonNullable<Json>;
          status: Database["public"]["Enums"]["order_status"];
          supplier_ids: string[];
          tenant_id: string;
          total_amount: number;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          currency: string;
          customer_id: string;
          id?: string;
          marketplace_id: string;
          payment_status?: Database["public"]["Enums"]["payment_status"];
          shipping_address: NonNullable<Json>;
          status?: Database["public"]["Enums"]["order_status"];
          supplier_ids: string[];
          tenant_id: string;
          total_amount: number;
          updated_at?: string;
        };
        Update: {
          created_at?: string;
          currency?: string;
          customer_id?: string;
          id?: string;
          marketplace_id?: string;
          payment_status?: Database["public"]["Enums"]["payment_status"];
          shipping_address?: NonNullable<Json>;
          status?: Database["public"]["Enums"]["order_status"];
          supplier_ids?: string[];
          tenant_id?: string;
          total_amount?: number;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "orders_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "orders_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "orders_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      product_variants: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          position: number;
          price: number | null;
          product_id: string;
          sku: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          position?: number;
          price?: number | null;
          product_id: string;
          sku?: string | null;
          tenant_id?: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          position?: number;
          price?: number | null;
          product_id?: string;
          sku?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "product_variants_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "product_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "product_variants_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      products: {
        Row: {
          attributes: NonNullable<Json>;
          category_id: string | null;
          created_at: string;
          currency: string;
          description: string;
          id: string;
          images: NonNullable<Json>;
          kind: Database["public"]["Enums"]["product_kind"];
          marketplace_id: string;
          name: string;
          price: number;
          status: Database["public"]["Enums"]["product_status"];
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          attributes?: NonNullable<Json>;
          category_id?: string | null;
          created_at?: string;
          currency: string;
          description?: string;
          id?: string;
          images?: NonNullable<Json>;
          kind?: Database["public"]["Enums"]["product_kind"];
          marketplace_id?: string;
          name: string;
          price: number;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          attributes?: NonNullable<Json>;
          category_id?: string | null;
          created_at?: string;
          currency?: string;
          description?: string;
          id?: string;
          images?: NonNullable<Json>;
          kind?: Database["public"]["Enums"]["product_kind"];
          marketplace_id?: string;
          name?: string;
          price?: number;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "products_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_currency_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "products_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      suppliers: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          tenant_id: string;
          verified: boolean;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          tenant_id: string;
          verified?: boolean;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          tenant_id?: string;
          verified?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: "suppliers_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      tenants: {
        Row: {
          created_at: string;
          id: string;
          name: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
        };
        Relationships: [];
      };
      webhook_deliveries: {
        Row: {
          attempts: number;
          created_at: string;
          error: string | null;
          event: string;
          event_id: string;
          id: string;
          next_attempt_at: string | null;
          response_code: number | null;
          status: Database["public"]["Enums"]["delivery_status"];
          tenant_id: string;
          updated_at: string;
          webhook_id: string;
        };
        ComputedFields: never;
        Insert: {
          attempts?: number;
          created_at?: string;
          error?: string | null;
          event: string;
          event_id: string;
          id?: string;
          next_attempt_at?: string | null;
          response_code?: number | null;
          status?: Database["public"]["Enums"]["delivery_status"];
          tenant_id: string;
          updated_at?: string;
          webhook_id: string;
        };
        Update: {
          attempts?: number;
          created_at?: string;
          error?: string | null;
          event?: string;
          event_id?: string;
          id?: string;
          next_attempt_at?: string | null;
          response_code?: number | null;
          status?: Database["public"]["Enums"]["delivery_status"];
          tenant_id?: string;
          updated_at?: string;
          webhook_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "webhook_deliveries_event_id_fkey";
            columns: ["tenant_id", "event_id"];
            isOneToOne: false;
            referencedRelation: "events";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "webhook_deliveries_webhook_id_fkey";
            columns: ["tenant_id", "webhook_id"];
            isOneToOne: false;
            referencedRelation: "webhooks";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      webhooks: {
        Row: {
          active: boolean;
          created_at: string;
          events: string[];
          id: string;
          secret: string | null;
          tenant_id: string;
          updated_at: string;
          url: string;
        };
        ComputedFields: never;
        Insert: {
          active?: boolean;
          created_at?: string;
          events: string[];
          id?: string;
          secret?: string | null;
          tenant_id?: string;
          updated_at?: string;
          url: string;
        };
        Update: {
          active?: boolean;
          created_at?: string;
          events?: string[];
          id?: string;
          secret?: string | null;
          tenant_id?: string;
          updated_at?: string;
          url?: string;
        };
        Relationships: [
          {
            foreignKeyName: "webhooks_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Views: {
      order_details: {
        Row: {
          created_at: string;
          currency: string;
          customer_id: string;
          history: Json | null;
          id: string;
          items: Json | null;
          marketplace_id: string;
          payment_status: Database["public"]["Enums"]["payment_status"];
          shipping_address: NonNullable<Json>;
          status: Database["public"]["Enums"]["order_status"];
          tenant_id: string;
          total_amount: number;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string | null;
          currency?: string | null;
          customer_id?: string | null;
          history?: never;
          id?: string | null;
          items?: never;
          marketplace_id?: string | null;
          payment_status?: Database["public"]["Enums"]["payment_status"] | null;
          shipping_address?: Json | null;
          status?: Database["public"]["Enums"]["order_status"] | null;
          tenant_id?: string | null;
          total_amount?: number | null;
          updated_at?: string | null;
        };
        Update: {
          created_at?: string | null;
          currency?: string | null;
          customer_id?: string | null;
          history?: never;
          id?: string | null;
          items?: never;
          marketplace_id?: string | null;
          payment_status?: Database["public"]["Enums"]["payment_status"] | null;
          shipping_address?: Json | null;
          status?: Database["public"]["Enums"]["order_status"] | null;
          tenant_id?: string | null;
          total_amount?: number | null;
          updated_at?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "orders_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "orders_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "orders_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      product_details: {
        Row: {
          attributes: NonNullable<Json>;
          category_id: string | null;
          created_at: string;
          currency: string;
          description: string;
          id: string;
          images: NonNullable<Json>;
          inventory: Json | null;
          kind: Database["public"]["Enums"]["product_kind"];
          marketplace_id: string;
          name: string;
          price: number;
          status: Database["public"]["Enums"]["product_status"];
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
          variants: Json | null;
        };
        ComputedFields: never;
        Insert: {
          attributes?: Json | null;
          category_id?: string | null;
          created_at?: string | null;
          currency?: string | null;
          description?: string | null;
          id?: string | null;
          images?: Json | null;
          inventory?: never;
          kind?: Database["public"]["Enums"]["product_kind"] | null;
          marketplace_id?: string | null;
          name?: string | null;
          price?: number | null;
          status?: Database["public"]["Enums"]["product_status"] | null;
          supplier_id?: string | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          variants?: never;
        };
        Update: {
          attributes?: Json | null;
          category_id?: string | null;
          created_at?: string | null;
          currency?: string | null;
          description?: string | null;
          id?: string | null;
          images?: Json | null;
          inventory?: never;
          kind?: Database["public"]["Enums"]["product_kind"] | null;
          marketplace_id?: string | null;
          name?: string | null;
          price?: number | null;
          status?: Database["public"]["Enums"]["product_status"] | null;
          supplier_id?: string | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          variants?: never;
        };
        Relationships: [
          {
            foreignKeyName: "products_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_currency_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "products_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Functions: {
      change_order_status: {
        Args: {
          note?: string;
          order_id: string;
          status: Database["public"]["Enums"]["order_status"];
        };
        Returns: Json;
      };
      claim_webhook_deliveries: {
        Args: { batch?: number };
        Returns: {
          body: string;
          event: string;
          id: string;
          secret: string;
          url: string;
        }[];
      };
      create_product: {
        Args: {
          attributes?: Json;
          category_id?: string;
          currency?: string;
          description?: string;
          images?: Json;
          inventory?: Json;
          kind?: Database["public"]["Enums"]["product_kind"];
          marketplace_id?: string;
          name: string;
          price: number;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string;
          variants?: Json;
        };
        Returns: Json;
      };
      create_webhook: {
        Args: { active?: boolean; events: string[]; secret?: string; url: string };
        Returns: Json;
      };
      list_products: {
        Args: {
          brand?: string;
          category?: string;
          limit?: number;
          marketplace_id?: string;
          order?: string;
          page?: number;
          price_max?: number;
          price_min?: number;
          search?: string;
          sort?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string;
        };
        Returns: Json;
      };
      me: { Args: Record<PropertyKey, never>; Returns: Json };
      place_order: {
        Args: { customer_id?: string; items: Json; marketplace_id: string; shipping_address: Json };
        Returns: Json;
      };
      record_webhook_attempts: { Args: { attempts: Json }; Returns: undefined };
      spend_refresh_token: { Args: { token_hash: string }; Returns: boolean };
    };
    Enums: {
      delivery_status: "pending" | "retrying" | "success" | "failed";
      marketplace_status: "draft" | "active" | "inactive" | "suspended";
      member_role: "customer" | "supplier" | "client" | "admin";
      member_status: "active" | "suspended";
      order_status:
        | "pending"
        | "confirmed"
        | "processing"
        | "shipped"
        | "delivered"
        | "cancelled"
        | "returned";
      payment_status: "pending" | "paid" | "failed" | "refunded";
      product_kind: "physical" | "digital" | "service";
      product_status: "draft" | "active" | "inactive" | "out_of_stock" | "discontinued";
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R;
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
        Row: infer R;
      }
      ? R
      : never
    : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I;
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Insert: infer I;
      }
      ? I
      : never
    : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U;
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
        Update: infer U;
      }
      ? U
      : never
    : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
    : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
    : never;

export const Constants = {
  public: {
    Enums: {
      delivery_status: ["pending", "retrying", "success", "failed"],
      marketplace_status: ["draft", "active", "inactive", "suspended"],
      member_role: ["customer", "supplier", "client", "admin"],
      member_status: ["active", "suspended"],
      order_status: [
        "pending",
        "confirmed",
        "processing",
        "shipped",
        "delivered",
        "cancelled",
        "returned",
      ],
      payment_status: ["pending", "paid", "failed", "refunded"],
      product_kind: ["physical", "digital", "service"],
      product_status: ["draft", "active", "inactive", "out_of_stock", "discontinued"],
    },
  },
} as const;
