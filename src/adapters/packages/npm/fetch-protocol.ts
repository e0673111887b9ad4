import type { ResolvedPackage } from '../../../ports/network/packages.port.js';
import type { NpmSettings } from './npm-settings.js';

/** One line of JSON on a pipe, because tokens must not be written to disk. */
export interface FetchRequest {
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly settings: NpmSettings;
  /** The list EGRESS_ALLOW: hosts to which registries can redirect in addition to public addresses. */
  readonly egressAllow: readonly string[];
  readonly limits: SetLimits;
}

export interface SetLimits {
  readonly mostPackages: number;
  /** Maximum size of all archives together, in bytes. */
  readonly mostBytes: number;
  readonly mostUnpackedBytes: number;
  readonly mostFiles: number;
}

/** The answer is a file in the child's folder, next to the archives. */
export type FetchAnswer =
  | { readonly t: 'done'; readonly packages: readonly ResolvedPackage[] }
  | { readonly t: 'away' | 'unresolvable'; readonly why: string };

export const answerFile = 'answer.json';
export const archiveFile = (index: number) => `${index}.tgz`;

/** A package can occur several times in the tree, but its archive is fetched once. */
export const archivesOf = <P extends ResolvedPackage>(packages: readonly P[]): readonly P[] => [
  ...new Map(packages.map((one) => [one.integrity, one])).values(),
];
