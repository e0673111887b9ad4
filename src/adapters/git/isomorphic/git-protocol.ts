import type { GitCommit, GitRelation } from '../../../ports/offloaded/git-repositories.port.js';

export type GitRequest = PackLocation &
  (
    | { readonly ask: 'tree'; readonly sha: string }
    | { readonly ask: 'contents'; readonly oids: readonly string[] }
    | { readonly ask: 'commit'; readonly commit: SentCommit }
    | { readonly ask: 'log'; readonly sha: string; readonly limit: number }
    | { readonly ask: 'relation'; readonly one: string; readonly other: string }
    | { readonly ask: 'has'; readonly sha: string }
    | { readonly ask: 'receive'; readonly sha: string; readonly file: string }
    | { readonly ask: 'pack'; readonly sha: string; readonly without: readonly string[] }
  );

interface PackLocation {
  readonly folder: string;
  readonly packs: readonly string[];
}

export interface SentFile {
  readonly path: string;
  readonly oid: string;
  readonly isExecutable: boolean;
}

export interface SentCommit extends Omit<GitCommit, 'sha'> {
  readonly tree: readonly SentFile[];
  readonly contents: readonly (readonly [oid: string, bytes: Uint8Array])[];
}

/** `made` are new packs in the folder, which replace the packs in `joined`. */
export interface MadePacks {
  readonly made: readonly string[];
  readonly joined: readonly string[];
  readonly sha: string;
}

export type GitAnswer =
  | { readonly refused: string }
  | { readonly tree: readonly SentFile[] }
  | { readonly contents: readonly (readonly [oid: string, bytes: Uint8Array])[] }
  | { readonly log: readonly GitCommit[] }
  | { readonly relation: GitRelation }
  | { readonly has: boolean }
  | { readonly pack: Uint8Array }
  | MadePacks;
