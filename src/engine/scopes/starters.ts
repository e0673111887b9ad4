import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor } from '../../kernel/event/event.js';

export interface RunRequester {
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly caller?: Caller;
  /** Starter of the requested runs. Set if a function's code requests them. */
  readonly starter?: Starter;
}

export abstract class Starters {
  /** If the requester is a connection, i.e. a client that a member has connected, the starter is this member. */
  abstract of(requester: RunRequester): Promise<Starter>;
}
