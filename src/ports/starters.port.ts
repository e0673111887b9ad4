import type { Caller } from '../kernel/caller.js';
import type { Actor } from '../kernel/event.js';
import type { Starter } from '../kernel/starter.js';

/** Who asks for a run: the circumstances of a command. */
export interface Asking {
  readonly workspaceId: string;
  readonly actor: Actor;
  readonly caller?: Caller;
  /** Who it is, where the caller does not say: a function, which calls with an automation's rights. */
  readonly starter?: Starter;
}

/** Who starts a run, for the run to see. */
export abstract class Starters {
  /** A connection is the member it acts for. */
  abstract of(asking: Asking): Promise<Starter>;
}
