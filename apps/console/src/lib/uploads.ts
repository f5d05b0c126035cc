import type { MediaAsset } from "@souk/client";
import { useEffectEvent, useState } from "react";
import { useSouk } from "./souk";

/** The pictures that the media library takes. Safari converts others to one of these, such as an iPhone's HEIC to JPEG. */
export const PICTURE_TYPES = "image/jpeg,image/png,image/webp,image/avif,image/gif";

export interface Upload {
  key: string;
  filename: string;
  /** Sent bytes. */
  sent: number;
  total: number;
  error: Error | null;
}

/** Uploads files to the media library, and calls `onReady` with the finished ones. Failed ones remain in `uploads`. */
export function useUploads(onReady: (assets: MediaAsset[]) => void) {
  const souk = useSouk();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const ready = useEffectEvent(onReady);

  async function send(file: File): Promise<MediaAsset[]> {
    const key = crypto.randomUUID();
    const change = (fields: Partial<Upload>) =>
      setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one)));
    setUploads((all) => [
      ...all,
      { key, filename: file.name, sent: 0, total: file.size, error: null },
    ]);
    try {
      const asset = await souk.media.upload(file, { onProgress: change });
      setUploads((all) => all.filter((one) => one.key !== key));
      return [asset];
    } catch (error) {
      change({ error: error instanceof Error ? error : new Error(String(error)) });
      return [];
    }
  }

  return {
    uploads,
    async upload(files: readonly File[]) {
      setUploads((all) => all.filter(({ error }) => error === null));
      const assets = await Promise.all(files.map(send));
      ready(assets.flat());
    },
  };
}
