/** A repository: its history is in packs, which are never changed. Where branches point is for the caller to record. */
export interface GitRepository {
  readonly workspaceId: string;
  readonly id: string;
  /** As the last writing call answered them; none at first. */
  readonly packs: readonly string[];
}

export interface GitFile {
  /** SHA-1 of the blob, in hex. */
  readonly oid: string;
  readonly isExecutable: boolean;
}

/** Regular files by path, in the order of their paths. */
export type GitTree = ReadonlyMap<string, GitFile>;

export interface GitSignature {
  readonly name: string;
  readonly email: string;
}

export interface GitCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitSignature;
  /** In seconds since 1970. */
  readonly at: number;
}

export interface NewCommit extends Omit<GitCommit, 'sha'> {
  readonly tree: GitTree;
  /** By oid: files of the tree that may be new to the repository. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** What a call wrote is durable when it resolves, and counts from when the caller records these packs. */
export interface GitWritten {
  readonly sha: string;
  readonly packs: readonly string[];
}

/** The relation of one commit to another. */
export interface GitRelation {
  /** How many commits only the first has, and only the second. */
  readonly ahead: number;
  readonly behind: number;
  /** The commit that both come from; undefined: their histories are unrelated. */
  readonly base: string | undefined;
}

export const gitLimits = {
  /** Of a pack that is received, as it is and unpacked. */
  receivedBytes: 250 * 1024 * 1024,
  receivedObjects: 200_000,
  files: 20_000,
  /** In bytes of UTF-8. */
  pathBytes: 1_000,
  depth: 50,
} as const;

/** A tree or pack cannot be taken in: it is broken, too large, or holds what no project has. The message is a sentence. */
export class GitRefused extends Error {}

/** Nothing was written that counts. Too much is asked for at once, it took too long, or the process stops. */
export class GitBusy extends Error {}

/** Repositories of git. All work on them is done off the main thread; workspaces take turns. */
export abstract class GitRepositories {
  /** @throws GitRefused for links, submodules, and names that are no file's on every system; GitBusy, BlobsUnavailable */
  abstract tree(repository: GitRepository, sha: string): Promise<GitTree>;

  /** Files by their oids. @throws GitRefused when one is missing; GitBusy, BlobsUnavailable */
  abstract contents(repository: GitRepository, oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;

  /** Writes a commit with everything that it needs. @throws GitBusy, BlobsUnavailable */
  abstract commit(repository: GitRepository, commit: NewCommit): Promise<GitWritten>;

  /** The commit and those before it, newest first. @throws GitBusy, BlobsUnavailable */
  abstract log(repository: GitRepository, sha: string, limit: number): Promise<readonly GitCommit[]>;

  /** @throws GitBusy, BlobsUnavailable */
  abstract relation(repository: GitRepository, one: string, other: string): Promise<GitRelation>;

  /** Whether the repository holds the commit. @throws GitBusy, BlobsUnavailable */
  abstract has(repository: GitRepository, sha: string): Promise<boolean>;

  /**
   * Takes in a pack, whole or not at all: everything that the commit leads to has to be in it or in the repository. It
   * stops reading at the limits. @throws GitRefused, GitBusy, BlobsUnavailable, and what reading the pack throws
   */
  abstract receive(repository: GitRepository, sha: string, pack: AsyncIterable<Uint8Array>): Promise<GitWritten>;

  /** A pack of what the commit leads to and these commits do not. @throws GitBusy, BlobsUnavailable */
  abstract packOf(repository: GitRepository, sha: string, without: readonly string[]): Promise<Uint8Array>;

  /**
   * Destroys packs that were stored before (milliseconds since 1970) and that their repositories do not name: `namedBy`
   * answers by workspace and id. May be repeated. @throws BlobsUnavailable, and what `namedBy` throws
   */
  abstract removeUnnamed(
    before: number,
    namedBy: (workspaceId: string, id: string) => Promise<readonly string[]>,
  ): Promise<void>;

  /** Ends what is under way. */
  abstract close(): Promise<void>;
}
