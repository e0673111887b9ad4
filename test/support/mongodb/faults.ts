import type { Fields } from './wire.js';

/**
 * A fault of one command. `drop` breaks the connection. `silence` makes the server answer nothing on any connection
 * until it is healed. `before` means that the command is not run; `after` means that it is run but its response is
 * lost.
 */
export type Mishap =
  | 'drop before'
  | 'drop after'
  | 'silence before'
  | 'silence after'
  /**
   * The command is refused with this code, such as 10107 or 91, and not run. `unlabelled` omits the error labels that
   * MongoDB itself sends, as other servers with its protocol do.
   */
  | { readonly code: number; readonly unlabelled?: true }
  /** The command is run, but is acknowledged by fewer servers than requested, with this code, such as 64. */
  | { readonly writeConcernCode: number }
  /** The command stops after this many of its statements, with this code, as at a step-down. */
  | { readonly doneFirst: number; readonly thenCode: number }
  /** The command's first statement is refused with this code. The others are run, unless the command is ordered. */
  | { readonly writeErrorCode: number }
  | { readonly slowMs: number };

export interface Fault {
  /** Name of the affected commands, e.g. `update`, or a pattern. Default: all but greetings. */
  readonly on?: string | RegExp;
  /** Name of the affected collection, or a pattern. Default: all. */
  readonly collection?: string | RegExp;
  /** Number of matching commands that are not affected at first. Default: none. */
  readonly after?: number;
  /** Number of commands that are affected. Default: one. */
  readonly times?: number;
  readonly mishap: Mishap;
}

/** Faults that have not happened yet. */
export class Faults {
  private readonly waiting = new Set<{ readonly fault: Fault; toPass: number; toHit: number }>();

  /** Adds a fault. Returns a function that removes it. */
  add(fault: Fault): () => void {
    const entry = { fault, toPass: fault.after ?? 0, toHit: fault.times ?? 1 };
    this.waiting.add(entry);
    return () => this.waiting.delete(entry);
  }

  next(name: string, command: Fields): Mishap | undefined {
    for (const entry of this.waiting) {
      if (!befalls(entry.fault, name, command)) continue;
      if (entry.toPass > 0) {
        entry.toPass -= 1;
        continue;
      }
      entry.toHit -= 1;
      if (entry.toHit <= 0) this.waiting.delete(entry);
      return entry.fault.mishap;
    }
    return undefined;
  }

  get left(): number {
    return this.waiting.size;
  }

  clear(): void {
    this.waiting.clear();
  }
}

function befalls({ on, collection }: Fault, name: string, command: Fields): boolean {
  if (on === undefined ? isGreeting(name) : !fits(on, name)) return false;
  return collection === undefined || fits(collection, String(command[name === 'getMore' ? 'collection' : name]));
}

const fits = (wanted: string | RegExp, text: string) =>
  typeof wanted === 'string' ? text === wanted : wanted.test(text);

export const isGreeting = (name: string): boolean => /^(hello|ismaster|isMaster)$/.test(name);
