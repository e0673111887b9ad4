/** What is searched for, in memory that threads can share: a search elsewhere copies nothing and builds nothing. */
export interface FinderTables {
  readonly byteOf: Uint8Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** The node of the longest value beginning that ends this node's text. */
  readonly fallback: Int32Array;
  readonly longest: Int32Array;
  readonly rootChild: Int32Array;
}

/** What a redactor looks for. */
export interface RedactorTables {
  readonly values: FinderTables | undefined;
  /** Where one of these is found, all that is looked at is hidden. */
  readonly guessable: FinderTables | undefined;
}

/** The kinds of texts that are looked through: bytes stand as one character each. */
export type TextKind = 'text' | 'bytes';

export interface HiddenTexts {
  readonly texts: readonly string[];
  readonly guessable: boolean;
}

export interface HideRequest {
  /** Workspaces take turns: what one of them has looked through never holds up another's for long. */
  readonly workspaceId: string;
  readonly tables: RedactorTables;
  /** They belong together, and each is hidden by itself. */
  readonly texts: readonly string[];
  readonly kind: TextKind;
}

/** Hides secrets in texts that are too large for the one thread that everybody waits for. */
export abstract class LargeTexts {
  /** Undefined: there was nothing to hide. @throws Error when they could not be looked through; then show nothing of them */
  abstract hide(request: HideRequest): Promise<HiddenTexts | undefined>;

  /** What waits is rejected; nothing goes on afterwards. */
  abstract close(): Promise<void>;
}
