/** The sealed bytes cannot be opened: they were sealed under another master key, or were changed or moved. */
export class BlobSealBroken extends Error {}

/** The store cannot be reached or written now. The outcome of a `put` is unknown; it is safe to repeat it. */
export class BlobsUnavailable extends Error {}

/** A blob as stored: encrypted, and readable only with the same master key. */
export interface SealedBlob {
  readonly name: string;
  readonly sealed: Uint8Array;
  /** When it was put, in milliseconds since 1970. */
  readonly putAt: number;
}

/** Segments of letters, digits and `_ . -`, separated by slashes: `<kind>/<workspaceId>/<…>/<id>`. */
const nameForm = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}){0,7}$/;

/** @throws Error for an invalid name: that is a bug of the caller, never bad input of a user */
export function mustBeBlobName(name: string): void {
  if (!nameForm.test(name)) throw new Error(`'${name}' is not the name of a blob.`);
}

/**
 * Content that is too large or too private for the log: raw mails, files of forms. Each blob is sealed under its own
 * data key (AES-256-GCM), which is sealed under the vault's master key. The name is authenticated with both, so that
 * blobs cannot be swapped. Destroying a blob destroys its data key.
 */
export abstract class Blobs {
  /**
   * Durable when it resolves: on disk, and present after a crash. Atomic. Replaces a blob of the same name.
   * @throws BlobsUnavailable
   */
  abstract put(name: string, value: Uint8Array): Promise<void>;

  /** Undefined if there is no such blob. @throws BlobSealBroken, BlobsUnavailable */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /**
   * With `before` (milliseconds since 1970) only if it was put earlier: a concurrent put survives. Idempotent.
   * @throws BlobsUnavailable
   */
  abstract destroy(name: string, options?: { readonly before?: number }): Promise<void>;

  /** Names that begin with `folder` and a slash, in any order; with `before` only those put earlier. @throws BlobsUnavailable */
  abstract names(folder: string, options?: { readonly before?: number }): Promise<readonly string[]>;

  /**
   * Destroys every blob whose name begins with `folder` and a slash; with `before` (milliseconds since 1970) only those
   * put earlier. A blob put while this runs may or may not be destroyed. Idempotent. @throws BlobsUnavailable
   */
  abstract destroyAll(folder: string, options?: { readonly before?: number }): Promise<void>;

  /**
   * Every blob, for export: in the order of names (bytes of their UTF-8), one in memory at a time. Blobs put or
   * destroyed meanwhile may or may not be included. @throws BlobsUnavailable
   */
  abstract sealedBlobs(): AsyncIterable<SealedBlob>;

  /**
   * Imports a blob of another store in its sealed form and with its age, replacing any of that name. Durable when it
   * resolves; idempotent. A blob that this master key cannot open is not stored.
   * @throws BlobSealBroken, BlobsUnavailable
   */
  abstract putSealed(blob: SealedBlob): Promise<void>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
