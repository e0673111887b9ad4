import type { ExportedNames, SiteImport } from '../kernel/site-code/site-imports.js';

/** What a module of TSX says about itself. Lines count from 1. */
export interface SourceFacts {
  /** Why it cannot be parsed, or bundled. Then nothing else is known. */
  readonly syntax: readonly { readonly line: number; readonly message: string }[];
  readonly hasDefaultExport: boolean;
  /** Modules that run with this one. Imports of types alone are left out: they are gone once compiled. */
  readonly imports: readonly SiteImport[];
  /** Values, by name; the default export as `default`. */
  readonly exports: ExportedNames;
  /** Tags of components that nothing in scope declares. */
  readonly undefinedJsx: readonly { readonly name: string; readonly line: number }[];
}

export interface SourceCheckRequest {
  /** Workspaces take turns, so that one never holds up another's checks for long. */
  readonly workspaceId: string;
  readonly sources: readonly string[];
}

/** The check took too long or too much memory and was given up. */
export class SourceCheckGivenUp extends Error {}

/** Parses customers' sources and says what stands in them. Nothing in them can crash or block the service. */
export abstract class SourceCheck {
  /** The facts of each, in their order. @throws SourceCheckGivenUp; other errors when no check can be made at all */
  abstract read(request: SourceCheckRequest): Promise<readonly SourceFacts[]>;

  /** Rejects waiting checks. Nothing runs afterwards. */
  abstract close(): Promise<void>;
}
