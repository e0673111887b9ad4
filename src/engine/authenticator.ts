import type { Caller } from '../kernel/caller.js';

/** Tells who comes with a key. */
export abstract class Authenticator {
  /** Undefined for a key that is unknown, revoked or expired, or whose member or agent is gone. */
  abstract callerOf(key: string): Promise<Caller | undefined>;

  /** The same of somebody who has shown the key before, and of whom its id was remembered. */
  abstract callerBehind(keyId: string): Promise<Caller | undefined>;

  /**
   * An agent that the service itself runs, without a key: with the rights that each of its keys gives it. Undefined when
   * the agent is gone or inactive, or the person behind it is gone.
   */
  abstract callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined>;
}
