export interface HostedRepository {
  readonly fullName: string;
  readonly name: string;
  readonly owner: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly url: string;
}

export interface RequestedRepository {
  readonly name: string;
  readonly isPrivate: boolean;
  /** The same at each attempt of one call, and at no other call. Undefined if the call cannot be repeated. */
  readonly mark: string | undefined;
}

export class GitHostRefused extends Error {}

/**
 * The host is unavailable or too slow, or its response is invalid. Whether something was created is unknown. The
 * message is one sentence.
 */
export class GitHostUnavailable extends Error {}

/** Messages never contain the token. */
export abstract class GitHost {
  /** Lists at most a thousand repositories. @throws GitHostRefused, GitHostUnavailable */
  abstract repositories(token: string): Promise<readonly HostedRepository[]>;

  /** @throws GitHostRefused if the token gives access to no such repository; GitHostUnavailable */
  abstract repository(token: string, owner: string, name: string): Promise<HostedRepository>;

  /**
   * Creates an empty repository of the token's owner, which carries the mark. If the name is taken by a repository of the
   * token's owner with the same mark and visibility, an earlier attempt created it, and it is returned.
   * @throws GitHostRefused, GitHostUnavailable
   */
  abstract create(token: string, requested: RequestedRepository): Promise<HostedRepository>;
}
