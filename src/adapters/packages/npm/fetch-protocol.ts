import type { ResolvedPackage } from '../../../ports/packages.port.js';

/** What the parent leaves in the folder that it shares with the child. */
export interface FetchRequest {
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly registry: string;
  readonly mostPackages: number;
  /** Of all archives together. */
  readonly mostBytes: number;
}

/** What the child leaves there. The archives are files beside it: `<index>.tgz`. */
export type FetchAnswer =
  | { readonly t: 'done'; readonly packages: readonly ResolvedPackage[] }
  | { readonly t: 'away' | 'unresolvable'; readonly why: string };

export const requestFile = 'request.json';
export const answerFile = 'answer.json';
export const archiveFile = (index: number) => `${index}.tgz`;
