/** Memory that threads share, so that another thread can search without copying or rebuilding the tables. */
export interface FinderTables {
  readonly byteOf: Uint8Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /**
   * Aho–Corasick failure links: for each node, the node of the longest prefix of a value that is a proper suffix of the
   * node's text.
   */
  readonly fallback: Int32Array;
  readonly longest: Int32Array;
  readonly rootChild: Int32Array;
}

export interface RedactorTables {
  readonly values: FinderTables | undefined;
  /** Values that are easy to guess. If one is found, the whole text is hidden. */
  readonly guessable: FinderTables | undefined;
}

/** `bytes` means that each character of the text represents one byte. */
export type TextKind = 'text' | 'bytes';

export interface HiddenTexts {
  readonly texts: readonly string[];
  readonly guessable: boolean;
}

export interface HideRequest {
  /** Requests of different workspaces take turns, so none blocks another for long. */
  readonly workspaceId: string;
  readonly tables: RedactorTables;
  /** The result has one text for each, in the same order. */
  readonly texts: readonly string[];
  readonly kind: TextKind;
}

/** Hides secrets in texts that are too large to be searched on the main thread. */
export abstract class LargeTexts {
  /**
   * Returns undefined if there was nothing to hide.
   * @throws Error if the texts could not be searched; then no part of them may be shown
   */
  abstract hide(request: HideRequest): Promise<HiddenTexts | undefined>;

  /** Rejects waiting requests. No work runs afterwards. */
  abstract close(): Promise<void>;
}
