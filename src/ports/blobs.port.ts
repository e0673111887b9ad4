/** The sealed bytes cannot be opened: they were sealed with another master key, or were changed or moved. */
export class BlobSealBroken extends Error {}

/** The outcome of a `put` is unknown; it is safe to repeat it. */
export class BlobsUnavailable extends Error {}

export interface SealedBlob {
  readonly name: string;
  readonly sealed: Uint8Array;
  readonly putAt: number;
}

/**
 * A name has up to eight segments of up to 100 letters, digits and `_ . -`, separated by slashes:
 * `<kind>/<workspaceId>/<…>/<id>`. No segment begins with a dot.
 */
const nameForm = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}){0,7}$/;

/** @throws Error for an invalid name, which is a bug of the caller and never bad input of a user */
export function mustBeBlobName(name: string): void {
  if (!nameForm.test(name)) throw new Error(`'${name}' is not the name of a blob.`);
}

/**
 * Content that is too large or too private for the log, such as raw mails and files of forms. Each blob is sealed with
 * a data key of its own (AES-256-GCM), which is sealed with the vault's master key. Both seals authenticate the blob's
 * name, so that blobs cannot be swapped. Destroying a blob destroys its data key.
 */
export abstract class Blobs {
  /**
   * Replaces a blob of the same name, atomically. Durable when the promise resolves: it is on disk and survives a
   * crash.
   * @throws BlobsUnavailable
   */
  abstract put(name: string, value: Uint8Array): Promise<void>;

  /** @throws BlobSealBroken, BlobsUnavailable */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /**
   * With `before` (milliseconds since 1970), destroys the blob only if it was put earlier, so that a concurrent put
   * survives. Idempotent.
   * @throws BlobsUnavailable
   */
  abstract destroy(name: string, options?: { readonly before?: number }): Promise<void>;

  /**
   * Returns the names that begin with `folder` and a slash, in any order. With `before` (milliseconds since 1970), only
   * blobs put earlier.
   * @throws BlobsUnavailable
   */
  abstract names(folder: string, options?: { readonly before?: number }): Promise<readonly string[]>;

  /**
   * Destroys every blob whose name begins with `folder` and a slash. With `before` (milliseconds since 1970), only
   * blobs put earlier. A blob put during the call may or may not be destroyed. Idempotent.
   * @throws BlobsUnavailable
   */
  abstract destroyAll(folder: string, options?: { readonly before?: number }): Promise<void>;

  /**
   * For export, ordered by name (bytes of its UTF-8), one in memory at a time. Blobs put or destroyed during the export
   * may or may not be included.
   * @throws BlobsUnavailable
   */
  abstract sealedBlobs(): AsyncIterable<SealedBlob>;

  /**
   * Imports a blob of another store in sealed form with its original time, replacing any with the same name. Durable
   * when the promise resolves. Idempotent. A blob that this master key cannot open is not stored.
   * @throws BlobSealBroken, BlobsUnavailable
   */
  abstract putSealed(blob: SealedBlob): Promise<void>;

  /** Rejects with the reason if the store cannot be read and written now. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
