export interface GitRemoteAddress {
  /** https, without user name or password. */
  readonly url: string;
  readonly token: string | undefined;
}

export interface GitRemoteRefs {
  /** Undefined: the repository is empty, or names none. */
  readonly defaultBranch: string | undefined;
  /** Shas by branch. */
  readonly branches: ReadonlyMap<string, string>;
}

export interface GitPush {
  readonly branch: string;
  /** The head of the branch at the remote; undefined: it is new there. */
  readonly from: string | undefined;
  readonly to: string;
  readonly pack: Uint8Array;
}

/** The remote refused the token, the address or the push. Nothing was changed there. The message is a sentence. */
export class GitRemoteRefused extends Error {}

/** The remote is away, too slow, or does not speak git. The outcome of a push is unknown. The message is a sentence. */
export class GitRemoteUnavailable extends Error {}

/**
 * Repositories elsewhere. What is received is bounded, and no sentence repeats the token, a path or the remote's own words.
 */
export abstract class GitRemote {
  /** @throws GitRemoteRefused, GitRemoteUnavailable */
  abstract refs(remote: GitRemoteAddress): Promise<GitRemoteRefs>;

  /**
   * A pack of what a commit leads to and these commits do not, as it comes. The commit has to be the head of a branch. The
   * reader ends the connection by not reading on. @throws GitRemoteRefused, GitRemoteUnavailable, also while it is read
   */
  abstract fetch(remote: GitRemoteAddress, sha: string, have: readonly string[]): AsyncIterable<Uint8Array>;

  /** Moves a branch of the remote, unless it was moved by then. @throws GitRemoteRefused, GitRemoteUnavailable */
  abstract push(remote: GitRemoteAddress, push: GitPush): Promise<void>;
}
