/** The outcome of a `put` is unknown; it is safe to repeat it. */
export class TextsUnavailable extends Error {}

export class TextDamaged extends Error {}

export interface NewText {
  readonly digest: string;
  readonly text: string;
  /** Digest of another text that `text` probably resembles, such as the text that it replaces. */
  readonly base?: string;
}

export interface StoredText {
  readonly workspaceId: string;
  readonly digest: string;
  readonly base: string | null;
  readonly packed: Uint8Array;
}

/**
 * Large texts by digest. Each is stored once per workspace, however many events refer to it, and is never deleted. A
 * text is stored before the event that refers to it. If the process dies in between, an unused text remains, which does
 * no harm.
 */
export abstract class Texts {
  /**
   * When the promise resolves, the texts are on disk (on a majority of nodes) and survive a crash. Existing texts are
   * left unchanged, so a call may be repeated. The embedded store stores the texts of one call together or not at all,
   * MongoDB one by one. The caller must compute the digests correctly, because they are not checked. A missing base is
   * ignored.
   * @throws TextsUnavailable
   */
  abstract put(workspaceId: string, texts: readonly NewText[]): Promise<void>;

  /**
   * Returns the texts exactly as they were put. Digests that this workspace has not stored are left out, even if other
   * workspaces have stored them.
   * @throws TextsUnavailable, TextDamaged
   */
  abstract get(workspaceId: string, digests: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * Returns every text of all workspaces, or of one, each after its base. Texts stored during the export may or may not
   * be included.
   * @throws TextsUnavailable
   */
  abstract storedTexts(workspaceId?: string): AsyncIterable<StoredText>;

  /**
   * Imports a text of another store. Durable when the promise resolves. Idempotent.
   * @throws TextDamaged if it does not match its digest or its base is missing; TextsUnavailable
   */
  abstract putStored(text: StoredText): Promise<void>;

  /** Rejects with the reason if the store cannot be read and written now. */
  abstract check(): Promise<void>;

  abstract close(): Promise<void>;
}
