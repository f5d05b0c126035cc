import type { Product, ProductVariant } from "@souk/client";

/** The number of pieces that can be ordered; infinite if the product has no stock. */
export function piecesLeft(product: Product, variant?: ProductVariant): number {
  if (product.status !== "active") return 0;
  if (product.kind === "service" || !product.track_inventory) return Number.POSITIVE_INFINITY;
  const { quantity, reserved } = variant?.inventory ??
    product.inventory ?? { quantity: 0, reserved: 0 };
  return Math.max(0, quantity - reserved);
}
