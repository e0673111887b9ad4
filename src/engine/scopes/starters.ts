import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor } from '../../kernel/event/event.js';

/** The requester of a run, as far as the command knows. */
export interface RunRequester {
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly caller?: Caller;
  /** The starter if it is not the caller: a function, which calls with an automation's rights. */
  readonly starter?: Starter;
}

/** Determines the starter of a run, as the run sees it. */
export abstract class Starters {
  /** Returns the starter. For a connection, that is the member for whom it acts. */
  abstract of(requester: RunRequester): Promise<Starter>;
}
