import type { ProductImage } from "@souk/client";

/** A picture in the needed width. Its box has the right shape before the picture is loaded. */
export function Picture({
  image,
  sizes,
  lazy = true,
}: {
  image: ProductImage | null | undefined;
  sizes: string;
  lazy?: boolean;
}) {
  return (
    <span class="picture">
      {image && (
        <img
          src={image.url}
          srcset={image.srcset ?? undefined}
          sizes={sizes}
          width={image.width ?? 600}
          height={image.height ?? 600}
          alt={image.alt}
          loading={lazy ? "lazy" : "eager"}
        />
      )}
    </span>
  );
}
