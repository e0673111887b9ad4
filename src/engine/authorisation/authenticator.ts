import type { Caller } from '../../kernel/callers/caller.js';

/** Finds out who calls with a key. */
export abstract class Authenticator {
  /** Undefined for a key that is unknown, revoked or expired, or whose member or agent is gone. */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /** As `callerOf`, for a caller who showed the key earlier and whose key id was remembered (a page's session). */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  /** Who would call with this key now. Asking does not count as a use of the key. */
  abstract callerOfKey(keyId: string): Promise<Caller | undefined>;

  /**
   * An agent that the service runs itself, without a key, with the rights that a key of the agent would give. Undefined
   * when the agent is gone or inactive, or the person behind it is gone.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
