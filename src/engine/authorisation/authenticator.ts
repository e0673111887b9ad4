import type { Caller } from '../../kernel/callers/caller.js';

export abstract class Authenticator {
  /** Returns undefined if the key is unknown, revoked or expired, or if its member or agent is gone. */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /** Like `callerOf`, for a caller who presented the key earlier: a browser session stores only the key id. */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  /** Returns the caller that this key would authenticate now. Does not count as a use of the key. */
  abstract callerOfKey(keyId: string): Promise<Caller | undefined>;

  /**
   * Returns the caller for an agent that the service runs itself, without a key, with the rights that the agent's key
   * would give. Returns undefined if the agent is gone or inactive, or if its person is gone.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
