import type { Fields } from './wire.js';

/**
 * What goes wrong with a command. `drop`: the connection breaks. `silence`: from now on the server answers nothing, on
 * no connection, until it is healed. Before: the command was not run; after: it was, and the answer is lost.
 */
export type Mishap =
  | 'drop before'
  | 'drop after'
  | 'silence before'
  | 'silence after'
  /**
   * Refused with this code, such as 10107 or 91, and not run. Unlabelled: without the labels that MongoDB itself gives, as
   * by another server of its protocol.
   */
  | { readonly code: number; readonly unlabelled?: true }
  /** Run and acknowledged by fewer servers than was asked for, with this code, such as 64. */
  | { readonly writeConcernCode: number }
  /** So many of its statements are done, and then it is broken off with this code, as by a step-down. */
  | { readonly doneFirst: number; readonly thenCode: number }
  /** Its first statement is refused with this code, and those after it are done unless it is ordered. */
  | { readonly writeErrorCode: number }
  | { readonly slowMs: number };

export interface Fault {
  /** Which commands it befalls, e.g. `update`, or those whose names match. Default: all but greetings. */
  readonly on?: string | RegExp;
  /** Only those on this collection, or on those whose names match. */
  readonly collection?: string | RegExp;
  /** How many of them are let through first. Default: none. */
  readonly after?: number;
  /** How many of them it befalls. Default: one. */
  readonly times?: number;
  readonly mishap: Mishap;
}

/** The faults that are still to happen. */
export class Faults {
  private readonly waiting = new Set<{ readonly fault: Fault; toPass: number; toHit: number }>();

  /** Answers how to call it off. */
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
