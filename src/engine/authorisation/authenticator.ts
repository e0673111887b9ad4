import type { Caller } from '../../kernel/callers/caller.js';

export abstract class Authenticator {
  /** Undefined for a key that is unknown, revoked or expired, or whose member or agent is gone. */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /** Like `callerOf`, for a caller who showed the key earlier: a page's session stores only the key id. */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  /** The caller that this key would give now. Does not count as a use of the key. */
  abstract callerOfKey(keyId: string): Promise<Caller | undefined>;

  /**
   * An agent that the service runs itself, without a key, with the rights that the agent's key would give. Undefined
   * when the agent is gone or inactive, or its person is gone.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
