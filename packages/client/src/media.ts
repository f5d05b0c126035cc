import { readError } from "./errors.js";
import type { CallOptions, Http } from "./http.js";
import { mediaMethods } from "./methods.generated.js";
import type { AnnouncedMedia, MediaAsset } from "./openapi.generated.js";
import type { CreateOptions, Operations } from "./operations.js";

/** The description of a file to upload. Absent fields are taken from the file. */
export interface UploadFields {
  /** Required for a `Blob`, which has no name of its own. */
  filename?: string;
  content_type?: string;
  alt_text?: string;
  tags?: string[];
  folder_id?: string | null;
  private?: boolean;
  /** The id of an asset whose file is replaced. The other fields but filename and content_type are then ignored. */
  replaces?: string;
}

export interface UploadOptions extends UploadFields, CreateOptions {
  /** Called with the progress, in bytes. */
  onProgress?(progress: { sent: number; total: number }): void;
}

/** Size in bytes of the parts of a larger file, which is Storage's. After a failure the upload continues with a part. */
const PART_BYTES = 6 * 1024 * 1024;

/** Content types by file extension: browsers know only some, and call the others octet-stream. */
const TYPES: Record<string, string> = {
  ...{ jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png", webp: "image/webp" },
  ...{ avif: "image/avif", gif: "image/gif", mp4: "video/mp4", webm: "video/webm" },
  ...{ apng: "image/apng", m4v: "video/x-m4v", "3gp": "video/3gpp", "3g2": "video/3gpp2" },
  // The library does not take these, and says what to do.
  ...{ heic: "image/heic", heif: "image/heif", mov: "video/quicktime" },
  ...{ pdf: "application/pdf", txt: "text/plain", csv: "text/csv" },
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ...{ glb: "model/gltf-binary", gltf: "model/gltf+json", usdz: "model/vnd.usdz+zip" },
};

export const mediaOf = (operations: Operations, http: Http) => {
  const methods = mediaMethods(operations);

  return {
    ...methods,
    /**
     * Uploads a file and resolves to the ready asset. A file larger than 6 MB goes in parts; a part that fails is
     * repeated. Errors: UNSUPPORTED_MEDIA (422); VALIDATION_ERROR on `size`, above a limit or the quota (`remaining`).
     */
    async upload(file: Blob, options: UploadOptions = {}): Promise<MediaAsset> {
      const { onProgress, signal, headers, idempotencyKey, replaces, ...fields } = options;
      const call = { signal, headers };
      const filename = fields.filename ?? (file as Partial<File>).name;
      if (!filename) throw new TypeError("filename is missing: a Blob has no name of its own");
      const described = {
        filename,
        size: file.size,
        content_type: typeOf(file, filename, fields.content_type),
      };
      const once = { ...call, ...(idempotencyKey && { idempotencyKey }) };
      const announced = replaces
        ? await methods.replace(replaces, described, once)
        : await methods.create({ ...fields, ...described }, once);
      try {
        await sendBytes(file, announced.upload, http, onProgress, signal);
      } catch (error) {
        // An announced file counts against the quota for a day, so it is removed now. If that
        // fails, it is removed after that day.
        if (!replaces) await methods.remove(announced.id).catch(() => {});
        throw error;
      }
      return (await http.call("POST", "/api/media/{id}/complete", {
        ...call,
        params: { path: { id: announced.id } },
        // Completing twice has the same result. The key makes the call repeat after a failure.
        headers: { "Idempotency-Key": announced.id, ...headers },
      })) as MediaAsset;
    },
  };
};

/** Images, videos, documents and 3D models. */
export interface Media extends ReturnType<typeof mediaOf> {}

function typeOf(file: Blob, filename: string, announced = file.type): string {
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return /^(image|video|model|text|application\/(pdf|vnd\.openxml))/.test(announced)
    ? announced
    : (TYPES[ending] ?? (announced || "application/octet-stream"));
}

type Upload = AnnouncedMedia["upload"];
type OnProgress = UploadOptions["onProgress"];

async function sendBytes(
  file: Blob,
  upload: Upload,
  http: Http,
  onProgress: OnProgress,
  signal?: CallOptions["signal"],
): Promise<void> {
  onProgress?.({ sent: 0, total: file.size });
  if (file.size > PART_BYTES) return sendParts(file, upload, onProgress, signal);
  const { url, method, headers } = upload;
  const answer = await http.send(new Request(url, { method, headers, body: file, signal }));
  // The bytes are stored already: the response to an earlier attempt was lost.
  if (!answer.ok && answer.status !== 409 && !(await answer.clone().text()).includes("Duplicate")) {
    throw await readError(answer);
  }
  onProgress?.({ sent: file.size, total: file.size });
}

/** Sends a file by TUS. Its client library is loaded only here. */
async function sendParts(
  file: Blob,
  { resumable: { url, headers, metadata } }: Upload,
  onProgress: OnProgress,
  signal?: CallOptions["signal"],
): Promise<void> {
  const { Upload } = await import("tus-js-client");
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(file as never, {
      ...{ endpoint: url, headers, metadata },
      uploadSize: file.size,
      chunkSize: PART_BYTES,
      retryDelays: [500, 1_000, 3_000, 10_000],
      storeFingerprintForResuming: false,
      fileReader: { openFile: async () => partsOf(file) as never },
      onProgress: (sent, total) => onProgress?.({ sent, total: total ?? file.size }),
      onError: reject,
      onSuccess: () => resolve(),
    });
    const stop = () => {
      // Storage deletes the parts that have arrived after a day.
      upload.abort().catch(() => {});
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    upload.start();
  });
}

/** A file as tus-js-client reads it. Its own readers take a Blob in browsers only, not in Node. */
function partsOf(file: Blob) {
  return {
    size: file.size,
    async slice(start: number, end: number) {
      const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer());
      // tus-js-client reads `size`, which an array does not have.
      return { value: Object.assign(bytes, { size: bytes.length }), done: end >= file.size };
    },
    close() {},
  };
}
