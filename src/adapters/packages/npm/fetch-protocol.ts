import type { ResolvedPackage } from '../../../ports/packages.port.js';
import type { NpmSettings } from './npm-settings.js';

/** What the parent tells the child: one line of JSON on a pipe, as it has tokens that must not reach the disk. */
export interface FetchRequest {
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly settings: NpmSettings;
  /** EGRESS_ALLOW: where a registry may redirect to, beside public addresses. */
  readonly egressAllow: readonly string[];
  readonly limits: SetLimits;
}

/** Of a whole set. */
export interface SetLimits {
  readonly mostPackages: number;
  /** Of all archives together. */
  readonly mostBytes: number;
  readonly mostUnpackedBytes: number;
  readonly mostFiles: number;
}

/** What the child leaves in its folder. The archives are files beside it. */
export type FetchAnswer =
  | { readonly t: 'done'; readonly packages: readonly ResolvedPackage[] }
  | { readonly t: 'away' | 'unresolvable'; readonly why: string };

export const answerFile = 'answer.json';
export const archiveFile = (index: number) => `${index}.tgz`;

/** A package may stand in several places. Its archive is fetched once. */
export const archivesOf = <P extends ResolvedPackage>(packages: readonly P[]): readonly P[] => [
  ...new Map(packages.map((one) => [one.integrity, one])).values(),
];
