import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor } from '../../kernel/event/event.js';

/** Who asks for a run, as far as the command tells. */
export interface Asking {
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly caller?: Caller;
  /** Set if the caller does not tell who it is: a function, which calls with an automation's rights. */
  readonly starter?: Starter;
}

/** Who starts a run, as the run sees it. */
export abstract class Starters {
  /** A connection counts as the member it acts for. */
  abstract of(asking: Asking): Promise<Starter>;
}
