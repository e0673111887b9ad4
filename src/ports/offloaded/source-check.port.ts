import type { ExportedNames, SiteImport } from '../../kernel/site-code/site-imports.js';

/** Lines are counted from 1. */
export interface SourceFacts {
  /** Errors that prevent parsing or bundling. If there are any, the other facts are unknown. */
  readonly syntax: readonly { readonly line: number; readonly message: string }[];
  readonly hasDefaultExport: boolean;
  /**
   * Modules that this one imports at run time. Imports used only as types are left out, because compilation removes
   * them.
   */
  readonly imports: readonly SiteImport[];
  readonly exports: ExportedNames;
  readonly undefinedJsx: readonly { readonly name: string; readonly line: number }[];
}

export interface SourceCheckRequest {
  /** Checks of different workspaces take turns, so none delays another for long. */
  readonly workspaceId: string;
  readonly sources: readonly string[];
}

export class SourceCheckGivenUp extends Error {}

/** No source can crash or block the service. */
export abstract class SourceCheck {
  /** @throws SourceCheckGivenUp; other errors if no check can be made at all */
  abstract read(request: SourceCheckRequest): Promise<readonly SourceFacts[]>;

  /** Rejects waiting checks. No check runs afterwards. */
  abstract close(): Promise<void>;
}
