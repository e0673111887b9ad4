export interface HostedRepository {
  readonly fullName: string;
  readonly name: string;
  readonly owner: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly url: string;
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

  /** @throws GitHostRefused, GitHostUnavailable */
  abstract create(token: string, name: string, isPrivate: boolean): Promise<HostedRepository>;
}
