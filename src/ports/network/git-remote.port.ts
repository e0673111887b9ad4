export interface GitRemoteAddress {
  /** An https URL without user name or password. */
  readonly url: string;
  readonly token: string | undefined;
}

export interface GitRemoteRefs {
  /** Undefined if the repository is empty or has no default branch. */
  readonly defaultBranch: string | undefined;
  readonly branches: ReadonlyMap<string, string>;
}

export interface GitPush {
  readonly branch: string;
  /** Undefined if the branch is new at the remote. */
  readonly from: string | undefined;
  readonly to: string;
  readonly pack: Uint8Array;
}

/** Nothing was changed at the remote. The message is one sentence. */
export class GitRemoteRefused extends Error {}

/** The outcome of a push is unknown. The message is one sentence. */
export class GitRemoteUnavailable extends Error {}

/** The amount of received data is bounded. No message contains the token, a path or the remote's own text. */
export abstract class GitRemote {
  /** @throws GitRemoteRefused, GitRemoteUnavailable */
  abstract refs(remote: GitRemoteAddress): Promise<GitRemoteRefs>;

  /**
   * Streams a pack with the objects that are reachable from the commit but not from the commits in `have`. The commit
   * must be the head of a branch. The connection ends when the reader stops.
   * @throws GitRemoteRefused, GitRemoteUnavailable, also during reading
   */
  abstract fetch(remote: GitRemoteAddress, sha: string, have: readonly string[]): AsyncIterable<Uint8Array>;

  /**
   * Pushes to a branch of the remote, unless the branch is no longer at `push.from`.
   * @throws GitRemoteRefused, GitRemoteUnavailable
   */
  abstract push(remote: GitRemoteAddress, push: GitPush): Promise<void>;
}
