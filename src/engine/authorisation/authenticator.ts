import type { Caller } from '../../kernel/callers/caller.js';

export abstract class Authenticator {
  /**
   * Returns the caller that the key authenticates. Returns undefined if the key is unknown, revoked or expired, if its
   * member or agent no longer exists, if its agent is inactive, or if a member who created it was removed or may no
   * longer create keys.
   */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /**
   * Returns the caller of a browser session, which stores only the id of the key that was used to sign in. Otherwise
   * like `callerOf`.
   */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  /** Returns the caller that this key would authenticate now. Does not record a use of the key. */
  abstract callerOfKey(keyId: string): Promise<Caller | undefined>;

  /**
   * Returns the caller for an agent that the service itself runs, without a key. The caller has the rights that the
   * agent's key would give. Returns undefined if the agent is inactive, or if the agent or its person no longer exists.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
