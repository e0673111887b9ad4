import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor } from '../../kernel/event/event.js';

/** The parts of a command's context that determine who starts a run. */
export interface RunRequester {
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly caller?: Caller;
  /** The starter, if it is not the caller. Set if a function's code makes the call. */
  readonly starter?: Starter;
}

/** Determines who starts a run. */
export abstract class Starters {
  /** Returns the starter of a run. For the call of a connection, it is the member for whom the connection acts. */
  abstract of(requester: RunRequester): Promise<Starter>;
}
