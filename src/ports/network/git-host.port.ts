export interface HostedRepository {
  readonly fullName: string;
  readonly name: string;
  readonly owner: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  /** Where git finds it: https. */
  readonly url: string;
}

/** The host refused the token or the name. The message is a sentence. */
export class GitHostRefused extends Error {}

/** The host is away or too slow, or its answer is none. Whether something was created is unknown. The message is a sentence. */
export class GitHostUnavailable extends Error {}

/** A service that hosts repositories, for the owner of a token. Sentences never repeat the token. */
export abstract class GitHost {
  /** A thousand at most. @throws GitHostRefused, GitHostUnavailable */
  abstract repositories(token: string): Promise<readonly HostedRepository[]>;

  /** @throws GitHostRefused when there is none that the token reaches; GitHostUnavailable */
  abstract repository(token: string, owner: string, name: string): Promise<HostedRepository>;

  /** An empty one, of the owner of the token. @throws GitHostRefused, GitHostUnavailable */
  abstract create(token: string, name: string, isPrivate: boolean): Promise<HostedRepository>;
}
