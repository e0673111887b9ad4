/** The store cannot be reached or written now. The outcome of a `put` is unknown; it is safe to repeat it. */
export class TextsUnavailable extends Error {}

/** What the store holds for a digest is not the text of that digest. */
export class TextDamaged extends Error {}

export interface NewText {
  /** See `TextRef`. */
  readonly digest: string;
  readonly text: string;
  /** The digest of a text that it probably resembles, such as the one it replaces. */
  readonly base?: string;
}

/** A text as it is stored, for export. Without a base it is compressed by itself. */
export interface StoredText {
  readonly workspaceId: string;
  readonly digest: string;
  /** The text against which it is compressed. */
  readonly base: string | null;
  readonly packed: Uint8Array;
}

/**
 * Large texts by digest. Each is kept once a workspace, however many events name it, and for ever, as events are. A text
 * is compressed against a similar one where that saves room, so a small change of a large text takes little.
 *
 * A text is put before the event that names it. When the process ends in between, the text is there and nothing names
 * it, which does no harm.
 */
export abstract class Texts {
  /**
   * Durable when it resolves: on disk (a majority's), and there after a crash. A text that is there stays as it is, so a
   * put may be repeated. Texts of one call are stored together or not at all in the embedded store, in MongoDB one by
   * one. The caller vouches for the digests. A base that is not there is ignored.
   * @throws TextsUnavailable
   */
  abstract put(workspaceId: string, texts: readonly NewText[]): Promise<void>;

  /**
   * The texts of these digests, code unit by code unit; those that the workspace does not have are left out. What other
   * workspaces have makes no difference.
   * @throws TextsUnavailable, TextDamaged
   */
  abstract get(workspaceId: string, digests: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * Every text of all workspaces or of one, for export: each after its base. Texts put meanwhile may or may not be
   * included. @throws TextsUnavailable
   */
  abstract storedTexts(workspaceId?: string): AsyncIterable<StoredText>;

  /**
   * Imports a text of another store. Durable when it resolves; may be repeated.
   * @throws TextDamaged when it is not the text of its digest, or its base is not there; TextsUnavailable
   */
  abstract putStored(text: StoredText): Promise<void>;

  /** Whether it can be read and written now; rejects with the reason. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
