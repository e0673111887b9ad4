import type { ExportedNames, SiteImport } from '../../kernel/site-code/site-imports.js';

/** Facts about a TSX module. Lines count from 1. */
export interface SourceFacts {
  /** Why it cannot be parsed or bundled. If there is any reason, the other facts are unknown. */
  readonly syntax: readonly { readonly line: number; readonly message: string }[];
  readonly hasDefaultExport: boolean;
  /** Modules that run with this one, without imports used only as types, which compilation removes. */
  readonly imports: readonly SiteImport[];
  /** Exported values, by name; the default export as `default`. */
  readonly exports: ExportedNames;
  /** Tags of components that nothing in scope declares. */
  readonly undefinedJsx: readonly { readonly name: string; readonly line: number }[];
}

export interface SourceCheckRequest {
  /** Workspaces take turns, so that none delays another's checks for long. */
  readonly workspaceId: string;
  readonly sources: readonly string[];
}

/** The check was abandoned: it took too long or too much memory. */
export class SourceCheckGivenUp extends Error {}

/** Parses customers' sources. No source can crash or block the service. */
export abstract class SourceCheck {
  /** The facts of each source, in order. @throws SourceCheckGivenUp; other errors when no check can be made at all */
  abstract read(request: SourceCheckRequest): Promise<readonly SourceFacts[]>;

  /** Rejects waiting checks. Nothing runs afterwards. */
  abstract close(): Promise<void>;
}
