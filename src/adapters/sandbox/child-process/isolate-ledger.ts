import type { ToChild } from '../../../sandbox/protocol.js';

type Naming = Pick<Extract<ToChild, { t: 'run' }>, 'isolate' | 'program' | 'source' | 'evict'>;

interface HostedIsolate {
  readonly id: number;
  /** Number of each program, by its source. */
  readonly programs: Map<string, number>;
  /** Length of all sources, in characters. */
  size: number;
}

/**
 * Maximum number of programs that one isolate serves, and maximum number of characters in all their sources together.
 */
const mostPrograms = 100;
const mostCharacters = 512 * 1024;

/** Records the isolates in one child, and their programs. The parent decides which are created and evicted. */
export class IsolateLedger {
  /** Least recently used first. */
  private readonly isolates = new Map<string, HostedIsolate>();
  private last = 0;

  constructor(private readonly most: number) {}

  /**
   * Returns `program` if the child has an isolate for this key that has compiled this source, `isolate` if it only has
   * an isolate for the key, and otherwise undefined.
   */
  holds(key: string, source: string): 'program' | 'isolate' | undefined {
    const isolate = this.isolates.get(key);
    if (isolate?.programs.has(source)) return 'program';
    return isolate === undefined ? undefined : 'isolate';
  }

  /**
   * Chooses the isolate for a run, and the isolates to evict. Different keys never share an isolate. An isolate that has
   * no room for another program is replaced.
   */
  use(key: string, source: string): Naming {
    const evict: number[] = [];
    const isolate = this.isolateFor(key, source, evict);
    const known = isolate.programs.get(source);
    if (known !== undefined) return { isolate: isolate.id, program: known, evict };
    const program = isolate.programs.size + 1;
    isolate.programs.set(source, program);
    isolate.size += source.length;
    return { isolate: isolate.id, program, source, evict };
  }

  private isolateFor(key: string, source: string, evict: number[]): HostedIsolate {
    const known = this.isolates.get(key);
    this.isolates.delete(key);
    if (known !== undefined && (known.programs.has(source) || hasRoom(known, source))) {
      this.isolates.set(key, known);
      return known;
    }
    if (known !== undefined) evict.push(known.id);
    for (const [oldest, { id }] of this.isolates) {
      if (this.isolates.size < this.most) break;
      this.isolates.delete(oldest);
      evict.push(id);
    }
    this.last += 1;
    const created = { id: this.last, programs: new Map<string, number>(), size: 0 };
    this.isolates.set(key, created);
    return created;
  }
}

const hasRoom = ({ programs, size }: HostedIsolate, source: string) =>
  programs.size < mostPrograms && size + source.length <= mostCharacters;
