import { readError } from "./errors.js";
import type { CallOptions, Http } from "./http.js";
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
  ...{ pdf: "application/pdf", txt: "text/plain", csv: "text/csv" },
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ...{ glb: "model/gltf-binary", gltf: "model/gltf+json", usdz: "model/vnd.usdz+zip" },
};

export const mediaOf = ({ list, listAll, create, read, send, act }: Operations, http: Http) => {
  const announce = create("/api/media");
  const replace = create("/api/media/{id}/replace");
  const remove = act("delete", "/api/media/{id}");

  return {
    /** A page of the library, newest first. */
    list: list("/api/media"),
    /** All assets of a list, by default the oldest first. */
    listAll: listAll("/api/media", "media"),
    /**
     * Announces a file, and returns where to send its bytes. `upload` does this and the next steps.
     */
    create: announce,
    /** Errors: NOT_FOUND. */
    get: read("/api/media/{id}"),
    /** Changes texts, tags, focal point or folder of an asset. Errors: NOT_FOUND. */
    update: send("patch", "/api/media/{id}"),
    /**
     * Starts the check of the uploaded bytes. Errors: CONFLICT if none have arrived;
     * UNSUPPORTED_MEDIA (422).
     */
    complete: act("post", "/api/media/{id}/complete"),
    /** Announces a file that replaces an asset's. Errors: NOT_FOUND. */
    replace,
    /** Errors: CONFLICT if a record uses it (`usedBy`); NOT_FOUND. */
    remove,

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
        ? await replace(replaces, described, once)
        : await announce({ ...fields, ...described }, once);
      try {
        await sendBytes(file, announced.upload, http, onProgress, signal);
      } catch (error) {
        // An announced file counts against the quota for a day, so it is removed now. If that fails, it goes then.
        if (!replaces) await remove(announced.id).catch(() => {});
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

export const mediaFoldersOf = ({ read, create, send, act }: Operations) => ({
  /** All folders, as a tree. */
  list: read("/api/media/folders"),
  /** For content editors and admins. Errors: CONFLICT if the parent folder has one of that name. */
  create: create("/api/media/folders"),
  /** Renames a folder or moves it. Errors: CONFLICT, NOT_FOUND. */
  update: send("patch", "/api/media/folders/{id}"),
  /** Errors: CONFLICT if it is not empty; NOT_FOUND. */
  remove: act("delete", "/api/media/folders/{id}"),
});

/** The folders of the media library. */
export interface MediaFolders extends ReturnType<typeof mediaFoldersOf> {}

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

/** Sends a file by TUS. The client for it is loaded only here. */
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
