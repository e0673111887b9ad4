import type { Caller } from '../../kernel/callers/caller.js';

export abstract class Authenticator {
  /**
   * Returns undefined if the key is unknown or no longer valid, e.g. because its agent is inactive or a member who
   * created it may no longer create keys.
   */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /** Like `callerOf`, for a browser session, which stores only the id of the key. */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  abstract callerOfKey(keyId: string): Promise<Caller | undefined>;

  /**
   * Returns a caller with the rights that a key of the agent would give. Returns undefined if the agent is inactive, or
   * if the agent or the person for whom it acts no longer exists.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
