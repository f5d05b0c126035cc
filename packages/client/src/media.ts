import { readError } from "./errors.js";
import type { CallOptions, Http } from "./http.js";
import type { AnnouncedMedia, MediaAsset } from "./openapi.generated.js";
import type { CreateOptions, Operations } from "./operations.js";

/** What is said of a file that is uploaded; what is left out the file itself says, as far as it does. */
export interface UploadWish {
  /** A `Blob` has none of its own. */
  filename?: string;
  content_type?: string;
  alt_text?: string;
  tags?: string[];
  folder_id?: string | null;
  private?: boolean;
  /** The id of an asset whose bytes the file replaces; nothing else can be said of it then. */
  replaces?: string;
}

export interface UploadOptions extends UploadWish, CreateOptions {
  /** Told how far it has come, in bytes. */
  onProgress?(progress: { sent: number; total: number }): void;
}

/** Storage takes what is larger in parts of this size, and so it can go on where it was broken off. */
const PART_BYTES = 6 * 1024 * 1024;

/** Of files whose type nobody has told: browsers know some, others are called octet-stream. */
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
    /** A page of the library, the newest first. */
    list: list("/api/media"),
    /** Every asset of a list, oldest first unless asked otherwise. */
    listAll: listAll("/api/media", "media"),
    /** Announces a file, and says where its bytes are to be sent. `upload` does that and all that follows. */
    create: announce,
    /** Errors: NOT_FOUND. */
    get: read("/api/media/{id}"),
    /** Changes what is said of an asset. Errors: NOT_FOUND. */
    update: send("patch", "/api/media/{id}"),
    /** Has the bytes judged that were sent. Errors: CONFLICT, when none were; UNSUPPORTED_MEDIA (422). */
    complete: act("post", "/api/media/{id}/complete"),
    /** Announces a file that takes the place of an asset's. Errors: NOT_FOUND. */
    replace,
    /** Errors: CONFLICT, while anything shows it; NOT_FOUND. */
    remove,

    /**
     * Uploads a file and answers the asset when it is ready. What is larger than 6 MB goes in parts, each of which is
     * repeated when it fails. Errors: UNSUPPORTED_MEDIA (422); VALIDATION_ERROR on `size`, when there is no room.
     */
    async upload(file: Blob, options: UploadOptions = {}): Promise<MediaAsset> {
      const { onProgress, signal, headers, idempotencyKey, replaces, ...said } = options;
      const call = { signal, headers };
      const filename = said.filename ?? (file as Partial<File>).name;
      if (!filename) throw new TypeError("say what the file is called: filename");
      const told = {
        filename,
        size: file.size,
        content_type: typeOf(file, filename, said.content_type),
      };
      const once = { ...call, ...(idempotencyKey && { idempotencyKey }) };
      const announced = replaces
        ? await replace(replaces, told, once)
        : await announce({ ...said, ...told }, once);
      try {
        await sendBytes(file, announced.upload, http, onProgress, signal);
      } catch (error) {
        // What was announced would count for a day. If it cannot be taken back now, it goes then.
        if (!replaces) await remove(announced.id).catch(() => {});
        throw error;
      }
      return (await http.call("POST", "/api/media/{id}/complete", {
        ...call,
        params: { path: { id: announced.id } },
        // It comes to the same when it is carried out twice, and so it is repeated where it seems to have failed.
        headers: { "Idempotency-Key": announced.id, ...headers },
      })) as MediaAsset;
    },
  };
};

/** Images, videos, documents and 3D models, and where they show. */
export interface Media extends ReturnType<typeof mediaOf> {}

export const mediaFoldersOf = ({ read, create, send, act }: Operations) => ({
  /** All folders, as a tree. */
  list: read("/api/media/folders"),
  /** For editors of content and admins. Errors: CONFLICT, when the name is taken there. */
  create: create("/api/media/folders"),
  /** Renames a folder or moves it. Errors: CONFLICT, NOT_FOUND. */
  update: send("patch", "/api/media/folders/{id}"),
  /** Errors: CONFLICT, while anything is in it; NOT_FOUND. */
  remove: act("delete", "/api/media/folders/{id}"),
});

/** Where media are kept in order. */
export interface MediaFolders extends ReturnType<typeof mediaFoldersOf> {}

function typeOf(file: Blob, filename: string, told = file.type): string {
  const ending = filename.split(".").at(-1)?.toLowerCase() ?? "";
  return /^(image|video|model|text|application\/(pdf|vnd\.openxml))/.test(told)
    ? told
    : (TYPES[ending] ?? (told || "application/octet-stream"));
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
  // It is there already: the answer to an attempt before was lost.
  if (!answer.ok && answer.status !== 409 && !(await answer.clone().text()).includes("Duplicate")) {
    throw await readError(answer);
  }
  onProgress?.({ sent: file.size, total: file.size });
}

/** By TUS, whose client is loaded where it is needed. */
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
      // What has come of it is gone in a day.
      upload.abort().catch(() => {});
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    upload.start();
  });
}

/** A file as tus-js-client reads it: its own readers know blobs in browsers, and in Node none. */
function partsOf(file: Blob) {
  return {
    size: file.size,
    async slice(start: number, end: number) {
      const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer());
      // It asks what it is given for its size, and arrays call that otherwise.
      return { value: Object.assign(bytes, { size: bytes.length }), done: end >= file.size };
    },
    close() {},
  };
}
