// Made from the database by `npm run types`. Do not edit.

export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  public: {
    Tables: {
      api_keys: {
        Row: {
          client_id: string;
          created_at: string;
          created_by: string | null;
          expires_at: string | null;
          id: string;
          last_used_at: string | null;
          name: string;
          role: Database["public"]["Enums"]["member_role"];
          scopes: string[] | null;
          supplier_id: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          client_id: string;
          created_at?: string;
          created_by?: string | null;
          expires_at?: string | null;
          id: string;
          last_used_at?: string | null;
          name: string;
          role: Database["public"]["Enums"]["member_role"];
          scopes?: string[] | null;
          supplier_id?: string | null;
          tenant_id: string;
        };
        Update: {
          client_id?: string;
          created_at?: string;
          created_by?: string | null;
          expires_at?: string | null;
          id?: string;
          last_used_at?: string | null;
          name?: string;
          role?: Database["public"]["Enums"]["member_role"];
          scopes?: string[] | null;
          supplier_id?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "api_keys_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "api_keys_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      audit_log: {
        Row: {
          action: Database["public"]["Enums"]["audit_action"];
          actor: string;
          actor_id: string | null;
          address: string | null;
          created_at: string;
          fields: string[];
          id: string;
          operation: string;
          record_id: string;
          record_type: string;
          supplier_id: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          action: Database["public"]["Enums"]["audit_action"];
          actor: string;
          actor_id?: string | null;
          address?: string | null;
          created_at?: string;
          fields?: string[];
          id?: string;
          operation: string;
          record_id: string;
          record_type: string;
          supplier_id?: string | null;
          tenant_id: string;
        };
        Update: {
          action?: Database["public"]["Enums"]["audit_action"];
          actor?: string;
          actor_id?: string | null;
          address?: string | null;
          created_at?: string;
          fields?: string[];
          id?: string;
          operation?: string;
          record_id?: string;
          record_type?: string;
          supplier_id?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "audit_log_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      bookings: {
        Row: {
          cancellable_until: string;
          cancellation_minutes: number;
          created_at: string;
          customer_id: string;
          delivered_at: string | null;
          delivery_delayed_until: string | null;
          ends_at: string;
          id: string;
          location: Json | null;
          name: string;
          order_id: string;
          order_item_id: string;
          product_id: string;
          seat: number;
          starts_at: string;
          status: Database["public"]["Enums"]["booking_status"];
          supplier_id: string | null;
          tenant_id: string;
          time_zone: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          cancellable_until?: never;
          cancellation_minutes?: number;
          created_at?: string;
          customer_id: string;
          delivered_at?: string | null;
          delivery_delayed_until?: string | null;
          ends_at: string;
          id?: string;
          location?: Json | null;
          name: string;
          order_id: string;
          order_item_id: string;
          product_id: string;
          seat: number;
          starts_at: string;
          status?: Database["public"]["Enums"]["booking_status"];
          supplier_id?: string | null;
          tenant_id: string;
          time_zone: string;
          updated_at?: string;
        };
        Update: {
          cancellable_until?: never;
          cancellation_minutes?: number;
          created_at?: string;
          customer_id?: string;
          delivered_at?: string | null;
          delivery_delayed_until?: string | null;
          ends_at?: string;
          id?: string;
          location?: Json | null;
          name?: string;
          order_id?: string;
          order_item_id?: string;
          product_id?: string;
          seat?: number;
          starts_at?: string;
          status?: Database["public"]["Enums"]["booking_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          time_zone?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "bookings_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_order_item_id_fkey";
            columns: ["tenant_id", "order_id", "order_item_id"];
            isOneToOne: true;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "bookings_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      campaign_auctions: {
        Row: {
          campaign_id: string;
          date: string;
          held: number;
          lost_otherwise: number;
          lost_to_bid: number;
          lost_to_budget: number;
          lost_to_stock: number;
          tenant_id: string;
          won: number;
        };
        ComputedFields: never;
        Insert: {
          campaign_id: string;
          date: string;
          held?: number;
          lost_otherwise?: number;
          lost_to_bid?: number;
          lost_to_budget?: number;
          lost_to_stock?: number;
          tenant_id: string;
          won?: number;
        };
        Update: {
          campaign_id?: string;
          date?: string;
          held?: number;
          lost_otherwise?: number;
          lost_to_bid?: number;
          lost_to_budget?: number;
          lost_to_stock?: number;
          tenant_id?: string;
          won?: number;
        };
        Relationships: [
          {
            foreignKeyName: "campaign_auctions_campaign_id_fkey";
            columns: ["tenant_id", "campaign_id"];
            isOneToOne: false;
            referencedRelation: "campaigns";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      campaign_statistics: {
        Row: {
          campaign_id: string;
          clicks: number;
          date: string;
          id: string;
          impressions: number;
          sales_amount: number;
          sales_count: number;
          spend: number;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          campaign_id: string;
          clicks?: number;
          date: string;
          id?: string;
          impressions?: number;
          sales_amount?: number;
          sales_count?: number;
          spend?: number;
          tenant_id: string;
        };
        Update: {
          campaign_id?: string;
          clicks?: number;
          date?: string;
          id?: string;
          impressions?: number;
          sales_amount?: number;
          sales_count?: number;
          spend?: number;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "campaign_statistics_campaign_id_fkey";
            columns: ["tenant_id", "campaign_id"];
            isOneToOne: false;
            referencedRelation: "campaigns";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      campaigns: {
        Row: {
          bid_amount: number;
          category_id: string | null;
          created_at: string;
          currency: string;
          daily_budget: number | null;
          end_date: string;
          fee: number;
          highlighted: boolean;
          id: string;
          labels: string[];
          marketplace_id: string;
          max_bid: number | null;
          note: string | null;
          pinned: boolean;
          pricing_model: Database["public"]["Enums"]["pricing_model"];
          product_id: string;
          regions: string[] | null;
          start_date: string;
          status: Database["public"]["Enums"]["campaign_status"];
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          bid_amount: number;
          category_id?: string | null;
          created_at?: string;
          currency: string;
          daily_budget?: number | null;
          end_date: string;
          fee?: number;
          highlighted?: boolean;
          id?: string;
          labels?: string[];
          marketplace_id: string;
          max_bid?: number | null;
          note?: string | null;
          pinned?: boolean;
          pricing_model: Database["public"]["Enums"]["pricing_model"];
          product_id: string;
          regions?: string[] | null;
          start_date: string;
          status: Database["public"]["Enums"]["campaign_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          bid_amount?: number;
          category_id?: string | null;
          created_at?: string;
          currency?: string;
          daily_budget?: number | null;
          end_date?: string;
          fee?: number;
          highlighted?: boolean;
          id?: string;
          labels?: string[];
          marketplace_id?: string;
          max_bid?: number | null;
          note?: string | null;
          pinned?: boolean;
          pricing_model?: Database["public"]["Enums"]["pricing_model"];
          product_id?: string;
          regions?: string[] | null;
          start_date?: string;
          status?: Database["public"]["Enums"]["campaign_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "campaigns_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "campaigns_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "campaigns_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "campaigns_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "campaigns_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      categories: {
        Row: {
          attributes: NonNullable<Json>;
          created_at: string;
          id: string;
          name: string;
          parent_id: string | null;
          template_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          attributes?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          name: string;
          parent_id?: string | null;
          template_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          attributes?: NonNullable<Json>;
          created_at?: string;
          id?: string;
          name?: string;
          parent_id?: string | null;
          template_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
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
            foreignKeyName: "categories_template_id_fkey";
            columns: ["tenant_id", "template_id"];
            isOneToOne: false;
            referencedRelation: "templates";
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
      commission_rates: {
        Row: {
          category_id: string | null;
          commission_percent: number;
          created_at: string;
          id: string;
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          category_id?: string | null;
          commission_percent: number;
          created_at?: string;
          id?: string;
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          category_id?: string | null;
          commission_percent?: number;
          created_at?: string;
          id?: string;
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "commission_rates_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: true;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "commission_rates_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: true;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "commission_rates_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      content: {
        Row: {
          author_id: string | null;
          category_id: string | null;
          created_at: string;
          deleted_at: string | null;
          id: string;
          language: string;
          last_version_number: number;
          marketplace_id: string;
          original_version_number: number;
          product_id: string | null;
          published_at: string | null;
          published_version_number: number | null;
          scheduled_at: string | null;
          scheduled_languages: string[] | null;
          scheduled_version_number: number | null;
          slug: string;
          status: Database["public"]["Enums"]["content_status"];
          supplier_id: string | null;
          tenant_id: string;
          title: NonNullable<Json>;
          type: string;
          unpublish_at: string | null;
          updated_at: string;
          version_number: number;
        };
        ComputedFields: never;
        Insert: {
          author_id?: string | null;
          category_id?: string | null;
          created_at?: string;
          deleted_at?: string | null;
          id?: string;
          language: string;
          last_version_number?: number;
          marketplace_id: string;
          original_version_number?: number;
          product_id?: string | null;
          published_at?: string | null;
          published_version_number?: number | null;
          scheduled_at?: string | null;
          scheduled_languages?: string[] | null;
          scheduled_version_number?: number | null;
          slug: string;
          status?: Database["public"]["Enums"]["content_status"];
          supplier_id?: string | null;
          tenant_id: string;
          title: NonNullable<Json>;
          type: string;
          unpublish_at?: string | null;
          updated_at?: string;
          version_number?: number;
        };
        Update: {
          author_id?: string | null;
          category_id?: string | null;
          created_at?: string;
          deleted_at?: string | null;
          id?: string;
          language?: string;
          last_version_number?: number;
          marketplace_id?: string;
          original_version_number?: number;
          product_id?: string | null;
          published_at?: string | null;
          published_version_number?: number | null;
          scheduled_at?: string | null;
          scheduled_languages?: string[] | null;
          scheduled_version_number?: number | null;
          slug?: string;
          status?: Database["public"]["Enums"]["content_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          title?: NonNullable<Json>;
          type?: string;
          unpublish_at?: string | null;
          updated_at?: string;
          version_number?: number;
        };
        Relationships: [
          {
            foreignKeyName: "content_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "content_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "content_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "content_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "content_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "content_type_fkey";
            columns: ["tenant_id", "type"];
            isOneToOne: false;
            referencedRelation: "content_types";
            referencedColumns: ["tenant_id", "key"];
          },
        ];
      };
      content_localizations: {
        Row: {
          content_id: string;
          id: string;
          language: string;
          last_updated: string;
          original_version_number: number;
          published_version_number: number | null;
          status: Database["public"]["Enums"]["translation_status"];
          tenant_id: string;
          translator_id: string | null;
          withdrawn_version_number: number | null;
        };
        ComputedFields: never;
        Insert: {
          content_id: string;
          id?: string;
          language: string;
          last_updated?: string;
          original_version_number: number;
          published_version_number?: number | null;
          status?: Database["public"]["Enums"]["translation_status"];
          tenant_id: string;
          translator_id?: string | null;
          withdrawn_version_number?: number | null;
        };
        Update: {
          content_id?: string;
          id?: string;
          language?: string;
          last_updated?: string;
          original_version_number?: number;
          published_version_number?: number | null;
          status?: Database["public"]["Enums"]["translation_status"];
          tenant_id?: string;
          translator_id?: string | null;
          withdrawn_version_number?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: "content_localizations_content_id_fkey";
            columns: ["tenant_id", "content_id"];
            isOneToOne: false;
            referencedRelation: "content";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      content_moves: {
        Row: {
          actor_id: string | null;
          comment: string | null;
          content_id: string;
          created_at: string;
          from_status: Database["public"]["Enums"]["content_status"];
          id: string;
          move: string;
          tenant_id: string;
          to_status: Database["public"]["Enums"]["content_status"];
          version_number: number;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          comment?: string | null;
          content_id: string;
          created_at?: string;
          from_status: Database["public"]["Enums"]["content_status"];
          id?: string;
          move: string;
          tenant_id: string;
          to_status: Database["public"]["Enums"]["content_status"];
          version_number: number;
        };
        Update: {
          actor_id?: string | null;
          comment?: string | null;
          content_id?: string;
          created_at?: string;
          from_status?: Database["public"]["Enums"]["content_status"];
          id?: string;
          move?: string;
          tenant_id?: string;
          to_status?: Database["public"]["Enums"]["content_status"];
          version_number?: number;
        };
        Relationships: [
          {
            foreignKeyName: "content_moves_content_id_fkey";
            columns: ["tenant_id", "content_id"];
            isOneToOne: false;
            referencedRelation: "content";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      content_types: {
        Row: {
          built_in: boolean;
          created_at: string;
          fields: NonNullable<Json>;
          id: string;
          key: string;
          name: string;
          tenant_id: string;
          updated_at: string;
          workflow: NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          built_in?: boolean;
          created_at?: string;
          fields?: NonNullable<Json>;
          id?: string;
          key: string;
          name: string;
          tenant_id: string;
          updated_at?: string;
          workflow?: NonNullable<Json>;
        };
        Update: {
          built_in?: boolean;
          created_at?: string;
          fields?: NonNullable<Json>;
          id?: string;
          key?: string;
          name?: string;
          tenant_id?: string;
          updated_at?: string;
          workflow?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "content_types_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      customers: {
        Row: {
          contact_email: string | null;
          created_at: string;
          email: string | null;
          erased_at: string | null;
          external_id: string | null;
          id: string;
          is_guest: boolean;
          is_listed: boolean;
          language: string | null;
          name: string;
          phone: string | null;
          tenant_id: string;
          user_id: string | null;
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          contact_email?: string | null;
          created_at?: string;
          email?: string | null;
          erased_at?: string | null;
          external_id?: string | null;
          id?: string;
          is_guest?: boolean;
          is_listed?: boolean;
          language?: string | null;
          name?: string;
          phone?: string | null;
          tenant_id?: string;
          user_id?: string | null;
        };
        Update: {
          contact_email?: string | null;
          created_at?: string;
          email?: string | null;
          erased_at?: string | null;
          external_id?: string | null;
          id?: string;
          is_guest?: boolean;
          is_listed?: boolean;
          language?: string | null;
          name?: string;
          phone?: string | null;
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
      dashboards: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
          widgets: NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
          widgets?: NonNullable<Json>;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
          widgets?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "dashboards_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "dashboards_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      discounts: {
        Row: {
          borne_by: Database["public"]["Enums"]["refund_bearer"];
          category_ids: string[] | null;
          code: string | null;
          created_at: string;
          created_by: string | null;
          currency: string | null;
          ends_at: string | null;
          id: string;
          kind: Database["public"]["Enums"]["discount_kind"];
          marketplace_id: string | null;
          minimum_subtotal: number | null;
          product_ids: string[] | null;
          starts_at: string | null;
          status: Database["public"]["Enums"]["discount_status"];
          supplier_id: string | null;
          supplier_ids: string[] | null;
          tenant_id: string;
          updated_at: string;
          uses: number;
          uses_per_customer: number | null;
          uses_total: number | null;
          value: number | null;
        };
        ComputedFields: never;
        Insert: {
          borne_by?: Database["public"]["Enums"]["refund_bearer"];
          category_ids?: string[] | null;
          code?: string | null;
          created_at?: string;
          created_by?: string | null;
          currency?: string | null;
          ends_at?: string | null;
          id?: string;
          kind: Database["public"]["Enums"]["discount_kind"];
          marketplace_id?: string | null;
          minimum_subtotal?: number | null;
          product_ids?: string[] | null;
          starts_at?: string | null;
          status?: Database["public"]["Enums"]["discount_status"];
          supplier_id?: string | null;
          supplier_ids?: string[] | null;
          tenant_id?: string;
          updated_at?: string;
          uses?: number;
          uses_per_customer?: number | null;
          uses_total?: number | null;
          value?: number | null;
        };
        Update: {
          borne_by?: Database["public"]["Enums"]["refund_bearer"];
          category_ids?: string[] | null;
          code?: string | null;
          created_at?: string;
          created_by?: string | null;
          currency?: string | null;
          ends_at?: string | null;
          id?: string;
          kind?: Database["public"]["Enums"]["discount_kind"];
          marketplace_id?: string | null;
          minimum_subtotal?: number | null;
          product_ids?: string[] | null;
          starts_at?: string | null;
          status?: Database["public"]["Enums"]["discount_status"];
          supplier_id?: string | null;
          supplier_ids?: string[] | null;
          tenant_id?: string;
          updated_at?: string;
          uses?: number;
          uses_per_customer?: number | null;
          uses_total?: number | null;
          value?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: "discounts_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "discounts_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "discounts_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      email_templates: {
        Row: {
          created_at: string;
          html_content: NonNullable<Json>;
          id: string;
          key: string;
          name: string;
          subject: NonNullable<Json>;
          tenant_id: string;
          text_content: Json | null;
          to: Database["public"]["Enums"]["mail_audience"] | null;
          trigger_events: string[];
          updated_at: string;
          variables: string[];
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          created_at?: string;
          html_content: NonNullable<Json>;
          id?: string;
          key: string;
          name: string;
          subject: NonNullable<Json>;
          tenant_id?: string;
          text_content?: Json | null;
          to?: Database["public"]["Enums"]["mail_audience"] | null;
          trigger_events?: string[];
          updated_at?: string;
          variables?: string[];
        };
        Update: {
          created_at?: string;
          html_content?: NonNullable<Json>;
          id?: string;
          key?: string;
          name?: string;
          subject?: NonNullable<Json>;
          tenant_id?: string;
          text_content?: Json | null;
          to?: Database["public"]["Enums"]["mail_audience"] | null;
          trigger_events?: string[];
          updated_at?: string;
          variables?: string[];
        };
        Relationships: [
          {
            foreignKeyName: "email_templates_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      events: {
        Row: {
          bytes: number;
          created_at: string;
          epoch: string;
          id: string;
          marketplace_id: string | null;
          name: string;
          payload: NonNullable<Json>;
          status: string | null;
          tenant_id: string;
          xact_id: unknown;
        };
        ComputedFields: never;
        Insert: {
          bytes?: never;
          created_at?: string;
          epoch?: string;
          id?: string;
          marketplace_id?: string | null;
          name: string;
          payload: NonNullable<Json>;
          status?: string | null;
          tenant_id: string;
          xact_id?: unknown;
        };
        Update: {
          bytes?: never;
          created_at?: string;
          epoch?: string;
          id?: string;
          marketplace_id?: string | null;
          name?: string;
          payload?: NonNullable<Json>;
          status?: string | null;
          tenant_id?: string;
          xact_id?: unknown;
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
      export_schedules: {
        Row: {
          asked_by: string;
          bom: boolean;
          by: string | null;
          category: string | null;
          created_at: string;
          currency: string | null;
          delayed_from: string | null;
          email: string | null;
          every: Database["public"]["Enums"]["export_frequency"];
          format: Database["public"]["Enums"]["export_format"];
          id: string;
          last_at: string | null;
          last_error: string | null;
          marketplace_id: string | null;
          next_at: string;
          period: string | null;
          supplier_id: string | null;
          tenant_id: string;
          type: Database["public"]["Enums"]["export_type"];
        };
        ComputedFields: never;
        Insert: {
          asked_by: string;
          bom?: boolean;
          by?: string | null;
          category?: string | null;
          created_at?: string;
          currency?: string | null;
          delayed_from?: string | null;
          email?: string | null;
          every: Database["public"]["Enums"]["export_frequency"];
          format: Database["public"]["Enums"]["export_format"];
          id?: string;
          last_at?: string | null;
          last_error?: string | null;
          marketplace_id?: string | null;
          next_at: string;
          period?: string | null;
          supplier_id?: string | null;
          tenant_id: string;
          type: Database["public"]["Enums"]["export_type"];
        };
        Update: {
          asked_by?: string;
          bom?: boolean;
          by?: string | null;
          category?: string | null;
          created_at?: string;
          currency?: string | null;
          delayed_from?: string | null;
          email?: string | null;
          every?: Database["public"]["Enums"]["export_frequency"];
          format?: Database["public"]["Enums"]["export_format"];
          id?: string;
          last_at?: string | null;
          last_error?: string | null;
          marketplace_id?: string | null;
          next_at?: string;
          period?: string | null;
          supplier_id?: string | null;
          tenant_id?: string;
          type?: Database["public"]["Enums"]["export_type"];
        };
        Relationships: [
          {
            foreignKeyName: "export_schedules_category_fkey";
            columns: ["tenant_id", "category"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "export_schedules_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "export_schedules_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "export_schedules_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      exports: {
        Row: {
          asked_by: string | null;
          bom: boolean;
          by: string | null;
          bytes: number;
          category: string | null;
          created_at: string;
          currency: string | null;
          email: string | null;
          error: string | null;
          expires_at: string | null;
          files: string[];
          finished_at: string | null;
          format: Database["public"]["Enums"]["export_format"];
          from: string | null;
          id: string;
          marketplace_id: string | null;
          period: string | null;
          progress: number;
          rows: number;
          status: Database["public"]["Enums"]["export_status"];
          supplier_id: string | null;
          tenant_id: string;
          to: string | null;
          type: Database["public"]["Enums"]["export_type"];
        };
        ComputedFields: never;
        Insert: {
          asked_by?: string | null;
          bom?: boolean;
          by?: string | null;
          bytes?: number;
          category?: string | null;
          created_at?: string;
          currency?: string | null;
          email?: string | null;
          error?: string | null;
          expires_at?: string | null;
          files?: string[];
          finished_at?: string | null;
          format: Database["public"]["Enums"]["export_format"];
          from?: string | null;
          id?: string;
          marketplace_id?: string | null;
          period?: string | null;
          progress?: number;
          rows?: number;
          status?: Database["public"]["Enums"]["export_status"];
          supplier_id?: string | null;
          tenant_id: string;
          to?: string | null;
          type: Database["public"]["Enums"]["export_type"];
        };
        Update: {
          asked_by?: string | null;
          bom?: boolean;
          by?: string | null;
          bytes?: number;
          category?: string | null;
          created_at?: string;
          currency?: string | null;
          email?: string | null;
          error?: string | null;
          expires_at?: string | null;
          files?: string[];
          finished_at?: string | null;
          format?: Database["public"]["Enums"]["export_format"];
          from?: string | null;
          id?: string;
          marketplace_id?: string | null;
          period?: string | null;
          progress?: number;
          rows?: number;
          status?: Database["public"]["Enums"]["export_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          to?: string | null;
          type?: Database["public"]["Enums"]["export_type"];
        };
        Relationships: [
          {
            foreignKeyName: "exports_category_fkey";
            columns: ["tenant_id", "category"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "exports_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "exports_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "exports_tenant_id_fkey";
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
          low_stock_threshold: number;
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
          low_stock_threshold?: number;
          product_id: string;
          quantity?: number;
          reserved?: number;
          tenant_id: string;
          updated_at?: string;
          variant_id?: string | null;
        };
        Update: {
          id?: string;
          low_stock_threshold?: number;
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
      inventory_movements: {
        Row: {
          actor_id: string | null;
          created_at: string;
          id: number;
          note: string | null;
          order_id: string | null;
          product_id: string;
          quantity: number;
          quantity_change: number;
          reason: Database["public"]["Enums"]["inventory_reason"];
          reserved: number;
          reserved_change: number;
          tenant_id: string;
          variant_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          id?: never;
          note?: string | null;
          order_id?: string | null;
          product_id: string;
          quantity: number;
          quantity_change: number;
          reason: Database["public"]["Enums"]["inventory_reason"];
          reserved: number;
          reserved_change: number;
          tenant_id: string;
          variant_id?: string | null;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          id?: never;
          note?: string | null;
          order_id?: string | null;
          product_id?: string;
          quantity?: number;
          quantity_change?: number;
          reason?: Database["public"]["Enums"]["inventory_reason"];
          reserved?: number;
          reserved_change?: number;
          tenant_id?: string;
          variant_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "inventory_movements_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "inventory_movements_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "inventory_movements_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      invitations: {
        Row: {
          accepted_at: string | null;
          accepted_by: string | null;
          created_at: string;
          email: string;
          expires_at: string;
          id: string;
          invited_by: string | null;
          role: Database["public"]["Enums"]["member_role"];
          supplier_id: string | null;
          tenant_id: string;
          verified: boolean;
        };
        ComputedFields: never;
        Insert: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string;
          email: string;
          expires_at?: string;
          id?: string;
          invited_by?: string | null;
          role: Database["public"]["Enums"]["member_role"];
          supplier_id?: string | null;
          tenant_id: string;
          verified?: boolean;
        };
        Update: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string;
          email?: string;
          expires_at?: string;
          id?: string;
          invited_by?: string | null;
          role?: Database["public"]["Enums"]["member_role"];
          supplier_id?: string | null;
          tenant_id?: string;
          verified?: boolean;
        };
        Relationships: [
          {
            foreignKeyName: "invitations_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "invitations_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      ledger_adjustments: {
        Row: {
          amount: number;
          created_at: string;
          created_by: string | null;
          currency: string;
          id: string;
          order_id: string | null;
          reason: string;
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          created_at?: string;
          created_by?: string | null;
          currency: string;
          id?: string;
          order_id?: string | null;
          reason: string;
          supplier_id: string;
          tenant_id: string;
        };
        Update: {
          amount?: number;
          created_at?: string;
          created_by?: string | null;
          currency?: string;
          id?: string;
          order_id?: string | null;
          reason?: string;
          supplier_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "ledger_adjustments_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "commission_details";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_adjustments_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "order_commissions";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_adjustments_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      ledger_lines: {
        Row: {
          adjustment_id: string | null;
          amount: number;
          campaign_id: string | null;
          created_at: string;
          currency: string;
          date: string | null;
          due_at: string | null;
          id: string;
          item_id: string | null;
          kind: Database["public"]["Enums"]["ledger_kind"];
          marketplace_id: string | null;
          order_id: string | null;
          payout_id: string | null;
          quantity: number | null;
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          adjustment_id?: string | null;
          amount: number;
          campaign_id?: string | null;
          created_at?: string;
          currency: string;
          date?: string | null;
          due_at?: string | null;
          id?: string;
          item_id?: string | null;
          kind: Database["public"]["Enums"]["ledger_kind"];
          marketplace_id?: string | null;
          order_id?: string | null;
          payout_id?: string | null;
          quantity?: number | null;
          supplier_id: string;
          tenant_id: string;
        };
        Update: {
          adjustment_id?: string | null;
          amount?: number;
          campaign_id?: string | null;
          created_at?: string;
          currency?: string;
          date?: string | null;
          due_at?: string | null;
          id?: string;
          item_id?: string | null;
          kind?: Database["public"]["Enums"]["ledger_kind"];
          marketplace_id?: string | null;
          order_id?: string | null;
          payout_id?: string | null;
          quantity?: number | null;
          supplier_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "ledger_lines_adjustment_id_fkey";
            columns: ["tenant_id", "adjustment_id"];
            isOneToOne: false;
            referencedRelation: "ledger_adjustments";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_campaign_id_fkey";
            columns: ["tenant_id", "campaign_id"];
            isOneToOne: false;
            referencedRelation: "campaigns";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "commission_details";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_lines_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "order_commissions";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_lines_payout_id_fkey";
            columns: ["tenant_id", "payout_id"];
            isOneToOne: false;
            referencedRelation: "payouts";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      licence_keys: {
        Row: {
          created_at: string;
          handed_out_at: string | null;
          id: string;
          in_stock: boolean;
          masked_code: string;
          order_id: string | null;
          order_item_id: string | null;
          product_id: string;
          revoked_at: string | null;
          tenant_id: string;
          variant_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          handed_out_at?: string | null;
          id?: string;
          in_stock?: boolean;
          masked_code: string;
          order_id?: string | null;
          order_item_id?: string | null;
          product_id: string;
          revoked_at?: string | null;
          tenant_id: string;
          variant_id?: string | null;
        };
        Update: {
          created_at?: string;
          handed_out_at?: string | null;
          id?: string;
          in_stock?: boolean;
          masked_code?: string;
          order_id?: string | null;
          order_item_id?: string | null;
          product_id?: string;
          revoked_at?: string | null;
          tenant_id?: string;
          variant_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "licence_keys_order_item_id_fkey";
            columns: ["tenant_id", "order_id", "order_item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "licence_keys_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "licence_keys_variant_id_fkey";
            columns: ["tenant_id", "product_id", "variant_id"];
            isOneToOne: false;
            referencedRelation: "product_variants";
            referencedColumns: ["tenant_id", "product_id", "id"];
          },
        ];
      };
      mail_suppressions: {
        Row: {
          created_at: string;
          email: string;
          id: string;
          reason: Database["public"]["Enums"]["suppression_reason"];
          template: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          email: string;
          id?: string;
          reason: Database["public"]["Enums"]["suppression_reason"];
          template?: string | null;
          tenant_id: string;
        };
        Update: {
          created_at?: string;
          email?: string;
          id?: string;
          reason?: Database["public"]["Enums"]["suppression_reason"];
          template?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "mail_suppressions_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      mails: {
        Row: {
          attempts: number;
          cause_id: string;
          created_at: string;
          error: string | null;
          event_at: string | null;
          event_id: string | null;
          id: string;
          is_for_members: boolean;
          is_test: boolean;
          is_unpaid: boolean;
          languages: string[];
          marketplace_id: string | null;
          name: string;
          next_attempt_at: string | null;
          order_id: string | null;
          provider_id: string | null;
          reported: Database["public"]["Enums"]["suppression_reason"] | null;
          sent_at: string | null;
          status: Database["public"]["Enums"]["mail_status"];
          subject: string | null;
          template: string;
          tenant_id: string;
          to: string;
          updated_at: string;
          variables: NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          attempts?: number;
          cause_id: string;
          created_at?: string;
          error?: string | null;
          event_at?: string | null;
          event_id?: string | null;
          id?: string;
          is_for_members?: boolean;
          is_test?: boolean;
          is_unpaid?: boolean;
          languages?: string[];
          marketplace_id?: string | null;
          name?: string;
          next_attempt_at?: string | null;
          order_id?: string | null;
          provider_id?: string | null;
          reported?: Database["public"]["Enums"]["suppression_reason"] | null;
          sent_at?: string | null;
          status?: Database["public"]["Enums"]["mail_status"];
          subject?: string | null;
          template: string;
          tenant_id: string;
          to: string;
          updated_at?: string;
          variables?: NonNullable<Json>;
        };
        Update: {
          attempts?: number;
          cause_id?: string;
          created_at?: string;
          error?: string | null;
          event_at?: string | null;
          event_id?: string | null;
          id?: string;
          is_for_members?: boolean;
          is_test?: boolean;
          is_unpaid?: boolean;
          languages?: string[];
          marketplace_id?: string | null;
          name?: string;
          next_attempt_at?: string | null;
          order_id?: string | null;
          provider_id?: string | null;
          reported?: Database["public"]["Enums"]["suppression_reason"] | null;
          sent_at?: string | null;
          status?: Database["public"]["Enums"]["mail_status"];
          subject?: string | null;
          template?: string;
          tenant_id?: string;
          to?: string;
          updated_at?: string;
          variables?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "mails_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "mails_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
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
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
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
      media_assets: {
        Row: {
          alt_text: string;
          alt_texts: NonNullable<Json>;
          bucket: string | null;
          cleaned: boolean;
          content_type: string;
          filename: string;
          focal_point: Json | null;
          folder_id: string | null;
          height: number | null;
          id: string;
          path: string | null;
          private: boolean;
          resizable: boolean;
          size: number;
          status: Database["public"]["Enums"]["media_status"];
          supplier_id: string | null;
          tags: string[];
          tenant_id: string;
          type: Database["public"]["Enums"]["media_type"];
          updated_at: string;
          upload_date: string;
          uploaded_by: string | null;
          width: number | null;
        };
        ComputedFields: never;
        Insert: {
          alt_text?: string;
          alt_texts?: NonNullable<Json>;
          bucket?: string | null;
          cleaned?: boolean;
          content_type: string;
          filename: string;
          focal_point?: Json | null;
          folder_id?: string | null;
          height?: number | null;
          id?: string;
          path?: string | null;
          private?: boolean;
          resizable?: boolean;
          size: number;
          status?: Database["public"]["Enums"]["media_status"];
          supplier_id?: string | null;
          tags?: string[];
          tenant_id: string;
          type: Database["public"]["Enums"]["media_type"];
          updated_at?: string;
          upload_date?: string;
          uploaded_by?: string | null;
          width?: number | null;
        };
        Update: {
          alt_text?: string;
          alt_texts?: NonNullable<Json>;
          bucket?: string | null;
          cleaned?: boolean;
          content_type?: string;
          filename?: string;
          focal_point?: Json | null;
          folder_id?: string | null;
          height?: number | null;
          id?: string;
          path?: string | null;
          private?: boolean;
          resizable?: boolean;
          size?: number;
          status?: Database["public"]["Enums"]["media_status"];
          supplier_id?: string | null;
          tags?: string[];
          tenant_id?: string;
          type?: Database["public"]["Enums"]["media_type"];
          updated_at?: string;
          upload_date?: string;
          uploaded_by?: string | null;
          width?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: "media_assets_folder_id_fkey";
            columns: ["tenant_id", "folder_id"];
            isOneToOne: false;
            referencedRelation: "media_folders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "media_assets_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "media_assets_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      media_folders: {
        Row: {
          created_at: string;
          id: string;
          name: string;
          parent_id: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          name: string;
          parent_id?: string | null;
          tenant_id?: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          name?: string;
          parent_id?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "media_folders_parent_id_fkey";
            columns: ["tenant_id", "parent_id"];
            isOneToOne: false;
            referencedRelation: "media_folders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "media_folders_tenant_id_fkey";
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
          email: string;
          is_anonymous: boolean;
          is_key: boolean;
          name: string;
          role: Database["public"]["Enums"]["member_role"];
          status: Database["public"]["Enums"]["member_status"];
          supplier_id: string | null;
          tenant_id: string;
          user_id: string;
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          content_roles?: string[];
          created_at?: string;
          email: string;
          is_anonymous?: boolean;
          is_key?: boolean;
          name: string;
          role: Database["public"]["Enums"]["member_role"];
          status?: Database["public"]["Enums"]["member_status"];
          supplier_id?: string | null;
          tenant_id: string;
          user_id: string;
        };
        Update: {
          content_roles?: string[];
          created_at?: string;
          email?: string;
          is_anonymous?: boolean;
          is_key?: boolean;
          name?: string;
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
      order_cancellation_items: {
        Row: {
          amount: number;
          cancellation_id: string;
          item_id: string;
          order_id: string;
          quantity: number;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          cancellation_id: string;
          item_id: string;
          order_id: string;
          quantity: number;
          tenant_id: string;
        };
        Update: {
          amount?: number;
          cancellation_id?: string;
          item_id?: string;
          order_id?: string;
          quantity?: number;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_cancellation_items_cancellation_id_fkey";
            columns: ["tenant_id", "order_id", "cancellation_id"];
            isOneToOne: false;
            referencedRelation: "order_cancellation_details";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "order_cancellation_items_cancellation_id_fkey";
            columns: ["tenant_id", "order_id", "cancellation_id"];
            isOneToOne: false;
            referencedRelation: "order_cancellations";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "order_cancellation_items_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
        ];
      };
      order_cancellations: {
        Row: {
          actor_id: string | null;
          created_at: string;
          id: string;
          order_id: string;
          reason: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          order_id: string;
          reason?: string | null;
          tenant_id: string;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          order_id?: string;
          reason?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_cancellations_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_cancellations_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_commissions: {
        Row: {
          commission_amount: number;
          commission_on_tax: boolean;
          commission_percent: number | null;
          completed_at: string | null;
          created_at: string;
          currency: string;
          delivery_amount: number;
          delivery_percent: number;
          marketplace_id: string;
          order_id: string;
          payout_amount: number;
          refunded_amount: number;
          sales_amount: number;
          supplier_id: string;
          tax_amount: number;
          tax_collected_by: Database["public"]["Enums"]["tax_collector"];
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          commission_amount: number;
          commission_on_tax?: boolean;
          commission_percent?: number | null;
          completed_at?: string | null;
          created_at: string;
          currency: string;
          delivery_amount?: number;
          delivery_percent?: number;
          marketplace_id: string;
          order_id: string;
          payout_amount: number;
          refunded_amount?: number;
          sales_amount: number;
          supplier_id: string;
          tax_amount?: number;
          tax_collected_by?: Database["public"]["Enums"]["tax_collector"];
          tenant_id: string;
          updated_at?: string;
        };
        Update: {
          commission_amount?: number;
          commission_on_tax?: boolean;
          commission_percent?: number | null;
          completed_at?: string | null;
          created_at?: string;
          currency?: string;
          delivery_amount?: number;
          delivery_percent?: number;
          marketplace_id?: string;
          order_id?: string;
          payout_amount?: number;
          refunded_amount?: number;
          sales_amount?: number;
          supplier_id?: string;
          tax_amount?: number;
          tax_collected_by?: Database["public"]["Enums"]["tax_collector"];
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_commissions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_commissions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_commissions_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_item_commissions: {
        Row: {
          commission_percent: number;
          item_id: string;
          order_id: string;
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          commission_percent: number;
          item_id: string;
          order_id: string;
          supplier_id: string;
          tenant_id: string;
        };
        Update: {
          commission_percent?: number;
          item_id?: string;
          order_id?: string;
          supplier_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_item_commissions_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: true;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "order_item_commissions_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_items: {
        Row: {
          amount: number;
          cancelled_quantity: number;
          delivered_quantity: number;
          discount_amount: number;
          discount_borne_by: Database["public"]["Enums"]["refund_bearer"] | null;
          discount_code: string | null;
          discount_id: string | null;
          exempt_amount: number;
          id: string;
          lost_quantity: number;
          name: string;
          net_amount: number;
          order_id: string;
          position: number;
          price: number;
          product_id: string;
          quantity: number;
          returned_quantity: number;
          shipped_quantity: number;
          sold_quantity: number;
          starts_at: string | null;
          supplier_id: string | null;
          tax_amount: number;
          tax_included: boolean;
          tax_name: string | null;
          tax_rate: number | null;
          tenant_id: string;
          unpaid_quantity: number;
          variant_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          amount?: never;
          cancelled_quantity?: number;
          delivered_quantity?: number;
          discount_amount?: number;
          discount_borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          discount_code?: string | null;
          discount_id?: string | null;
          exempt_amount?: number;
          id?: string;
          lost_quantity?: number;
          name: string;
          net_amount?: never;
          order_id: string;
          position: number;
          price: number;
          product_id: string;
          quantity: number;
          returned_quantity?: number;
          shipped_quantity?: number;
          sold_quantity?: never;
          starts_at?: string | null;
          supplier_id?: string | null;
          tax_amount?: number;
          tax_included?: boolean;
          tax_name?: string | null;
          tax_rate?: number | null;
          tenant_id: string;
          unpaid_quantity?: number;
          variant_id?: string | null;
        };
        Update: {
          amount?: never;
          cancelled_quantity?: number;
          delivered_quantity?: number;
          discount_amount?: number;
          discount_borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          discount_code?: string | null;
          discount_id?: string | null;
          exempt_amount?: number;
          id?: string;
          lost_quantity?: number;
          name?: string;
          net_amount?: never;
          order_id?: string;
          position?: number;
          price?: number;
          product_id?: string;
          quantity?: number;
          returned_quantity?: number;
          shipped_quantity?: number;
          sold_quantity?: never;
          starts_at?: string | null;
          supplier_id?: string | null;
          tax_amount?: number;
          tax_included?: boolean;
          tax_name?: string | null;
          tax_rate?: number | null;
          tenant_id?: string;
          unpaid_quantity?: number;
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
      order_notes: {
        Row: {
          author_id: string | null;
          created_at: string;
          id: string;
          order_id: string;
          supplier_id: string | null;
          tenant_id: string;
          text: string;
          visibility: Database["public"]["Enums"]["note_visibility"];
        };
        ComputedFields: never;
        Insert: {
          author_id?: string | null;
          created_at?: string;
          id?: string;
          order_id: string;
          supplier_id?: string | null;
          tenant_id: string;
          text: string;
          visibility: Database["public"]["Enums"]["note_visibility"];
        };
        Update: {
          author_id?: string | null;
          created_at?: string;
          id?: string;
          order_id?: string;
          supplier_id?: string | null;
          tenant_id?: string;
          text?: string;
          visibility?: Database["public"]["Enums"]["note_visibility"];
        };
        Relationships: [
          {
            foreignKeyName: "order_notes_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_notes_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_notes_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_parts: {
        Row: {
          accepted: boolean;
          customer_id: string;
          delivers_all: boolean;
          delivery_amount: number;
          delivery_discount_amount: number;
          delivery_exempt_amount: number;
          delivery_owed: boolean;
          delivery_recipient: Database["public"]["Enums"]["delivery_recipient"];
          delivery_tax_amount: number;
          delivery_tax_name: string | null;
          delivery_tax_rate: number | null;
          discount_amount: number;
          exempt_amount: number;
          legal: NonNullable<Json>;
          order_id: string;
          status: Database["public"]["Enums"]["order_status"];
          subtotal: number;
          supplier_id: string | null;
          tax_amount: number;
          tax_included: boolean;
          tax_note: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          accepted?: boolean;
          customer_id: string;
          delivers_all?: boolean;
          delivery_amount?: number;
          delivery_discount_amount?: number;
          delivery_exempt_amount?: number;
          delivery_owed?: boolean;
          delivery_recipient?: Database["public"]["Enums"]["delivery_recipient"];
          delivery_tax_amount?: number;
          delivery_tax_name?: string | null;
          delivery_tax_rate?: number | null;
          discount_amount?: number;
          exempt_amount?: number;
          legal?: NonNullable<Json>;
          order_id: string;
          status?: Database["public"]["Enums"]["order_status"];
          subtotal: number;
          supplier_id?: string | null;
          tax_amount?: number;
          tax_included?: boolean;
          tax_note?: string | null;
          tenant_id: string;
        };
        Update: {
          accepted?: boolean;
          customer_id?: string;
          delivers_all?: boolean;
          delivery_amount?: number;
          delivery_discount_amount?: number;
          delivery_exempt_amount?: number;
          delivery_owed?: boolean;
          delivery_recipient?: Database["public"]["Enums"]["delivery_recipient"];
          delivery_tax_amount?: number;
          delivery_tax_name?: string | null;
          delivery_tax_rate?: number | null;
          discount_amount?: number;
          exempt_amount?: number;
          legal?: NonNullable<Json>;
          order_id?: string;
          status?: Database["public"]["Enums"]["order_status"];
          subtotal?: number;
          supplier_id?: string | null;
          tax_amount?: number;
          tax_included?: boolean;
          tax_note?: string | null;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_parts_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_parts_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_parts_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_parts_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_parts_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_return_items: {
        Row: {
          amount: number;
          item_id: string;
          order_id: string;
          quantity: number;
          restocked: boolean;
          return_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          item_id: string;
          order_id: string;
          quantity: number;
          restocked?: boolean;
          return_id: string;
          tenant_id: string;
        };
        Update: {
          amount?: number;
          item_id?: string;
          order_id?: string;
          quantity?: number;
          restocked?: boolean;
          return_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_return_items_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "order_return_items_return_id_fkey";
            columns: ["tenant_id", "order_id", "return_id"];
            isOneToOne: false;
            referencedRelation: "order_return_details";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "order_return_items_return_id_fkey";
            columns: ["tenant_id", "order_id", "return_id"];
            isOneToOne: false;
            referencedRelation: "order_returns";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
        ];
      };
      order_returns: {
        Row: {
          actor_id: string | null;
          created_at: string;
          id: string;
          note: string | null;
          order_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          note?: string | null;
          order_id: string;
          tenant_id: string;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          id?: string;
          note?: string | null;
          order_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_returns_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_returns_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
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
          billing_address: Json | null;
          contact: Json | null;
          created_at: string;
          currency: string;
          customer_id: string;
          delivery_method: string | null;
          external_id: string | null;
          id: string;
          imported_at: string | null;
          language: string | null;
          marketplace_id: string;
          number: number;
          payment_due_at: string | null;
          payment_method: string | null;
          payment_reversed_at: string | null;
          payment_status: Database["public"]["Enums"]["payment_status"];
          shipping_address: Json | null;
          status: Database["public"]["Enums"]["order_status"];
          tax_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          billing_address?: Json | null;
          contact?: Json | null;
          created_at?: string;
          currency: string;
          customer_id: string;
          delivery_method?: string | null;
          external_id?: string | null;
          id?: string;
          imported_at?: string | null;
          language?: string | null;
          marketplace_id: string;
          number: number;
          payment_due_at?: string | null;
          payment_method?: string | null;
          payment_reversed_at?: string | null;
          payment_status?: Database["public"]["Enums"]["payment_status"];
          shipping_address?: Json | null;
          status?: Database["public"]["Enums"]["order_status"];
          tax_id?: string | null;
          tenant_id: string;
          updated_at?: string;
        };
        Update: {
          billing_address?: Json | null;
          contact?: Json | null;
          created_at?: string;
          currency?: string;
          customer_id?: string;
          delivery_method?: string | null;
          external_id?: string | null;
          id?: string;
          imported_at?: string | null;
          language?: string | null;
          marketplace_id?: string;
          number?: number;
          payment_due_at?: string | null;
          payment_method?: string | null;
          payment_reversed_at?: string | null;
          payment_status?: Database["public"]["Enums"]["payment_status"];
          shipping_address?: Json | null;
          status?: Database["public"]["Enums"]["order_status"];
          tax_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "orders_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
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
      payment_sessions: {
        Row: {
          actor_id: string | null;
          amount: number;
          created_at: string;
          currency: string;
          id: string;
          order_id: string;
          provider: Database["public"]["Enums"]["payment_provider"];
          reference: string | null;
          return_url: string | null;
          status: Database["public"]["Enums"]["payment_session_status"];
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          amount: number;
          created_at?: string;
          currency: string;
          id?: string;
          order_id: string;
          provider: Database["public"]["Enums"]["payment_provider"];
          reference?: string | null;
          return_url?: string | null;
          status?: Database["public"]["Enums"]["payment_session_status"];
          tenant_id: string;
          updated_at?: string;
        };
        Update: {
          actor_id?: string | null;
          amount?: number;
          created_at?: string;
          currency?: string;
          id?: string;
          order_id?: string;
          provider?: Database["public"]["Enums"]["payment_provider"];
          reference?: string | null;
          return_url?: string | null;
          status?: Database["public"]["Enums"]["payment_session_status"];
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "payment_sessions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "payment_sessions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      payments: {
        Row: {
          actor_id: string | null;
          amount: number;
          borne_by: Database["public"]["Enums"]["refund_bearer"] | null;
          created_at: string;
          currency: string;
          delivery_amount: number | null;
          delivery_shares: Json | null;
          id: string;
          items: Json | null;
          named_amount: number;
          order_id: string;
          reference: string;
          status: Database["public"]["Enums"]["payment_report"];
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          amount: number;
          borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          created_at?: string;
          currency: string;
          delivery_amount?: number | null;
          delivery_shares?: Json | null;
          id?: string;
          items?: Json | null;
          named_amount?: number;
          order_id: string;
          reference: string;
          status: Database["public"]["Enums"]["payment_report"];
          tenant_id: string;
        };
        Update: {
          actor_id?: string | null;
          amount?: number;
          borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          created_at?: string;
          currency?: string;
          delivery_amount?: number | null;
          delivery_shares?: Json | null;
          id?: string;
          items?: Json | null;
          named_amount?: number;
          order_id?: string;
          reference?: string;
          status?: Database["public"]["Enums"]["payment_report"];
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "payments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "payments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      payout_holds: {
        Row: {
          created_at: string;
          created_by: string | null;
          id: string;
          order_id: string | null;
          reason: string;
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          created_by?: string | null;
          id?: string;
          order_id?: string | null;
          reason: string;
          supplier_id: string;
          tenant_id?: string;
        };
        Update: {
          created_at?: string;
          created_by?: string | null;
          id?: string;
          order_id?: string | null;
          reason?: string;
          supplier_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "payout_holds_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "commission_details";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "payout_holds_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "order_commissions";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "payout_holds_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "payout_holds_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      payouts: {
        Row: {
          amount: number;
          created_at: string;
          created_by: string | null;
          currency: string;
          failed_at: string | null;
          id: string;
          lines: number;
          paid_at: string | null;
          reason: string | null;
          reference: string | null;
          reversed_at: string | null;
          status: Database["public"]["Enums"]["payout_status"];
          supplier_id: string;
          tenant_id: string;
          until: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          created_at?: string;
          created_by?: string | null;
          currency: string;
          failed_at?: string | null;
          id?: string;
          lines: number;
          paid_at?: string | null;
          reason?: string | null;
          reference?: string | null;
          reversed_at?: string | null;
          status?: Database["public"]["Enums"]["payout_status"];
          supplier_id: string;
          tenant_id: string;
          until: string;
          updated_at?: string;
        };
        Update: {
          amount?: number;
          created_at?: string;
          created_by?: string | null;
          currency?: string;
          failed_at?: string | null;
          id?: string;
          lines?: number;
          paid_at?: string | null;
          reason?: string | null;
          reference?: string | null;
          reversed_at?: string | null;
          status?: Database["public"]["Enums"]["payout_status"];
          supplier_id?: string;
          tenant_id?: string;
          until?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "payouts_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      placement_categories: {
        Row: {
          auction_enabled: boolean;
          base_price: number;
          category_id: string;
          created_at: string;
          display_priority: string;
          forbidden: boolean;
          max_slots: number;
          min_bid: number;
          min_quality: number;
          other_prices: NonNullable<Json>;
          rotation_minutes: number;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          auction_enabled?: boolean;
          base_price?: number;
          category_id: string;
          created_at?: string;
          display_priority?: string;
          forbidden?: boolean;
          max_slots?: number;
          min_bid?: number;
          min_quality?: number;
          other_prices?: NonNullable<Json>;
          rotation_minutes?: number;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          auction_enabled?: boolean;
          base_price?: number;
          category_id?: string;
          created_at?: string;
          display_priority?: string;
          forbidden?: boolean;
          max_slots?: number;
          min_bid?: number;
          min_quality?: number;
          other_prices?: NonNullable<Json>;
          rotation_minutes?: number;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "placement_categories_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: true;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "placement_categories_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      placement_charges: {
        Row: {
          amount: number;
          campaign_id: string;
          click_id: string | null;
          created_at: string;
          date: string;
          explanation: NonNullable<Json>;
          id: string;
          kind: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          amount: number;
          campaign_id: string;
          click_id?: string | null;
          created_at?: string;
          date: string;
          explanation?: NonNullable<Json>;
          id?: string;
          kind: string;
          tenant_id: string;
        };
        Update: {
          amount?: number;
          campaign_id?: string;
          click_id?: string | null;
          created_at?: string;
          date?: string;
          explanation?: NonNullable<Json>;
          id?: string;
          kind?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "placement_charges_campaign_id_fkey";
            columns: ["tenant_id", "campaign_id"];
            isOneToOne: false;
            referencedRelation: "campaigns";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      placement_settings: {
        Row: {
          auction_log_share: number;
          click_account_age_minutes: number;
          clicks_per_address_and_hour: number;
          clicks_per_visitor_and_hour: number;
          created_at: string;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          auction_log_share?: number;
          click_account_age_minutes?: number;
          clicks_per_address_and_hour?: number;
          clicks_per_visitor_and_hour?: number;
          created_at?: string;
          tenant_id?: string;
          updated_at?: string;
        };
        Update: {
          auction_log_share?: number;
          click_account_age_minutes?: number;
          clicks_per_address_and_hour?: number;
          clicks_per_visitor_and_hour?: number;
          created_at?: string;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "placement_settings_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: true;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      product_approvals: {
        Row: {
          decided_at: string | null;
          decided_by: string | null;
          is_released: boolean;
          pending_changes: Json | null;
          product_id: string;
          reason: string | null;
          requested_at: string;
          status: Database["public"]["Enums"]["approval_status"];
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          decided_at?: string | null;
          decided_by?: string | null;
          is_released?: boolean;
          pending_changes?: Json | null;
          product_id: string;
          reason?: string | null;
          requested_at?: string;
          status: Database["public"]["Enums"]["approval_status"];
          supplier_id: string;
          tenant_id: string;
        };
        Update: {
          decided_at?: string | null;
          decided_by?: string | null;
          is_released?: boolean;
          pending_changes?: Json | null;
          product_id?: string;
          reason?: string | null;
          requested_at?: string;
          status?: Database["public"]["Enums"]["approval_status"];
          supplier_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "product_approvals_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "product_approvals_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      product_files: {
        Row: {
          asset_id: string | null;
          created_at: string;
          id: string;
          name: string;
          product_id: string;
          sha256: string | null;
          size_bytes: number | null;
          tenant_id: string;
          url: string | null;
        };
        ComputedFields: never;
        Insert: {
          asset_id?: string | null;
          created_at?: string;
          id?: string;
          name: string;
          product_id: string;
          sha256?: string | null;
          size_bytes?: number | null;
          tenant_id?: string;
          url?: string | null;
        };
        Update: {
          asset_id?: string | null;
          created_at?: string;
          id?: string;
          name?: string;
          product_id?: string;
          sha256?: string | null;
          size_bytes?: number | null;
          tenant_id?: string;
          url?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "product_files_asset_id_fkey";
            columns: ["tenant_id", "asset_id"];
            isOneToOne: false;
            referencedRelation: "media_assets";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "product_files_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      product_variants: {
        Row: {
          compare_at_price: number | null;
          created_at: string;
          id: string;
          marketplace_id: string | null;
          name: string;
          position: number;
          price: number | null;
          product_id: string;
          sku: string | null;
          sku_is_unique: boolean;
          supplier_id: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          compare_at_price?: number | null;
          created_at?: string;
          id?: string;
          marketplace_id?: string | null;
          name: string;
          position?: number;
          price?: number | null;
          product_id: string;
          sku?: string | null;
          sku_is_unique?: boolean;
          supplier_id?: string | null;
          tenant_id?: string;
        };
        Update: {
          compare_at_price?: number | null;
          created_at?: string;
          id?: string;
          marketplace_id?: string | null;
          name?: string;
          position?: number;
          price?: number | null;
          product_id?: string;
          sku?: string | null;
          sku_is_unique?: boolean;
          supplier_id?: string | null;
          tenant_id?: string;
        };
        Relationships: [
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
          attribute_values: Json | null;
          attributes: NonNullable<Json>;
          brand: string | null;
          category_id: string | null;
          compare_at_price: number | null;
          created_at: string;
          currency: string;
          description: string;
          description_html: string | null;
          external_id: string | null;
          highest_price: number;
          id: string;
          images: NonNullable<Json>;
          kind: Database["public"]["Enums"]["product_kind"];
          lowest_price: number;
          marketplace_id: string;
          name: string;
          physical: Json | null;
          price: number;
          safety: Json | null;
          slug: string;
          status: Database["public"]["Enums"]["product_status"];
          supplier_id: string | null;
          template_id: string | null;
          tenant_id: string;
          track_inventory: boolean;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          attribute_values?: Json | null;
          attributes?: NonNullable<Json>;
          brand?: string | null;
          category_id?: string | null;
          compare_at_price?: number | null;
          created_at?: string;
          currency: string;
          description?: string;
          description_html?: string | null;
          external_id?: string | null;
          highest_price?: number;
          id?: string;
          images?: NonNullable<Json>;
          kind?: Database["public"]["Enums"]["product_kind"];
          lowest_price?: number;
          marketplace_id?: string;
          name: string;
          physical?: Json | null;
          price: number;
          safety?: Json | null;
          slug?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string | null;
          template_id?: string | null;
          tenant_id?: string;
          track_inventory?: boolean;
          updated_at?: string;
        };
        Update: {
          attribute_values?: Json | null;
          attributes?: NonNullable<Json>;
          brand?: string | null;
          category_id?: string | null;
          compare_at_price?: number | null;
          created_at?: string;
          currency?: string;
          description?: string;
          description_html?: string | null;
          external_id?: string | null;
          highest_price?: number;
          id?: string;
          images?: NonNullable<Json>;
          kind?: Database["public"]["Enums"]["product_kind"];
          lowest_price?: number;
          marketplace_id?: string;
          name?: string;
          physical?: Json | null;
          price?: number;
          safety?: Json | null;
          slug?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string | null;
          template_id?: string | null;
          tenant_id?: string;
          track_inventory?: boolean;
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
            foreignKeyName: "products_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id", "currency"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id", "currency"];
          },
          {
            foreignKeyName: "products_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "products_template_id_fkey";
            columns: ["tenant_id", "template_id"];
            isOneToOne: false;
            referencedRelation: "templates";
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
      published_content: {
        Row: {
          author_id: string | null;
          category_id: string | null;
          content_id: string;
          created_at: string;
          language: string;
          languages: string[];
          marketplace_id: string;
          product_id: string | null;
          published_at: string;
          slug: string;
          tenant_id: string;
          title: NonNullable<Json>;
          type: string;
          version_number: number;
          visibility: Database["public"]["Enums"]["content_visibility"];
          visible_to: Database["public"]["Enums"]["member_role"][];
        };
        ComputedFields: never;
        Insert: {
          author_id?: string | null;
          category_id?: string | null;
          content_id: string;
          created_at: string;
          language: string;
          languages: string[];
          marketplace_id: string;
          product_id?: string | null;
          published_at?: string;
          slug: string;
          tenant_id: string;
          title: NonNullable<Json>;
          type: string;
          version_number: number;
          visibility: Database["public"]["Enums"]["content_visibility"];
          visible_to?: Database["public"]["Enums"]["member_role"][];
        };
        Update: {
          author_id?: string | null;
          category_id?: string | null;
          content_id?: string;
          created_at?: string;
          language?: string;
          languages?: string[];
          marketplace_id?: string;
          product_id?: string | null;
          published_at?: string;
          slug?: string;
          tenant_id?: string;
          title?: NonNullable<Json>;
          type?: string;
          version_number?: number;
          visibility?: Database["public"]["Enums"]["content_visibility"];
          visible_to?: Database["public"]["Enums"]["member_role"][];
        };
        Relationships: [
          {
            foreignKeyName: "published_content_content_id_fkey";
            columns: ["tenant_id", "content_id"];
            isOneToOne: false;
            referencedRelation: "content";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      refunds: {
        Row: {
          actor_id: string | null;
          amount: number;
          created_at: string;
          currency: string;
          error: string | null;
          id: string;
          is_booked: boolean;
          order_id: string;
          payment_reference: string;
          provider: Database["public"]["Enums"]["payment_provider"];
          reason: string | null;
          reference: string | null;
          session_id: string;
          status: Database["public"]["Enums"]["refund_status"];
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          amount: number;
          created_at?: string;
          currency: string;
          error?: string | null;
          id?: string;
          is_booked: boolean;
          order_id: string;
          payment_reference: string;
          provider: Database["public"]["Enums"]["payment_provider"];
          reason?: string | null;
          reference?: string | null;
          session_id: string;
          status?: Database["public"]["Enums"]["refund_status"];
          tenant_id: string;
          updated_at?: string;
        };
        Update: {
          actor_id?: string | null;
          amount?: number;
          created_at?: string;
          currency?: string;
          error?: string | null;
          id?: string;
          is_booked?: boolean;
          order_id?: string;
          payment_reference?: string;
          provider?: Database["public"]["Enums"]["payment_provider"];
          reason?: string | null;
          reference?: string | null;
          session_id?: string;
          status?: Database["public"]["Enums"]["refund_status"];
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "refunds_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "refunds_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "refunds_session_id_fkey";
            columns: ["tenant_id", "session_id"];
            isOneToOne: false;
            referencedRelation: "payment_sessions";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      return_request_items: {
        Row: {
          item_id: string;
          order_id: string;
          quantity: number;
          received_quantity: number;
          request_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          item_id: string;
          order_id: string;
          quantity: number;
          received_quantity?: number;
          request_id: string;
          tenant_id: string;
        };
        Update: {
          item_id?: string;
          order_id?: string;
          quantity?: number;
          received_quantity?: number;
          request_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "return_request_items_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "return_request_items_request_id_fkey";
            columns: ["tenant_id", "order_id", "request_id"];
            isOneToOne: false;
            referencedRelation: "return_request_details";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "return_request_items_request_id_fkey";
            columns: ["tenant_id", "order_id", "request_id"];
            isOneToOne: false;
            referencedRelation: "return_requests";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
        ];
      };
      return_requests: {
        Row: {
          actor_id: string | null;
          created_at: string;
          customer_id: string;
          id: string;
          note: string | null;
          order_id: string;
          reason: string | null;
          status: Database["public"]["Enums"]["return_request_status"];
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          created_at?: string;
          customer_id: string;
          id?: string;
          note?: string | null;
          order_id: string;
          reason?: string | null;
          status?: Database["public"]["Enums"]["return_request_status"];
          supplier_id?: string | null;
          tenant_id: string;
          updated_at?: string;
        };
        Update: {
          actor_id?: string | null;
          created_at?: string;
          customer_id?: string;
          id?: string;
          note?: string | null;
          order_id?: string;
          reason?: string | null;
          status?: Database["public"]["Enums"]["return_request_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "return_requests_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      search_synonyms: {
        Row: {
          created_at: string;
          id: string;
          tenant_id: string;
          terms: string[];
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          tenant_id?: string;
          terms: string[];
          updated_at?: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          tenant_id?: string;
          terms?: string[];
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "search_synonyms_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      service_calendars: {
        Row: {
          cancellation_minutes: number;
          capacity: number;
          created_at: string;
          duration_minutes: number;
          id: string;
          lead_minutes: number;
          location: Json | null;
          product_id: string;
          tenant_id: string;
          time_zone: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          cancellation_minutes?: number;
          capacity?: number;
          created_at?: string;
          duration_minutes: number;
          id?: string;
          lead_minutes?: number;
          location?: Json | null;
          product_id: string;
          tenant_id: string;
          time_zone: string;
          updated_at?: string;
        };
        Update: {
          cancellation_minutes?: number;
          capacity?: number;
          created_at?: string;
          duration_minutes?: number;
          id?: string;
          lead_minutes?: number;
          location?: Json | null;
          product_id?: string;
          tenant_id?: string;
          time_zone?: string;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "service_calendars_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: true;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      service_exceptions: {
        Row: {
          closes: string | null;
          date: string;
          id: string;
          opens: string | null;
          product_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          closes?: string | null;
          date: string;
          id?: string;
          opens?: string | null;
          product_id: string;
          tenant_id: string;
        };
        Update: {
          closes?: string | null;
          date?: string;
          id?: string;
          opens?: string | null;
          product_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "service_exceptions_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "service_calendars";
            referencedColumns: ["tenant_id", "product_id"];
          },
        ];
      };
      service_hours: {
        Row: {
          closes: string;
          id: string;
          opens: string;
          product_id: string;
          tenant_id: string;
          weekday: number;
        };
        ComputedFields: never;
        Insert: {
          closes: string;
          id?: string;
          opens: string;
          product_id: string;
          tenant_id: string;
          weekday: number;
        };
        Update: {
          closes?: string;
          id?: string;
          opens?: string;
          product_id?: string;
          tenant_id?: string;
          weekday?: number;
        };
        Relationships: [
          {
            foreignKeyName: "service_hours_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "service_calendars";
            referencedColumns: ["tenant_id", "product_id"];
          },
        ];
      };
      shipment_items: {
        Row: {
          item_id: string;
          order_id: string;
          quantity: number;
          shipment_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Insert: {
          item_id: string;
          order_id: string;
          quantity: number;
          shipment_id: string;
          tenant_id: string;
        };
        Update: {
          item_id?: string;
          order_id?: string;
          quantity?: number;
          shipment_id?: string;
          tenant_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "shipment_items_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "shipment_items_shipment_id_fkey";
            columns: ["tenant_id", "order_id", "shipment_id"];
            isOneToOne: false;
            referencedRelation: "shipment_details";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "shipment_items_shipment_id_fkey";
            columns: ["tenant_id", "order_id", "shipment_id"];
            isOneToOne: false;
            referencedRelation: "shipments";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
        ];
      };
      shipments: {
        Row: {
          actor_id: string | null;
          carrier: string | null;
          created_at: string;
          customer_id: string;
          delivered_at: string | null;
          delivery_expected_by: string;
          id: string;
          note: string | null;
          order_id: string;
          resent: boolean;
          status: Database["public"]["Enums"]["shipment_status"];
          supplier_id: string | null;
          tenant_id: string;
          tracking_number: string | null;
          tracking_url: string | null;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          actor_id?: string | null;
          carrier?: string | null;
          created_at?: string;
          customer_id: string;
          delivered_at?: string | null;
          delivery_expected_by: string;
          id?: string;
          note?: string | null;
          order_id: string;
          resent?: boolean;
          status?: Database["public"]["Enums"]["shipment_status"];
          supplier_id?: string | null;
          tenant_id: string;
          tracking_number?: string | null;
          tracking_url?: string | null;
          updated_at?: string;
        };
        Update: {
          actor_id?: string | null;
          carrier?: string | null;
          created_at?: string;
          customer_id?: string;
          delivered_at?: string | null;
          delivery_expected_by?: string;
          id?: string;
          note?: string | null;
          order_id?: string;
          resent?: boolean;
          status?: Database["public"]["Enums"]["shipment_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          tracking_number?: string | null;
          tracking_url?: string | null;
          updated_at?: string;
        };
        Relationships: [
          {
            foreignKeyName: "shipments_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      supplier_applications: {
        Row: {
          country: string;
          created_at: string;
          decided_at: string | null;
          decided_by: string | null;
          email: string;
          id: string;
          legal: NonNullable<Json>;
          message: string;
          name: string;
          reason: string | null;
          status: Database["public"]["Enums"]["approval_status"];
          supplier_id: string | null;
          tenant_id: string;
          user_id: string | null;
        };
        ComputedFields: never;
        Insert: {
          country: string;
          created_at?: string;
          decided_at?: string | null;
          decided_by?: string | null;
          email: string;
          id?: string;
          legal?: NonNullable<Json>;
          message?: string;
          name: string;
          reason?: string | null;
          status?: Database["public"]["Enums"]["approval_status"];
          supplier_id?: string | null;
          tenant_id: string;
          user_id?: string | null;
        };
        Update: {
          country?: string;
          created_at?: string;
          decided_at?: string | null;
          decided_by?: string | null;
          email?: string;
          id?: string;
          legal?: NonNullable<Json>;
          message?: string;
          name?: string;
          reason?: string | null;
          status?: Database["public"]["Enums"]["approval_status"];
          supplier_id?: string | null;
          tenant_id?: string;
          user_id?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "supplier_applications_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "supplier_applications_tenant_id_fkey";
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
          description: string;
          id: string;
          legal: NonNullable<Json>;
          logo: string | null;
          marketplace_ids: string[] | null;
          name: string;
          slug: string;
          status: Database["public"]["Enums"]["supplier_status"];
          tenant_id: string;
          updated_at: string;
          verified: boolean;
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          created_at?: string;
          description?: string;
          id?: string;
          legal?: NonNullable<Json>;
          logo?: string | null;
          marketplace_ids?: string[] | null;
          name: string;
          slug?: string;
          status?: Database["public"]["Enums"]["supplier_status"];
          tenant_id?: string;
          updated_at?: string;
          verified?: boolean;
        };
        Update: {
          created_at?: string;
          description?: string;
          id?: string;
          legal?: NonNullable<Json>;
          logo?: string | null;
          marketplace_ids?: string[] | null;
          name?: string;
          slug?: string;
          status?: Database["public"]["Enums"]["supplier_status"];
          tenant_id?: string;
          updated_at?: string;
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
      tax_rates: {
        Row: {
          category_id: string | null;
          country: string;
          created_at: string;
          id: string;
          name: string;
          rate: number;
          region: string | null;
          tenant_id: string;
          updated_at: string;
          valid_from: string | null;
          valid_to: string | null;
        };
        ComputedFields: never;
        Insert: {
          category_id?: string | null;
          country: string;
          created_at?: string;
          id?: string;
          name: string;
          rate: number;
          region?: string | null;
          tenant_id?: string;
          updated_at?: string;
          valid_from?: string | null;
          valid_to?: string | null;
        };
        Update: {
          category_id?: string | null;
          country?: string;
          created_at?: string;
          id?: string;
          name?: string;
          rate?: number;
          region?: string | null;
          tenant_id?: string;
          updated_at?: string;
          valid_from?: string | null;
          valid_to?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "tax_rates_category_id_fkey";
            columns: ["tenant_id", "category_id"];
            isOneToOne: false;
            referencedRelation: "categories";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "tax_rates_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      template_components: {
        Row: {
          asset_ids: string[];
          category: Database["public"]["Enums"]["component_category"];
          content: string;
          created_at: string;
          id: string;
          name: string;
          props: NonNullable<Json>;
          responsive: NonNullable<Json>;
          styles: string;
          tenant_id: string;
          updated_at: string;
          variants: NonNullable<Json>;
          version_number: number;
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          asset_ids?: string[];
          category: Database["public"]["Enums"]["component_category"];
          content: string;
          created_at?: string;
          id?: string;
          name: string;
          props?: NonNullable<Json>;
          responsive?: NonNullable<Json>;
          styles?: string;
          tenant_id: string;
          updated_at?: string;
          variants?: NonNullable<Json>;
          version_number?: number;
        };
        Update: {
          asset_ids?: string[];
          category?: Database["public"]["Enums"]["component_category"];
          content?: string;
          created_at?: string;
          id?: string;
          name?: string;
          props?: NonNullable<Json>;
          responsive?: NonNullable<Json>;
          styles?: string;
          tenant_id?: string;
          updated_at?: string;
          variants?: NonNullable<Json>;
          version_number?: number;
        };
        Relationships: [
          {
            foreignKeyName: "template_components_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      template_localizations: {
        Row: {
          base_template_id: string;
          created_at: string;
          custom_styles: string | null;
          formatting: Json | null;
          id: string;
          language: string;
          rtl_support: boolean;
          tenant_id: string;
          translations: NonNullable<Json>;
          updated_at: string;
          version_number: number;
        };
        ComputedFields: never;
        Insert: {
          base_template_id: string;
          created_at?: string;
          custom_styles?: string | null;
          formatting?: Json | null;
          id?: string;
          language: string;
          rtl_support: boolean;
          tenant_id: string;
          translations?: NonNullable<Json>;
          updated_at?: string;
          version_number?: number;
        };
        Update: {
          base_template_id?: string;
          created_at?: string;
          custom_styles?: string | null;
          formatting?: Json | null;
          id?: string;
          language?: string;
          rtl_support?: boolean;
          tenant_id?: string;
          translations?: NonNullable<Json>;
          updated_at?: string;
          version_number?: number;
        };
        Relationships: [
          {
            foreignKeyName: "template_localizations_base_template_id_fkey";
            columns: ["tenant_id", "base_template_id"];
            isOneToOne: false;
            referencedRelation: "templates";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      templates: {
        Row: {
          active_version: number | null;
          caching: Json | null;
          created_at: string;
          id: string;
          is_default: boolean;
          marketplace_id: string | null;
          name: string;
          tenant_id: string;
          type: Database["public"]["Enums"]["page_type"];
          updated_at: string;
          version_number: number;
        };
        ComputedFields: never;
        Insert: {
          active_version?: number | null;
          caching?: Json | null;
          created_at?: string;
          id?: string;
          is_default?: boolean;
          marketplace_id?: string | null;
          name: string;
          tenant_id: string;
          type: Database["public"]["Enums"]["page_type"];
          updated_at?: string;
          version_number?: number;
        };
        Update: {
          active_version?: number | null;
          caching?: Json | null;
          created_at?: string;
          id?: string;
          is_default?: boolean;
          marketplace_id?: string | null;
          name?: string;
          tenant_id?: string;
          type?: Database["public"]["Enums"]["page_type"];
          updated_at?: string;
          version_number?: number;
        };
        Relationships: [
          {
            foreignKeyName: "templates_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "templates_tenant_id_fkey";
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
          mail_paused_at: string | null;
          mail_status: Database["public"]["Enums"]["tenant_mail_status"];
          name: string;
          settings: NonNullable<Json>;
          time_zone: string;
          updated_at: string;
        };
        ComputedFields: never;
        Insert: {
          created_at?: string;
          id?: string;
          mail_paused_at?: string | null;
          mail_status?: Database["public"]["Enums"]["tenant_mail_status"];
          name: string;
          settings?: NonNullable<Json>;
          time_zone?: string;
          updated_at?: string;
        };
        Update: {
          created_at?: string;
          id?: string;
          mail_paused_at?: string | null;
          mail_status?: Database["public"]["Enums"]["tenant_mail_status"];
          name?: string;
          settings?: NonNullable<Json>;
          time_zone?: string;
          updated_at?: string;
        };
        Relationships: [];
      };
      webhook_deliveries: {
        Row: {
          attempted_at: string | null;
          attempts: number;
          attempts_before: number;
          created_at: string;
          duration_ms: number | null;
          error: string | null;
          event: string;
          event_at: string;
          event_id: string;
          id: string;
          next_attempt_at: string | null;
          response_body: string | null;
          response_code: number | null;
          status: Database["public"]["Enums"]["delivery_status"];
          tenant_id: string;
          updated_at: string;
          webhook_id: string;
        };
        ComputedFields: never;
        Insert: {
          attempted_at?: string | null;
          attempts?: number;
          attempts_before?: number;
          created_at?: string;
          duration_ms?: number | null;
          error?: string | null;
          event: string;
          event_at: string;
          event_id: string;
          id?: string;
          next_attempt_at?: string | null;
          response_body?: string | null;
          response_code?: number | null;
          status?: Database["public"]["Enums"]["delivery_status"];
          tenant_id: string;
          updated_at?: string;
          webhook_id: string;
        };
        Update: {
          attempted_at?: string | null;
          attempts?: number;
          attempts_before?: number;
          created_at?: string;
          duration_ms?: number | null;
          error?: string | null;
          event?: string;
          event_at?: string;
          event_id?: string;
          id?: string;
          next_attempt_at?: string | null;
          response_body?: string | null;
          response_code?: number | null;
          status?: Database["public"]["Enums"]["delivery_status"];
          tenant_id?: string;
          updated_at?: string;
          webhook_id?: string;
        };
        Relationships: [
          {
            foreignKeyName: "webhook_deliveries_webhook_id_fkey";
            columns: ["tenant_id", "webhook_id"];
            isOneToOne: false;
            referencedRelation: "webhook_details";
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
          description: string;
          disabled_reason: string | null;
          events: string[];
          failing_since: string | null;
          header_names: string[];
          headers: Json | null;
          id: string;
          marketplace_ids: string[] | null;
          secret: string | null;
          statuses: string[] | null;
          tenant_id: string;
          updated_at: string;
          url: string;
        };
        ComputedFields: never;
        Insert: {
          active?: boolean;
          created_at?: string;
          description?: string;
          disabled_reason?: string | null;
          events: string[];
          failing_since?: string | null;
          header_names?: string[];
          headers?: Json | null;
          id?: string;
          marketplace_ids?: string[] | null;
          secret?: string | null;
          statuses?: string[] | null;
          tenant_id?: string;
          updated_at?: string;
          url: string;
        };
        Update: {
          active?: boolean;
          created_at?: string;
          description?: string;
          disabled_reason?: string | null;
          events?: string[];
          failing_since?: string | null;
          header_names?: string[];
          headers?: Json | null;
          id?: string;
          marketplace_ids?: string[] | null;
          secret?: string | null;
          statuses?: string[] | null;
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
      booking_details: {
        Row: {
          cancellable_until: string;
          cancellable_until_local: string | null;
          created_at: string;
          created_at_local: string | null;
          customer_id: string;
          delivered_at: string | null;
          delivered_at_local: string | null;
          ends_at: string;
          ends_at_local: string | null;
          id: string;
          location: Json | null;
          name: string;
          order_id: string;
          order_item_id: string;
          product_id: string;
          seat: number;
          starts_at: string;
          starts_at_local: string | null;
          status: Database["public"]["Enums"]["booking_status"];
          supplier_id: string | null;
          tenant_id: string;
          time_zone: string;
          updated_at: string;
          updated_at_local: string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "bookings_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_order_item_id_fkey";
            columns: ["tenant_id", "order_id", "order_item_id"];
            isOneToOne: true;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "bookings_product_id_fkey";
            columns: ["tenant_id", "product_id"];
            isOneToOne: false;
            referencedRelation: "products";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "bookings_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      commission_details: {
        Row: {
          commission_amount: number;
          commission_percent: number | null;
          completed_at: string | null;
          created_at: string;
          currency: string;
          delivery_amount: number;
          delivery_percent: number;
          due_at: string | null;
          marketplace_id: string;
          number: number;
          order_id: string;
          order_status: Database["public"]["Enums"]["order_status"];
          payment_status: Database["public"]["Enums"]["payment_status"];
          payout_amount: number;
          refunded_amount: number;
          sales_amount: number;
          status: Database["public"]["Enums"]["order_status"];
          supplier_id: string;
          tax_amount: number;
          tax_collected_by: Database["public"]["Enums"]["tax_collector"];
          tenant_id: string;
          updated_at: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "order_commissions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_commissions_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_commissions_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      customer_details: {
        Row: {
          created_at: string;
          email: string | null;
          erased_at: string | null;
          external_id: string | null;
          id: string;
          is_guest: boolean;
          language: string | null;
          last_ordered_at: string | null;
          name: string;
          orders: number | null;
          phone: string | null;
          tenant_id: string;
          user_id: string | null;
          sort_name: unknown;
        };
        ComputedFields: "sort_name";
        Insert: {
          created_at?: string | null;
          email?: never;
          erased_at?: string | null;
          external_id?: string | null;
          id?: string | null;
          is_guest?: boolean | null;
          language?: string | null;
          last_ordered_at?: never;
          name?: string | null;
          orders?: never;
          phone?: string | null;
          tenant_id?: string | null;
          user_id?: string | null;
        };
        Update: {
          created_at?: string | null;
          email?: never;
          erased_at?: string | null;
          external_id?: string | null;
          id?: string | null;
          is_guest?: boolean | null;
          language?: string | null;
          last_ordered_at?: never;
          name?: string | null;
          orders?: never;
          phone?: string | null;
          tenant_id?: string | null;
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
      discount_details: {
        Row: {
          borne_by: Database["public"]["Enums"]["refund_bearer"];
          category_ids: string[] | null;
          code: string | null;
          costs: Json | null;
          created_at: string;
          created_by: string | null;
          currency: string | null;
          ends_at: string | null;
          id: string;
          kind: Database["public"]["Enums"]["discount_kind"];
          marketplace_id: string | null;
          minimum_subtotal: number | null;
          product_ids: string[] | null;
          starts_at: string | null;
          status: Database["public"]["Enums"]["discount_status"];
          supplier_id: string | null;
          supplier_ids: string[] | null;
          tenant_id: string;
          updated_at: string;
          uses: number;
          uses_per_customer: number | null;
          uses_total: number | null;
          value: number | null;
        };
        ComputedFields: never;
        Insert: {
          borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          category_ids?: string[] | null;
          code?: string | null;
          costs?: never;
          created_at?: string | null;
          created_by?: string | null;
          currency?: string | null;
          ends_at?: string | null;
          id?: string | null;
          kind?: Database["public"]["Enums"]["discount_kind"] | null;
          marketplace_id?: string | null;
          minimum_subtotal?: number | null;
          product_ids?: string[] | null;
          starts_at?: string | null;
          status?: Database["public"]["Enums"]["discount_status"] | null;
          supplier_id?: string | null;
          supplier_ids?: string[] | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          uses?: number | null;
          uses_per_customer?: number | null;
          uses_total?: number | null;
          value?: number | null;
        };
        Update: {
          borne_by?: Database["public"]["Enums"]["refund_bearer"] | null;
          category_ids?: string[] | null;
          code?: string | null;
          costs?: never;
          created_at?: string | null;
          created_by?: string | null;
          currency?: string | null;
          ends_at?: string | null;
          id?: string | null;
          kind?: Database["public"]["Enums"]["discount_kind"] | null;
          marketplace_id?: string | null;
          minimum_subtotal?: number | null;
          product_ids?: string[] | null;
          starts_at?: string | null;
          status?: Database["public"]["Enums"]["discount_status"] | null;
          supplier_id?: string | null;
          supplier_ids?: string[] | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          uses?: number | null;
          uses_per_customer?: number | null;
          uses_total?: number | null;
          value?: number | null;
        };
        Relationships: [
          {
            foreignKeyName: "discounts_marketplace_id_fkey";
            columns: ["tenant_id", "marketplace_id"];
            isOneToOne: false;
            referencedRelation: "marketplaces";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "discounts_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "discounts_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      invitation_details: {
        Row: {
          accepted_at: string | null;
          accepted_by: string | null;
          created_at: string;
          email: string;
          expires_at: string;
          id: string;
          invited_by: string | null;
          role: Database["public"]["Enums"]["member_role"];
          status: Database["public"]["Enums"]["invitation_status"] | null;
          supplier_id: string | null;
          tenant_id: string;
          verified: boolean;
        };
        ComputedFields: never;
        Insert: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string | null;
          email?: string | null;
          expires_at?: string | null;
          id?: string | null;
          invited_by?: string | null;
          role?: Database["public"]["Enums"]["member_role"] | null;
          status?: never;
          supplier_id?: string | null;
          tenant_id?: string | null;
          verified?: boolean | null;
        };
        Update: {
          accepted_at?: string | null;
          accepted_by?: string | null;
          created_at?: string | null;
          email?: string | null;
          expires_at?: string | null;
          id?: string | null;
          invited_by?: string | null;
          role?: Database["public"]["Enums"]["member_role"] | null;
          status?: never;
          supplier_id?: string | null;
          tenant_id?: string | null;
          verified?: boolean | null;
        };
        Relationships: [
          {
            foreignKeyName: "invitations_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "invitations_tenant_id_fkey";
            columns: ["tenant_id"];
            isOneToOne: false;
            referencedRelation: "tenants";
            referencedColumns: ["id"];
          },
        ];
      };
      ledger_details: {
        Row: {
          adjustment_id: string | null;
          amount: number;
          campaign_id: string | null;
          created_at: string;
          currency: string;
          date: string | null;
          due_at: string | null;
          held: boolean | null;
          id: string;
          item_id: string | null;
          item_name: string | null;
          kind: Database["public"]["Enums"]["ledger_kind"];
          marketplace_id: string | null;
          order_id: string | null;
          order_number: number | null;
          payout_id: string | null;
          payout_status: Database["public"]["Enums"]["payout_status"] | null;
          quantity: number | null;
          reason: string | null;
          supplier_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "ledger_lines_adjustment_id_fkey";
            columns: ["tenant_id", "adjustment_id"];
            isOneToOne: false;
            referencedRelation: "ledger_adjustments";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_campaign_id_fkey";
            columns: ["tenant_id", "campaign_id"];
            isOneToOne: false;
            referencedRelation: "campaigns";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_item_id_fkey";
            columns: ["tenant_id", "order_id", "item_id"];
            isOneToOne: false;
            referencedRelation: "order_items";
            referencedColumns: ["tenant_id", "order_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "commission_details";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_lines_order_id_fkey";
            columns: ["tenant_id", "order_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "order_commissions";
            referencedColumns: ["tenant_id", "order_id", "supplier_id"];
          },
          {
            foreignKeyName: "ledger_lines_payout_id_fkey";
            columns: ["tenant_id", "payout_id"];
            isOneToOne: false;
            referencedRelation: "payouts";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "ledger_lines_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_cancellation_details: {
        Row: {
          actor_id: string | null;
          amount: number | null;
          created_at: string;
          id: string;
          items: Json | null;
          order_id: string;
          reason: string | null;
          tenant_id: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "order_cancellations_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_cancellations_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      order_details: {
        Row: {
          billing_address: Json | null;
          cancellations: Json | null;
          commissions: Json | null;
          contact: Json | null;
          created_at: string;
          created_at_local: string | null;
          currency: string;
          customer_id: string;
          delivery_amount: number | null;
          delivery_method: string | null;
          discount_amount: number | null;
          external_id: string | null;
          history: Json | null;
          id: string;
          imported_at: string | null;
          imported_at_local: string | null;
          items: Json | null;
          language: string | null;
          marketplace_id: string;
          notes: Json | null;
          number: number;
          owed_amount: number | null;
          parts: Json | null;
          payment_due_at: string | null;
          payment_due_at_local: string | null;
          payment_method: string | null;
          payment_status: Database["public"]["Enums"]["payment_status"];
          payments: Json | null;
          refund_due: number | null;
          refund_due_for: Json | null;
          returns: Json | null;
          shipping_address: Json | null;
          status: Database["public"]["Enums"]["order_status"];
          subtotal_amount: number | null;
          tax_amount: number | null;
          tax_due: number | null;
          tax_id: string | null;
          tax_included: boolean | null;
          tax_lines: Json | null;
          tenant_id: string;
          total_amount: number | null;
          updated_at: string;
          updated_at_local: string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "orders_customer_id_fkey";
            columns: ["tenant_id", "customer_id"];
            isOneToOne: false;
            referencedRelation: "customer_details";
            referencedColumns: ["tenant_id", "id"];
          },
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
      order_return_details: {
        Row: {
          actor_id: string | null;
          amount: number | null;
          created_at: string;
          id: string;
          items: Json | null;
          note: string | null;
          order_id: string;
          tenant_id: string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "order_returns_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "order_returns_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      product_details: {
        Row: {
          attributes: NonNullable<Json>;
          brand: string | null;
          category_id: string | null;
          compare_at_price: number | null;
          created_at: string;
          currency: string;
          description: string;
          description_html: string | null;
          external_id: string | null;
          id: string;
          images: NonNullable<Json>;
          inventory: Json | null;
          kind: Database["public"]["Enums"]["product_kind"];
          lowest_price_30d: number | null;
          marketplace_id: string;
          name: string;
          physical: Json | null;
          price: number;
          safety: Json | null;
          slug: string;
          status: Database["public"]["Enums"]["product_status"];
          supplier: Json | null;
          supplier_id: string | null;
          template_id: string | null;
          tenant_id: string;
          track_inventory: boolean;
          updated_at: string;
          variants: Json | null;
        };
        ComputedFields: never;
        Insert: {
          attributes?: Json | null;
          brand?: string | null;
          category_id?: string | null;
          compare_at_price?: never;
          created_at?: string | null;
          currency?: string | null;
          description?: string | null;
          description_html?: never;
          external_id?: string | null;
          id?: string | null;
          images?: Json | null;
          inventory?: never;
          kind?: Database["public"]["Enums"]["product_kind"] | null;
          lowest_price_30d?: never;
          marketplace_id?: string | null;
          name?: string | null;
          physical?: Json | null;
          price?: number | null;
          safety?: never;
          slug?: string | null;
          status?: Database["public"]["Enums"]["product_status"] | null;
          supplier?: never;
          supplier_id?: string | null;
          template_id?: string | null;
          tenant_id?: string | null;
          track_inventory?: boolean | null;
          updated_at?: string | null;
          variants?: never;
        };
        Update: {
          attributes?: Json | null;
          brand?: string | null;
          category_id?: string | null;
          compare_at_price?: never;
          created_at?: string | null;
          currency?: string | null;
          description?: string | null;
          description_html?: never;
          external_id?: string | null;
          id?: string | null;
          images?: Json | null;
          inventory?: never;
          kind?: Database["public"]["Enums"]["product_kind"] | null;
          lowest_price_30d?: never;
          marketplace_id?: string | null;
          name?: string | null;
          physical?: Json | null;
          price?: number | null;
          safety?: never;
          slug?: string | null;
          status?: Database["public"]["Enums"]["product_status"] | null;
          supplier?: never;
          supplier_id?: string | null;
          template_id?: string | null;
          tenant_id?: string | null;
          track_inventory?: boolean | null;
          updated_at?: string | null;
          variants?: never;
        };
        Relationships: [];
      };
      ranked_products: {
        Row: {
          attributes: NonNullable<Json>;
          brand: string | null;
          category_id: string | null;
          compare_at_price: number | null;
          created_at: string;
          currency: string;
          description: string;
          description_html: string | null;
          external_id: string | null;
          id: string;
          images: NonNullable<Json>;
          inventory: Json | null;
          kind: Database["public"]["Enums"]["product_kind"];
          lowest_price_30d: number | null;
          marketplace_id: string;
          name: string;
          physical: Json | null;
          price: number;
          promotion: Json | null;
          rank: number | null;
          safety: Json | null;
          slug: string;
          status: Database["public"]["Enums"]["product_status"];
          supplier: Json | null;
          supplier_id: string | null;
          template_id: string | null;
          tenant_id: string;
          track_inventory: boolean;
          updated_at: string;
          variants: Json | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      return_request_details: {
        Row: {
          actor_id: string | null;
          created_at: string;
          created_at_local: string | null;
          id: string;
          items: Json | null;
          note: string | null;
          order_id: string;
          reason: string | null;
          status: Database["public"]["Enums"]["return_request_status"];
          supplier_id: string | null;
          tenant_id: string;
          updated_at: string;
          updated_at_local: string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "return_requests_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "return_requests_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      shipment_details: {
        Row: {
          actor_id: string | null;
          carrier: string | null;
          created_at: string;
          created_at_local: string | null;
          delivered_at: string | null;
          delivered_at_local: string | null;
          delivery_expected_by: string;
          delivery_expected_by_local: string | null;
          id: string;
          items: Json | null;
          note: string | null;
          order_id: string;
          resent: boolean;
          status: Database["public"]["Enums"]["shipment_status"];
          supplier_id: string | null;
          tenant_id: string;
          tracking_number: string | null;
          tracking_url: string | null;
          updated_at: string;
          updated_at_local: string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "shipments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_details";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_order_id_fkey";
            columns: ["tenant_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "orders";
            referencedColumns: ["tenant_id", "id"];
          },
          {
            foreignKeyName: "shipments_supplier_id_fkey";
            columns: ["tenant_id", "supplier_id"];
            isOneToOne: false;
            referencedRelation: "suppliers";
            referencedColumns: ["tenant_id", "id"];
          },
        ];
      };
      webhook_attempts: {
        Row: {
          attempt: number | null;
          delivery_id: string | null;
          duration_ms: number | null;
          error: string | null;
          response_body: string | null;
          response_code: number | null;
          started_at: string | null;
          tenant_id: string | null;
          webhook_id: string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      webhook_details: {
        Row: {
          active: boolean;
          created_at: string;
          description: string;
          disabled_reason: string | null;
          events: string[];
          failing_since: string | null;
          filter: Json | null;
          header_names: string[];
          id: string;
          tenant_id: string;
          updated_at: string;
          url: string;
        };
        ComputedFields: never;
        Insert: {
          active?: boolean | null;
          created_at?: string | null;
          description?: string | null;
          disabled_reason?: string | null;
          events?: string[] | null;
          failing_since?: string | null;
          filter?: never;
          header_names?: string[] | null;
          id?: string | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          url?: string | null;
        };
        Update: {
          active?: boolean | null;
          created_at?: string | null;
          description?: string | null;
          disabled_reason?: string | null;
          events?: string[] | null;
          failing_since?: string | null;
          filter?: never;
          header_names?: string[] | null;
          id?: string | null;
          tenant_id?: string | null;
          updated_at?: string | null;
          url?: string | null;
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
    Functions: {
      accept_invitation: { Args: { invitation: string }; Returns: Json };
      activate_template_version: {
        Args: { template_id: string; version_number: number };
        Returns: Json;
      };
      add_licence_keys: {
        Args: { codes: string[]; product_id: string; variant_id?: string };
        Returns: Json;
      };
      add_order_note: {
        Args: {
          order_id: string;
          text: string;
          visibility?: Database["public"]["Enums"]["note_visibility"];
        };
        Returns: Json;
      };
      add_product_file: {
        Args: {
          asset_id?: string;
          name: string;
          product_id: string;
          sha256?: string;
          size_bytes?: number;
          url?: string;
        };
        Returns: Json;
      };
      admit_guest: { Args: { address: string; marketplace: string }; Returns: number };
      analytics_cohorts: {
        Args: {
          category?: string;
          currency?: string;
          marketplace_id?: string;
          months?: number;
          supplier_id?: string;
          type?: string;
        };
        Returns: Json;
      };
      analytics_dashboard: { Args: { dashboard_id: string }; Returns: Json };
      analytics_funnel: {
        Args: {
          category?: string;
          from?: string;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      analytics_overview: {
        Args: {
          basis?: string;
          category?: string;
          currency?: string;
          from?: string;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      analytics_revenue: {
        Args: {
          basis?: string;
          by?: string;
          category?: string;
          currency?: string;
          from?: string;
          group_by?: string;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      analytics_sales: {
        Args: {
          basis?: string;
          category?: string;
          currency?: string;
          from?: string;
          group_by?: string;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      analytics_segment_customers: {
        Args: {
          category?: string;
          currency?: string;
          limit?: number;
          marketplace_id?: string;
          page?: number;
          segment?: string;
          supplier_id?: string;
        };
        Returns: Json;
      };
      analytics_segments: {
        Args: {
          category?: string;
          currency?: string;
          marketplace_id?: string;
          supplier_id?: string;
        };
        Returns: Json;
      };
      analytics_top_products: {
        Args: {
          basis?: string;
          by?: string;
          category?: string;
          currency?: string;
          from?: string;
          limit?: number;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      approve_campaign: { Args: { campaign_id: string; note?: string }; Returns: Json };
      approve_product: {
        Args: { product_id: string; reason?: string; updated_at?: string };
        Returns: Json;
      };
      approve_return: {
        Args: { note?: string; order_id: string; request_id: string };
        Returns: Json;
      };
      approve_supplier_application: {
        Args: { application_id: string; reason?: string };
        Returns: Json;
      };
      begin_guest_registration: { Args: { user_id: string }; Returns: undefined };
      begin_payment: {
        Args: {
          order_id: string;
          provider: Database["public"]["Enums"]["payment_provider"];
          return_url?: string;
        };
        Returns: Json;
      };
      booked_orders: {
        Args: { booked_from?: string; booked_to?: string };
        Returns: {
          billing_address: Json | null;
          cancellations: Json | null;
          commissions: Json | null;
          contact: Json | null;
          created_at: string;
          created_at_local: string | null;
          currency: string;
          customer_id: string;
          delivery_amount: number | null;
          delivery_method: string | null;
          discount_amount: number | null;
          external_id: string | null;
          history: Json | null;
          id: string;
          imported_at: string | null;
          imported_at_local: string | null;
          items: Json | null;
          language: string | null;
          marketplace_id: string;
          notes: Json | null;
          number: number;
          owed_amount: number | null;
          parts: Json | null;
          payment_due_at: string | null;
          payment_due_at_local: string | null;
          payment_method: string | null;
          payment_status: Database["public"]["Enums"]["payment_status"];
          payments: Json | null;
          refund_due: number | null;
          refund_due_for: Json | null;
          returns: Json | null;
          shipping_address: Json | null;
          status: Database["public"]["Enums"]["order_status"];
          subtotal_amount: number | null;
          tax_amount: number | null;
          tax_due: number | null;
          tax_id: string | null;
          tax_included: boolean | null;
          tax_lines: Json | null;
          tenant_id: string;
          total_amount: number | null;
          updated_at: string;
          updated_at_local: string | null;
        }[];
        SetofOptions: {
          from: "*";
          to: "order_details";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      branches_to_merge: {
        Args: { from: string; id: string; into: string; key_only?: boolean; type: string };
        Returns: Json;
      };
      campaign_report: { Args: { campaign_id: string; from?: string; to?: string }; Returns: Json };
      cancel_checkout: { Args: { checkout_id: string; token?: string }; Returns: Json };
      cancel_content_schedule: { Args: { id: string; type: string }; Returns: Json };
      cancel_order_items: {
        Args: { items?: Json; order_id: string; reason?: string };
        Returns: Json;
      };
      cancel_return: {
        Args: { note?: string; order_id: string; request_id: string };
        Returns: Json;
      };
      cancel_unpaid_orders: { Args: { batch?: number; rounds?: number }; Returns: number };
      capture_payment: { Args: { reference?: string; session_id: string }; Returns: Json };
      change_campaign: { Args: { campaign_id: string; changes: Json }; Returns: Json };
      change_inventory: {
        Args: {
          low_stock_threshold?: number;
          note?: string;
          operation?: string;
          product_id: string;
          quantity?: number;
          variant_id?: string;
        };
        Returns: Json;
      };
      change_marketplace: { Args: { changes: Json; marketplace_id: string }; Returns: Json };
      change_order_status: {
        Args: {
          note?: string;
          order_id: string;
          status: Database["public"]["Enums"]["order_status"];
        };
        Returns: Json;
      };
      change_webhook: { Args: { changes: Json; webhook_id: string }; Returns: Json };
      compare_content: {
        Args: { from_version: number; id: string; to_version: number; type: string };
        Returns: Json;
      };
      compare_sales: { Args: { after?: string }; Returns: string };
      compare_template_versions: {
        Args: { from_version: number; template_id: string; to_version: number };
        Returns: Json;
      };
      compare_visitors: { Args: { after?: string }; Returns: string };
      complete_checkout: {
        Args: { checkout_id: string; token?: string; total: number };
        Returns: Json;
      };
      content_to_merge: {
        Args: {
          branch?: string;
          id: string;
          key_only?: boolean;
          type: string;
          version_number: number;
        };
        Returns: Json;
      };
      count_requests: {
        Args: { requests: Json };
        Returns: {
          allowed: number;
          counted: number;
          member: boolean;
          minute: string;
          resets_in: number;
        }[];
      };
      count_visitors: { Args: { batch?: number; rounds?: number }; Returns: number };
      create_adjustment: {
        Args: {
          amount: number;
          currency: string;
          order_id?: string;
          reason: string;
          supplier_id: string;
        };
        Returns: Json;
      };
      create_api_key: {
        Args: {
          expires_at?: string;
          name: string;
          role?: Database["public"]["Enums"]["member_role"];
          scopes?: string[];
          supplier_id?: string;
        };
        Returns: Json;
      };
      create_campaign: {
        Args: {
          bid_amount: number;
          category_id: string;
          daily_budget?: number;
          duration: number;
          highlighted?: boolean;
          labels?: string[];
          max_bid?: number;
          pinned?: boolean;
          pricing_model?: Database["public"]["Enums"]["pricing_model"];
          product_id: string;
          regions?: string[];
          start_date?: string;
        };
        Returns: Json;
      };
      create_category: {
        Args: { attributes?: Json; name: string; parent_id?: string; template_id?: string };
        Returns: Json;
      };
      create_checkout: { Args: { request: Json }; Returns: Json };
      create_content: {
        Args: {
          comment?: string;
          document: Json;
          marketplace_id?: string;
          subject_id?: string;
          type: string;
        };
        Returns: Json;
      };
      create_content_branch: {
        Args: { from_version?: number; id: string; name: string; type: string };
        Returns: Json;
      };
      create_content_preview: {
        Args: { branch?: string; id: string; language?: string; type: string };
        Returns: Json;
      };
      create_content_type: { Args: { fields?: Json; key: string; name: string }; Returns: Json };
      create_customer: {
        Args: { email?: string; language?: string; name: string; phone?: string };
        Returns: Json;
      };
      create_customer_address: { Args: { address: Json; is_default?: boolean }; Returns: Json };
      create_dashboard: { Args: { name: string; widgets?: Json }; Returns: Json };
      create_discount: {
        Args: {
          borne_by?: Database["public"]["Enums"]["refund_bearer"];
          category_ids?: string[];
          code?: string;
          currency?: string;
          ends_at?: string;
          kind: Database["public"]["Enums"]["discount_kind"];
          marketplace_id?: string;
          minimum_subtotal?: number;
          product_ids?: string[];
          starts_at?: string;
          status?: Database["public"]["Enums"]["discount_status"];
          supplier_ids?: string[];
          uses_per_customer?: number;
          uses_total?: number;
          value?: number;
        };
        Returns: Json;
      };
      create_email_template: {
        Args: {
          html_content: Json;
          key: string;
          name: string;
          subject: Json;
          text_content?: Json;
          to?: Database["public"]["Enums"]["mail_audience"];
          trigger_events?: string[];
          variables?: string[];
        };
        Returns: Json;
      };
      create_export: {
        Args: {
          bom?: boolean;
          by?: string;
          category?: string;
          currency?: string;
          email?: string;
          format: Database["public"]["Enums"]["export_format"];
          from?: string;
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          to?: string;
          type: Database["public"]["Enums"]["export_type"];
        };
        Returns: {
          asked_by: string | null;
          bom: boolean;
          by: string | null;
          bytes: number;
          category: string | null;
          created_at: string;
          currency: string | null;
          email: string | null;
          error: string | null;
          expires_at: string | null;
          files: string[];
          finished_at: string | null;
          format: Database["public"]["Enums"]["export_format"];
          from: string | null;
          id: string;
          marketplace_id: string | null;
          period: string | null;
          progress: number;
          rows: number;
          status: Database["public"]["Enums"]["export_status"];
          supplier_id: string | null;
          tenant_id: string;
          to: string | null;
          type: Database["public"]["Enums"]["export_type"];
        };
        SetofOptions: {
          from: "*";
          to: "exports";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      create_export_schedule: {
        Args: {
          bom?: boolean;
          by?: string;
          category?: string;
          currency?: string;
          email?: string;
          every: Database["public"]["Enums"]["export_frequency"];
          format: Database["public"]["Enums"]["export_format"];
          marketplace_id?: string;
          period?: string;
          supplier_id?: string;
          type: Database["public"]["Enums"]["export_type"];
        };
        Returns: {
          asked_by: string;
          bom: boolean;
          by: string | null;
          category: string | null;
          created_at: string;
          currency: string | null;
          delayed_from: string | null;
          email: string | null;
          every: Database["public"]["Enums"]["export_frequency"];
          format: Database["public"]["Enums"]["export_format"];
          id: string;
          last_at: string | null;
          last_error: string | null;
          marketplace_id: string | null;
          next_at: string;
          period: string | null;
          supplier_id: string | null;
          tenant_id: string;
          type: Database["public"]["Enums"]["export_type"];
        };
        SetofOptions: {
          from: "*";
          to: "export_schedules";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      create_invitation: {
        Args: {
          email: string;
          role: Database["public"]["Enums"]["member_role"];
          supplier_id?: string;
          verified?: boolean;
        };
        Returns: Json;
      };
      create_marketplace: {
        Args: {
          category: string;
          currency: string;
          description?: string;
          domain: string;
          language: string;
          name: string;
          settings?: Json;
        };
        Returns: Json;
      };
      create_media_asset: {
        Args: {
          alt_text?: string;
          content_type: string;
          filename: string;
          folder_id?: string;
          private?: boolean;
          size: number;
          tags?: string[];
        };
        Returns: Json;
      };
      create_media_folder: { Args: { name: string; parent_id?: string }; Returns: Json };
      create_payout_hold: {
        Args: { order_id?: string; reason: string; supplier_id: string };
        Returns: Json;
      };
      create_payouts: { Args: { supplier_id: string; until?: string }; Returns: Json };
      create_product: {
        Args: {
          attributes?: Json;
          category_id?: string;
          compare_at_price?: number;
          currency?: string;
          description?: string;
          description_html?: string;
          external_id?: string;
          images?: Json;
          inventory?: Json;
          kind?: Database["public"]["Enums"]["product_kind"];
          marketplace_id?: string;
          name: string;
          physical?: Json;
          price: number;
          safety?: Json;
          slug?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string;
          template_id?: string;
          track_inventory?: boolean;
          variants?: Json;
        };
        Returns: Json;
      };
      create_refund: {
        Args: {
          amount: number;
          borne_by?: Database["public"]["Enums"]["refund_bearer"];
          delivery_amount?: number;
          items?: Json;
          order_id: string;
          reason?: string;
        };
        Returns: Json;
      };
      create_search_synonyms: { Args: { terms: string[] }; Returns: Json };
      create_shipment: {
        Args: {
          carrier?: string;
          items?: Json;
          note?: string;
          order_id: string;
          tracking_number?: string;
          tracking_url?: string;
        };
        Returns: Json;
      };
      create_supplier: { Args: { legal?: Json; name: string; verified?: boolean }; Returns: Json };
      create_supplier_application: {
        Args: { country: string; email: string; legal?: Json; message?: string; name: string };
        Returns: Json;
      };
      create_tax_rate: {
        Args: {
          category_id?: string;
          country: string;
          name: string;
          rate: number;
          region?: string;
          valid_from?: string;
          valid_to?: string;
        };
        Returns: Json;
      };
      create_template: {
        Args: {
          caching?: Json;
          content: Json;
          is_default?: boolean;
          marketplace_id?: string;
          name: string;
          type: Database["public"]["Enums"]["page_type"];
        };
        Returns: Json;
      };
      create_template_component: {
        Args: {
          category: Database["public"]["Enums"]["component_category"];
          content: string;
          name: string;
          props?: Json;
          responsive?: Json;
          styles?: string;
          variants?: Json;
        };
        Returns: Json;
      };
      create_template_preview: { Args: { template_id: string; version?: number }; Returns: Json };
      create_webhook: {
        Args: {
          active?: boolean;
          description?: string;
          events: string[];
          filter?: Json;
          headers?: Json;
          secret?: string;
          url: string;
        };
        Returns: Json;
      };
      delete_content: { Args: { id: string; type: string }; Returns: undefined };
      delete_content_branch: {
        Args: { id: string; name: string; type: string };
        Returns: undefined;
      };
      delete_content_preview: { Args: { id: string; type: string }; Returns: undefined };
      delete_content_type: { Args: { key: string }; Returns: undefined };
      delete_media_asset: { Args: { asset_id: string }; Returns: undefined };
      delete_media_folder: { Args: { folder_id: string }; Returns: undefined };
      delete_product: { Args: { product_id: string }; Returns: undefined };
      delete_template: { Args: { template_id: string }; Returns: undefined };
      delete_template_component: { Args: { component_id: string }; Returns: undefined };
      delete_template_preview: { Args: { template_id: string }; Returns: undefined };
      deliver_due_shipments: { Args: { batch?: number }; Returns: number };
      deliver_ended_bookings: { Args: { batch?: number }; Returns: number };
      email_template_preview: {
        Args: { is_test?: boolean; marketplace_id?: string; template_id: string };
        Returns: Json;
      };
      embedding_status: { Args: Record<PropertyKey, never>; Returns: Json };
      end_guest_registration: { Args: { user_id: string }; Returns: undefined };
      end_session_of_spent: { Args: { token_hash: string }; Returns: boolean };
      erase_personal_data: { Args: { customer_id: string }; Returns: undefined };
      export_files_to_remove: { Args: Record<PropertyKey, never>; Returns: string[] };
      export_products: {
        Args: {
          after?: string;
          category?: string;
          limit?: number;
          marketplace_id?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string;
        };
        Returns: Json;
      };
      fail_media_cleaning: {
        Args: { asset_id: string; error: string; lease: string };
        Returns: undefined;
      };
      finish_media_cleaning: {
        Args: {
          asset_id: string;
          height?: number;
          path: string;
          resizable: boolean;
          size: number;
          width?: number;
        };
        Returns: boolean;
      };
      finish_media_upload: {
        Args: {
          address: string;
          cleaned?: boolean;
          content_type: string;
          height?: number;
          path: string;
          resizable?: boolean;
          size: number;
          upload_id: string;
          width?: number;
        };
        Returns: boolean;
      };
      found_customers: {
        Args: { search?: string };
        Returns: {
          created_at: string;
          email: string | null;
          erased_at: string | null;
          external_id: string | null;
          id: string;
          is_guest: boolean;
          language: string | null;
          last_ordered_at: string | null;
          name: string;
          orders: number | null;
          phone: string | null;
          tenant_id: string;
          user_id: string | null;
        }[];
        SetofOptions: {
          from: "*";
          to: "customer_details";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      found_orders: {
        Args: { booked_from?: string; booked_to?: string; search?: string };
        Returns: {
          billing_address: Json | null;
          cancellations: Json | null;
          commissions: Json | null;
          contact: Json | null;
          created_at: string;
          created_at_local: string | null;
          currency: string;
          customer_id: string;
          delivery_amount: number | null;
          delivery_method: string | null;
          discount_amount: number | null;
          external_id: string | null;
          history: Json | null;
          id: string;
          imported_at: string | null;
          imported_at_local: string | null;
          items: Json | null;
          language: string | null;
          marketplace_id: string;
          notes: Json | null;
          number: number;
          owed_amount: number | null;
          parts: Json | null;
          payment_due_at: string | null;
          payment_due_at_local: string | null;
          payment_method: string | null;
          payment_status: Database["public"]["Enums"]["payment_status"];
          payments: Json | null;
          refund_due: number | null;
          refund_due_for: Json | null;
          returns: Json | null;
          shipping_address: Json | null;
          status: Database["public"]["Enums"]["order_status"];
          subtotal_amount: number | null;
          tax_amount: number | null;
          tax_due: number | null;
          tax_id: string | null;
          tax_included: boolean | null;
          tax_lines: Json | null;
          tenant_id: string;
          total_amount: number | null;
          updated_at: string;
          updated_at_local: string | null;
        }[];
        SetofOptions: {
          from: "*";
          to: "order_details";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      functions_key: { Args: Record<PropertyKey, never>; Returns: string };
      get_auction: { Args: { auction_id: string }; Returns: Json };
      get_campaign_auctions: {
        Args: { campaign_id: string; from?: string; to?: string };
        Returns: Json;
      };
      get_category: { Args: { category_id: string }; Returns: Json };
      get_checkout: { Args: { checkout_id: string; token?: string }; Returns: Json };
      get_content: {
        Args: {
          branch?: string;
          fallback?: boolean;
          id: string;
          language?: string;
          marketplace_id?: string;
          preferred_languages?: string[];
          resolve?: boolean;
          type: string;
          version?: number;
        };
        Returns: Json;
      };
      get_content_version: {
        Args: { id: string; type: string; version_number: number };
        Returns: Json;
      };
      get_customer_address: { Args: { address_id: string }; Returns: Json };
      get_dashboard: { Args: { dashboard_id: string }; Returns: Json };
      get_delivery: { Args: { delivery_id: string; webhook_id: string }; Returns: Json };
      get_inventory: { Args: { product_id: string }; Returns: Json };
      get_localization: { Args: { id: string; language: string; type: string }; Returns: Json };
      get_media: { Args: { asset_id: string }; Returns: Json };
      get_placement_category: { Args: { category_id: string }; Returns: Json };
      get_placement_settings: { Args: Record<PropertyKey, never>; Returns: Json };
      get_product: { Args: { product_id: string }; Returns: Json };
      get_product_by_slug: { Args: { marketplace_id?: string; slug: string }; Returns: Json };
      get_service_calendar: { Args: { product_id: string }; Returns: Json };
      get_template: {
        Args: { id_or_type: string; marketplace_id?: string; version?: number };
        Returns: Json;
      };
      get_template_localization: { Args: { language: string; template_id: string }; Returns: Json };
      health: { Args: Record<PropertyKey, never>; Returns: Json };
      import_orders: {
        Args: {
          accept_changed_codes?: boolean;
          dry_run?: boolean;
          lines: Json;
          marketplace_id?: string;
        };
        Returns: Json;
      };
      import_products: {
        Args: {
          accept_changed_codes?: boolean;
          dry_run?: boolean;
          lines: Json;
          marketplace_id?: string;
          unique_skus?: boolean;
        };
        Returns: Json;
      };
      join_tenant: {
        Args: { role?: Database["public"]["Enums"]["member_role"]; tenant_id: string };
        Returns: Json;
      };
      lease_embedding_jobs: {
        Args: { batch: number; done: Json; model: string };
        Returns: {
          content: string;
          lease: string;
          product_id: string;
        }[];
      };
      lease_export: { Args: Record<PropertyKey, never>; Returns: Json };
      lease_mails: { Args: { batch: number }; Returns: Json };
      lease_refunds: { Args: { batch: number }; Returns: Json };
      lease_webhook_deliveries: {
        Args: {
          batch: number;
          dispatcher: string;
          done: Json;
          room?: number;
          with_bodies?: boolean;
        };
        Returns: {
          body: string;
          bytes: number;
          event: string;
          headers: Json;
          id: string;
          leased_until: string;
          secrets: string[];
          url: string;
          webhook_id: string;
        }[];
      };
      leave_export: {
        Args: {
          arrived?: boolean;
          error?: string;
          export_id: string;
          failed?: boolean;
          lease: string;
        };
        Returns: undefined;
      };
      limit_rest: { Args: { enabled: boolean }; Returns: undefined };
      list_auctions: {
        Args: {
          campaign_id?: string;
          category_id?: string;
          limit?: number;
          order?: string;
          page?: number;
          placement?: string;
        };
        Returns: Json;
      };
      list_categories: { Args: Record<PropertyKey, never>; Returns: Json };
      list_commissions: {
        Args: {
          due_from?: string;
          due_to?: string;
          from?: string;
          limit?: number;
          marketplace_id?: string;
          order?: string;
          page?: number;
          part_status?: Database["public"]["Enums"]["order_status"];
          payment_status?: Database["public"]["Enums"]["payment_status"];
          status?: Database["public"]["Enums"]["order_status"];
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      list_content: {
        Args: {
          language?: string;
          limit?: number;
          marketplace_id?: string;
          order?: string;
          page?: number;
          preferred_languages?: string[];
          search?: string;
          status?: Database["public"]["Enums"]["content_status"];
          type: string;
        };
        Returns: Json;
      };
      list_content_branches: { Args: { id: string; type: string }; Returns: Json };
      list_content_moves: {
        Args: { id: string; limit?: number; order?: string; page?: number; type: string };
        Returns: Json;
      };
      list_content_versions: {
        Args: { id: string; limit?: number; order?: string; page?: number; type: string };
        Returns: Json;
      };
      list_countries: { Args: Record<PropertyKey, never>; Returns: Json };
      list_customer_addresses: { Args: Record<PropertyKey, never>; Returns: Json };
      list_dashboards: { Args: Record<PropertyKey, never>; Returns: Json };
      list_delivery_methods: {
        Args: {
          country?: string;
          marketplace_id?: string;
          region?: string;
          subtotal?: number;
          weight_grams?: number;
        };
        Returns: Json;
      };
      list_events: {
        Args: { after?: string; limit?: number; name?: string; since?: string };
        Returns: Json;
      };
      list_inventory: {
        Args: {
          limit?: number;
          low_stock?: boolean;
          marketplace_id?: string;
          order?: string;
          page?: number;
          product_id?: string;
          sort?: string;
        };
        Returns: Json;
      };
      list_inventory_movements: {
        Args: {
          limit?: number;
          order?: string;
          order_id?: string;
          page?: number;
          product_id?: string;
          reason?: Database["public"]["Enums"]["inventory_reason"];
          since?: string;
          variant_id?: string;
        };
        Returns: Json;
      };
      list_ledger: {
        Args: {
          currency?: string;
          due_from?: string;
          due_to?: string;
          from?: string;
          kind?: Database["public"]["Enums"]["ledger_kind"];
          limit?: number;
          marketplace_id?: string;
          order?: string;
          order_id?: string;
          page?: number;
          payout_id?: string;
          supplier_id?: string;
          to?: string;
        };
        Returns: Json;
      };
      list_licence_keys: {
        Args: {
          limit?: number;
          order?: string;
          page?: number;
          product_id: string;
          status?: string;
          variant_id?: string;
        };
        Returns: Json;
      };
      list_media: {
        Args: {
          folder_id?: string;
          limit?: number;
          order?: string;
          page?: number;
          search?: string;
          tag?: string;
          type?: Database["public"]["Enums"]["media_type"];
          unused?: boolean;
        };
        Returns: Json;
      };
      list_media_folders: { Args: Record<PropertyKey, never>; Returns: Json };
      list_payment_methods: { Args: { marketplace_id?: string }; Returns: Json };
      list_placement_slots: {
        Args: { category_id: string; limit?: number; placement?: string; region?: string };
        Returns: Json;
      };
      list_product_files: {
        Args: { limit?: number; order?: string; page?: number; product_id: string };
        Returns: Json;
      };
      list_products: {
        Args: {
          attributes?: Json;
          brand?: string[];
          category?: string[];
          currency?: string;
          facets?: string[];
          ids?: string[];
          limit?: number;
          marketplace_id?: string;
          order?: string;
          page?: number;
          price_max?: number;
          price_min?: number;
          region?: string;
          search?: string;
          sort?: string;
          status?: Database["public"]["Enums"]["product_status"];
          supplier_id?: string;
        };
        Returns: Json;
      };
      list_return_requests: { Args: { order_id: string }; Returns: Json };
      list_service_slots: {
        Args: {
          from?: string;
          limit?: number;
          order?: string;
          page?: number;
          product_id: string;
          to?: string;
        };
        Returns: Json;
      };
      list_shipments: { Args: { order_id: string }; Returns: Json };
      list_template_localizations: { Args: { template_id: string }; Returns: Json };
      list_template_versions: {
        Args: { limit?: number; order?: string; page?: number; template_id: string };
        Returns: Json;
      };
      list_templates: {
        Args: {
          limit?: number;
          marketplace_id?: string;
          order?: string;
          page?: number;
          search?: string;
          type?: Database["public"]["Enums"]["page_type"];
        };
        Returns: Json;
      };
      me: { Args: Record<PropertyKey, never>; Returns: Json };
      media_advice: { Args: { content_type: string }; Returns: string };
      media_upload: { Args: { asset_id: string }; Returns: Json };
      merge_content: {
        Args: {
          comment?: string;
          document: Json;
          from: string;
          from_version: number;
          id: string;
          into: string;
          into_version: number;
          type: string;
        };
        Returns: Json;
      };
      move_content: {
        Args: { comment?: string; id: string; move: string; type: string };
        Returns: Json;
      };
      my_tenants: {
        Args: Record<PropertyKey, never>;
        Returns: {
          created_at: string;
          current: boolean;
          customer_id: string;
          id: string;
          name: string;
          role: Database["public"]["Enums"]["member_role"];
          sort_name: unknown;
          status: Database["public"]["Enums"]["member_status"];
          supplier_id: string;
        }[];
      };
      open_tenant: { Args: { tenant_name: string }; Returns: Json };
      order_downloads: { Args: { order_id: string }; Returns: Json };
      page_assets: {
        Args: { asset_ids: string[]; language: string; tenant_id: string };
        Returns: Json;
      };
      payout_statement: { Args: { payout_id: string }; Returns: Json };
      payout_statement_lines: {
        Args: { after?: string; limit?: number; payout_id: string };
        Returns: Json;
      };
      perform_once: { Args: { arguments: Json; key: string; operation: string }; Returns: Json };
      period_bounds: {
        Args: { from?: string; to?: string };
        Returns: {
          ends_at: string;
          starts_at: string;
        }[];
      };
      place_order: {
        Args: {
          billing_address?: Json;
          contact?: Json;
          currency?: string;
          customer_id?: string;
          delivery_method?: string;
          discount_codes?: string[];
          items: Json;
          language?: string;
          marketplace_id: string;
          payment_method?: string;
          replaces?: string;
          shipping_address?: Json;
          tax_id?: string;
        };
        Returns: Json;
      };
      placement_report: { Args: { from?: string; to?: string }; Returns: Json };
      preview_content: {
        Args: { id: string; language?: string; token: string; type: string };
        Returns: Json;
      };
      publish_content: {
        Args: {
          at?: string;
          comment?: string;
          id: string;
          languages?: string[];
          type: string;
          until?: string;
        };
        Returns: Json;
      };
      read_export_rows: {
        Args: { after: Json; bytes: number; export_id: string; lease: string };
        Returns: Json;
      };
      read_lesson: { Args: { after: string; limit: number; tenant_id: string }; Returns: Json };
      read_personal_data: { Args: { customer_id: string }; Returns: Json };
      receive_return: {
        Args: { items?: Json; note?: string; order_id: string; request_id: string };
        Returns: Json;
      };
      record_lesson: {
        Args: {
          is_last: boolean;
          lease: string;
          tenant_id: string;
          vectors: string[];
          words: string[];
        };
        Returns: boolean;
      };
      record_mail: {
        Args: {
          address_gone?: boolean;
          error?: string;
          id: string;
          lease: string;
          outcome: string;
          provider_id?: string;
          retry_after_seconds?: number;
        };
        Returns: undefined;
      };
      record_payment_reports: {
        Args: { provider: Database["public"]["Enums"]["payment_provider"]; reports: Json };
        Returns: Json;
      };
      record_payment_session: {
        Args: { reference: string; session_id: string; tenant_id: string };
        Returns: Json;
      };
      record_placement_events: { Args: { events: Json }; Returns: Json };
      record_refund: {
        Args: {
          error?: string;
          lease: string;
          outcome: string;
          reference?: string;
          refund_id: string;
          retry_after_seconds?: number;
        };
        Returns: undefined;
      };
      record_storefront_events: {
        Args: { bots?: number[]; events: Json; user_agent?: string };
        Returns: Json;
      };
      recover_webhook: { Args: { since: string; webhook_id: string }; Returns: Json };
      refund_placement_clicks: {
        Args: {
          campaign_id: string;
          click_ids?: string[];
          note?: string;
          since?: string;
          visitor_id?: string;
        };
        Returns: Json;
      };
      refuse_media_upload: { Args: { upload_id: string }; Returns: undefined };
      register_media: {
        Args: {
          alt_text?: string;
          bucket: string;
          folder_id?: string;
          path: string;
          private?: boolean;
          tags?: string[];
        };
        Returns: Json;
      };
      reject_campaign: { Args: { campaign_id: string; note?: string }; Returns: Json };
      reject_product: {
        Args: { product_id: string; reason?: string; updated_at?: string };
        Returns: Json;
      };
      reject_return: {
        Args: { note?: string; order_id: string; request_id: string };
        Returns: Json;
      };
      reject_supplier_application: {
        Args: { application_id: string; reason?: string };
        Returns: Json;
      };
      remove_api_key: { Args: { api_key_id: string }; Returns: undefined };
      remove_customer_address: { Args: { address_id: string }; Returns: undefined };
      remove_licence_key: {
        Args: { licence_key_id: string; product_id: string };
        Returns: undefined;
      };
      remove_tenant: { Args: { name: string }; Returns: Json };
      replace_checkout: {
        Args: { checkout_id: string; request: Json; token?: string };
        Returns: Json;
      };
      replace_media_asset: {
        Args: { asset_id: string; content_type: string; filename: string; size: number };
        Returns: Json;
      };
      report_export: {
        Args: { checkpoint?: Json; export_id: string; lease: string; upcoming?: Json };
        Returns: boolean;
      };
      report_mail: {
        Args: {
          email: string;
          provider_id: string;
          reason: Database["public"]["Enums"]["suppression_reason"];
        };
        Returns: boolean;
      };
      report_payment: {
        Args: {
          amount?: number;
          borne_by?: Database["public"]["Enums"]["refund_bearer"];
          delivery_amount?: number;
          items?: Json;
          order_id: string;
          reference: string;
          status: Database["public"]["Enums"]["payment_report"];
        };
        Returns: Json;
      };
      request_return: { Args: { items: Json; order_id: string; reason?: string }; Returns: Json };
      resume_mail: { Args: { tenant_id: string }; Returns: undefined };
      retry_delivery: { Args: { delivery_id: string; webhook_id: string }; Returns: Json };
      retry_mail: { Args: { mail_id: string }; Returns: Json };
      return_order_items: { Args: { items: Json; note?: string; order_id: string }; Returns: Json };
      roll_up_sales: { Args: { batch?: number; rounds?: number }; Returns: number };
      rollback_content: {
        Args: {
          comment?: string;
          id: string;
          to_version: number;
          type: string;
          version_number?: number;
        };
        Returns: Json;
      };
      rotate_webhook_secret: { Args: { secret?: string; webhook_id: string }; Returns: Json };
      save_content: {
        Args: {
          autosave?: boolean;
          branch?: string;
          changes: Json;
          comment?: string;
          id: string;
          type: string;
          version_number: number;
        };
        Returns: Json;
      };
      save_localization: {
        Args: {
          changes: Json;
          comment?: string;
          id: string;
          language: string;
          type: string;
          version_number: number;
        };
        Returns: Json;
      };
      save_template: {
        Args: { changes: Json; template_id: string; version_number: number };
        Returns: Json;
      };
      save_template_component: {
        Args: { changes: Json; component_id: string; version_number: number };
        Returns: Json;
      };
      save_template_localization: {
        Args: { changes: Json; language: string; template_id: string; version_number?: number };
        Returns: Json;
      };
      search_by_meaning: {
        Args: {
          attributes?: Json;
          brand?: string[];
          category?: string[];
          currency?: string;
          embedding?: string;
          limit?: number;
          marketplace_id?: string;
          price_max?: number;
          price_min?: number;
          query: string;
          supplier_id?: string;
        };
        Returns: Json;
      };
      set_cap: { Args: { name: string; value: number }; Returns: undefined };
      set_commission_rate: {
        Args: { category_id?: string; commission_percent: number; supplier_id?: string };
        Returns: Json;
      };
      set_event_retention: { Args: { keep: string }; Returns: undefined };
      set_image_transformations: { Args: { enabled: boolean }; Returns: undefined };
      set_localization_status: {
        Args: {
          id: string;
          language: string;
          status: Database["public"]["Enums"]["translation_status"];
          type: string;
        };
        Returns: Json;
      };
      set_mail_status: {
        Args: { status: Database["public"]["Enums"]["tenant_mail_status"]; tenant_id: string };
        Returns: undefined;
      };
      set_mails_per_day: { Args: { mails_per_day: number; tenant_id: string }; Returns: undefined };
      set_placement_category: { Args: { category_id: string; changes: Json }; Returns: Json };
      set_placement_settings: { Args: { changes: Json }; Returns: Json };
      set_rate_limit: { Args: { kind: string; requests_per_minute: number }; Returns: undefined };
      set_service_calendar: {
        Args: {
          cancellation_minutes?: number;
          capacity?: number;
          duration_minutes: number;
          exceptions?: Json;
          hours?: Json;
          lead_minutes?: number;
          location?: Json;
          product_id: string;
          time_zone: string;
        };
        Returns: Json;
      };
      set_signing_key: { Args: { key: string; name: string }; Returns: undefined };
      set_storage_address: { Args: { address: string }; Returns: undefined };
      sign_address: { Args: { address: string; user_id: string }; Returns: string };
      similar_products: {
        Args: { limit?: number; product_id: string; region?: string };
        Returns: Json;
      };
      sort_name:
        | {
            Args: {
              component: Omit<
                Database["public"]["Tables"]["template_components"]["Row"],
                Database["public"]["Tables"]["template_components"]["ComputedFields"]
              >;
            };
            Returns: unknown;
          }
        | {
            Args: {
              customer: Omit<
                Database["public"]["Views"]["customer_details"]["Row"],
                Database["public"]["Views"]["customer_details"]["ComputedFields"]
              >;
            };
            Returns: {
              error: true;
            } & "Could not choose the best candidate function between: public.sort_name(customer => customers), public.sort_name(customer => customer_details). Try renaming the parameters or the function itself in the database so function overloading can be resolved";
          }
        | {
            Args: {
              customer: Omit<
                Database["public"]["Tables"]["customers"]["Row"],
                Database["public"]["Tables"]["customers"]["ComputedFields"]
              >;
            };
            Returns: {
              error: true;
            } & "Could not choose the best candidate function between: public.sort_name(customer => customers), public.sort_name(customer => customer_details). Try renaming the parameters or the function itself in the database so function overloading can be resolved";
          }
        | {
            Args: {
              marketplace: Omit<
                Database["public"]["Tables"]["marketplaces"]["Row"],
                Database["public"]["Tables"]["marketplaces"]["ComputedFields"]
              >;
            };
            Returns: unknown;
          }
        | {
            Args: {
              member: Omit<
                Database["public"]["Tables"]["members"]["Row"],
                Database["public"]["Tables"]["members"]["ComputedFields"]
              >;
            };
            Returns: unknown;
          }
        | {
            Args: {
              supplier: Omit<
                Database["public"]["Tables"]["suppliers"]["Row"],
                Database["public"]["Tables"]["suppliers"]["ComputedFields"]
              >;
            };
            Returns: unknown;
          }
        | {
            Args: {
              template: Omit<
                Database["public"]["Tables"]["email_templates"]["Row"],
                Database["public"]["Tables"]["email_templates"]["ComputedFields"]
              >;
            };
            Returns: unknown;
          };
      spend_refresh_token: { Args: { session_id: string; token_hash: string }; Returns: boolean };
      store_mail_contents: { Args: { contents: Json }; Returns: undefined };
      storefront: { Args: { domain: string }; Returns: Json };
      switch_tenant: { Args: { tenant_id: string }; Returns: Json };
      take_back_request: { Args: { id: string; kind: string; minute: string }; Returns: undefined };
      take_lesson: {
        Args: Record<PropertyKey, never>;
        Returns: {
          lease: string;
          tenant_id: string;
        }[];
      };
      take_media_cleanings: {
        Args: { batch: number };
        Returns: {
          asset_id: string;
          content_type: string;
          lease: string;
          path: string;
        }[];
      };
      take_media_sweeps: {
        Args: { batch: number; done: Json };
        Returns: {
          bucket: string;
          id: string;
          lease: string;
          names: string[];
        }[];
      };
      template_inputs: { Args: { id_or_type: string; options?: Json }; Returns: Json };
      template_key: { Args: { id_or_type: string; options?: Json }; Returns: string };
      test_email_template: { Args: { template_id: string; variables: Json }; Returns: Json };
      top_sales: {
        Args: {
          category?: string;
          days?: number;
          limit?: number;
          marketplace_id?: string;
          region?: string;
        };
        Returns: Json;
      };
      unpublish_content: {
        Args: { comment?: string; id: string; languages?: string[]; type: string };
        Returns: Json;
      };
      unsubscribe: { Args: { confirmed: boolean; token: string }; Returns: Json };
      update_category: { Args: { category_id: string; changes: Json }; Returns: Json };
      update_content_type: { Args: { changes: Json; key: string }; Returns: Json };
      update_customer: { Args: { changes: Json; customer_id: string }; Returns: Json };
      update_customer_address: {
        Args: { address_id: string; changes?: Json; is_default?: boolean };
        Returns: Json;
      };
      update_dashboard: { Args: { changes: Json; dashboard_id: string }; Returns: Json };
      update_discount: { Args: { changes: Json; discount_id: string }; Returns: Json };
      update_media_asset: { Args: { asset_id: string; changes: Json }; Returns: Json };
      update_media_folder: { Args: { changes: Json; folder_id: string }; Returns: Json };
      update_payout: {
        Args: {
          payout_id: string;
          reason?: string;
          reference?: string;
          status: Database["public"]["Enums"]["payout_status"];
        };
        Returns: Json;
      };
      update_product: { Args: { changes: Json; product_id: string }; Returns: Json };
      update_shipment: {
        Args: { changes: Json; order_id: string; shipment_id: string };
        Returns: Json;
      };
      update_supplier: { Args: { changes: Json; supplier_id: string }; Returns: Json };
      update_tax_rate: { Args: { changes: Json; tax_rate_id: string }; Returns: Json };
      update_tenant: { Args: { changes: Json }; Returns: Json };
      wake_export_dispatch: { Args: Record<PropertyKey, never>; Returns: undefined };
      wake_is_over: { Args: { wake_id: string }; Returns: boolean };
      webhook_body: { Args: { delivery_id: string }; Returns: string };
      webhook_target: { Args: { webhook_id: string }; Returns: Json };
      zone_offsets: { Args: { time_zone: string }; Returns: Json };
    };
    Enums: {
      approval_status: "pending" | "approved" | "rejected";
      audit_action: "created" | "changed" | "deleted";
      booking_status: "booked" | "cancelled";
      campaign_status:
        | "pending_review"
        | "scheduled"
        | "active"
        | "paused"
        | "exhausted"
        | "completed"
        | "rejected"
        | "cancelled";
      checkout_status: "incomplete" | "ready" | "completed" | "cancelled" | "expired";
      component_category:
        | "layout"
        | "navigation"
        | "form"
        | "content"
        | "ecommerce"
        | "media"
        | "feedback";
      content_status: "draft" | "in_review" | "approved" | "published" | "archived";
      content_visibility: "public" | "members" | "roles";
      delivery_recipient: "operator" | "supplier";
      delivery_status: "pending" | "retrying" | "success" | "failed";
      discount_kind: "percentage" | "amount" | "free_delivery";
      discount_status: "active" | "paused";
      export_format: "csv" | "xlsx" | "json";
      export_frequency: "day" | "week" | "month";
      export_status: "queued" | "running" | "ready" | "failed" | "expired";
      export_type:
        | "sales"
        | "revenue"
        | "orders"
        | "order_items"
        | "products"
        | "inventory"
        | "customers"
        | "segments"
        | "cohorts"
        | "funnel"
        | "campaigns"
        | "commissions"
        | "audit_log"
        | "discounts";
      inventory_reason:
        | "opening"
        | "set"
        | "add"
        | "subtract"
        | "reserve"
        | "release"
        | "ship"
        | "void"
        | "return"
        | "import"
        | "licence_keys"
        | "removal";
      invitation_status: "pending" | "accepted" | "expired";
      ledger_kind:
        | "sale"
        | "cancellation"
        | "return"
        | "loss"
        | "delivery"
        | "commission"
        | "tax"
        | "discount"
        | "refund"
        | "promotion"
        | "adjustment"
        | "payout"
        | "payout_reversal";
      mail_audience: "buyer" | "supplier" | "admins";
      mail_status: "pending" | "retrying" | "success" | "failed" | "suppressed";
      marketplace_status: "draft" | "active" | "inactive" | "suspended";
      media_status: "uploading" | "ready";
      media_type: "image" | "video" | "document" | "model_3d";
      member_role: "customer" | "supplier" | "client" | "admin";
      member_status: "active" | "suspended";
      note_visibility: "internal" | "customer";
      order_status:
        | "pending"
        | "confirmed"
        | "processing"
        | "shipped"
        | "delivered"
        | "cancelled"
        | "returned";
      page_type: "homepage" | "category" | "product" | "checkout" | "profile" | "search_results";
      payment_provider: "manual" | "stripe";
      payment_report: "paid" | "failed" | "refunded" | "refund_failed" | "payment_reversed";
      payment_session_status:
        | "open"
        | "processing"
        | "authorized"
        | "paid"
        | "cancelled"
        | "refused"
        | "reversed";
      payment_status: "pending" | "paid" | "failed" | "refunded";
      payout_status: "pending" | "paid" | "failed" | "reversed";
      piece_state: "open" | "shipped" | "delivered" | "returned" | "lost" | "cancelled";
      pricing_model: "fixed" | "auction" | "cpc" | "hybrid";
      product_kind: "physical" | "digital" | "service";
      product_status: "draft" | "active" | "inactive" | "out_of_stock" | "discontinued";
      refund_bearer: "operator" | "supplier";
      refund_status: "pending" | "succeeded" | "failed";
      return_request_status: "requested" | "approved" | "rejected" | "received" | "cancelled";
      shipment_status: "shipped" | "delivered" | "lost" | "void";
      supplier_status: "active" | "paused" | "suspended";
      suppression_reason: "bounce" | "complaint" | "unsubscribed";
      tax_collector: "supplier" | "operator";
      tenant_mail_status: "new" | "approved";
      translation_status: "draft" | "in_progress" | "review" | "approved" | "published";
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
