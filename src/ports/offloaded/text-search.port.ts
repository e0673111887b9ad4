export interface SearchRequest {
  /** Searches of different workspaces take turns, so none delays another for long. */
  readonly workspaceId: string;
  readonly text: string;
  /** A regular expression in RE2 syntax or, if it is not valid as one, plain text. Case-sensitive. */
  readonly pattern: string;
  readonly contextLines: number;
  readonly maxMatches: number;
}

export interface LineMatch {
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface SearchResult {
  readonly matches: readonly LineMatch[];
  readonly truncated: boolean;
}

export class SearchGivenUp extends Error {}

/** The pattern cannot be searched for in linear time. The message continues a sentence that begins 'The pattern …'. */
export class PatternNotSupported extends Error {}

/**
 * The pattern has so many repetitions that searching a text of this length would take too long. A shorter text could be
 * searched.
 */
export class PatternTooLarge extends Error {}

/** No pattern can crash or block the service. */
export abstract class TextSearch {
  /** @throws SearchGivenUp, PatternNotSupported, PatternTooLarge; other errors if no search can be made at all */
  abstract search(request: SearchRequest): Promise<SearchResult>;

  /** Rejects waiting searches. No search runs afterwards. */
  abstract close(): Promise<void>;
}
