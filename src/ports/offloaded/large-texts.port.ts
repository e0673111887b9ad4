/**
 * A search automaton (Aho-Corasick). Its arrays are in memory that threads share, so another thread can search without
 * a copy.
 */
export interface FinderTables {
  readonly byteOf: Uint8Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly fallback: Int32Array;
  readonly longest: Int32Array;
  readonly rootChild: Int32Array;
}

export interface RedactorTables {
  readonly values: FinderTables | undefined;
  /**
   * If one of these values is found, all texts of the request are hidden. Otherwise code could write many guesses and
   * see which of them is hidden.
   */
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
