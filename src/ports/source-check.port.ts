export const warningKinds = [
  'syntax',
  'no-default-export',
  'undefined-jsx',
  'unresolved-component',
  'missing-package',
  'component-name',
] as const;
export type WarningKind = (typeof warningKinds)[number];

/** A page or a component: a module of TSX. */
export interface SourceFile {
  /** `pages/index.tsx` */
  readonly file: string;
  readonly content: string;
}

export interface SourceWarning {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly kind: WarningKind;
  readonly message: string;
}

export interface SourceCheckRequest {
  /** Workspaces take turns, so that one never holds up another's checks for long. */
  readonly workspaceId: string;
  readonly files: readonly SourceFile[];
  /** What `@/components/<name>` finds. */
  readonly components: readonly string[];
  /** What may be imported by name. */
  readonly packages: readonly string[];
}

/** The check took too long or too much memory and was given up. */
export class SourceCheckGivenUp extends Error {}

/** Parses customers' sources and says what is wrong with them. Nothing in them can crash or block the service. */
export abstract class SourceCheck {
  /** @throws SourceCheckGivenUp; other errors when no check can be made at all */
  abstract check(request: SourceCheckRequest): Promise<readonly SourceWarning[]>;

  /** Rejects waiting checks. Nothing runs afterwards. */
  abstract close(): Promise<void>;
}
