/** The sealed bytes cannot be opened: they were sealed under another master key, or were changed or moved. */
export class BlobSealBroken extends Error {}

/** The store cannot be reached or written now. Of a `put` nobody knows whether it was made; it may be made again. */
export class BlobsUnavailable extends Error {}

/** A blob as it lies there: nothing of its value is in the clear, and only the same master key opens it. */
export interface SealedBlob {
  readonly name: string;
  readonly sealed: Uint8Array;
  /** When it was put, in milliseconds since 1970. */
  readonly putAt: number;
}

/** Segments of letters, digits and `_ . -` with slashes between them: `<kind>/<workspaceId>/<…>/<id>`. */
const nameForm = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}){0,7}$/;

/** @throws Error for what is no name: a fault of the caller, never of what somebody sent */
export function mustBeBlobName(name: string): void {
  if (!nameForm.test(name)) throw new Error(`'${name}' is not the name of a blob.`);
}

/**
 * Larger pieces of content that must not stand in the log: raw mails, files of forms. Each is sealed under a data key of its own
 * (AES-256-GCM), which is itself sealed under the vault's master key; the blob's name is authenticated with both, so
 * that blobs cannot be swapped. Destroying a blob destroys its data key.
 */
export abstract class Blobs {
  /**
   * Durable when it resolves: on disk, and there after a crash. Wholly there or not at all. Takes the place of what was
   * there under the name. @throws BlobsUnavailable
   */
  abstract put(name: string, value: Uint8Array): Promise<void>;

  /** Undefined when nothing is there. @throws BlobSealBroken, BlobsUnavailable */
  abstract open(name: string): Promise<Uint8Array | undefined>;

  /** May be repeated. @throws BlobsUnavailable */
  abstract destroy(name: string): Promise<void>;

  /**
   * Destroys every blob whose name goes on after `folder` and a slash; with `before` (milliseconds since 1970) only
   * those put earlier than that. What is put meanwhile stays or goes. May be repeated. @throws BlobsUnavailable
   */
  abstract destroyAll(folder: string, options?: { readonly before?: number }): Promise<void>;

  /**
   * Every blob by name (the bytes of its UTF-8), to be carried elsewhere; one at a time in memory. What is put or
   * destroyed meanwhile shows or does not. @throws BlobsUnavailable
   */
  abstract sealedBlobs(): AsyncIterable<SealedBlob>;

  /**
   * Puts a blob of another store in the place of what was there, sealed as it is and as old as it is. Durable when it
   * resolves; may be repeated. What could not be opened here is not put. @throws BlobSealBroken, BlobsUnavailable
   */
  abstract putSealed(blob: SealedBlob): Promise<void>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
