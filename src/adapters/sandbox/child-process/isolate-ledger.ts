import type { ToChild } from '../../../sandbox/protocol.js';

type Naming = Pick<Extract<ToChild, { t: 'run' }>, 'isolate' | 'program' | 'source' | 'evict'>;

interface HostedIsolate {
  readonly id: number;
  readonly programs: Map<string, number>;
  size: number;
}

const mostPrograms = 100;
const mostCharacters = 512 * 1024;

export class IsolateLedger {
  /** Least recently used first. */
  private readonly isolates = new Map<string, HostedIsolate>();
  private last = 0;

  constructor(private readonly most: number) {}

  holds(key: string, source: string): 'program' | 'isolate' | undefined {
    const isolate = this.isolates.get(key);
    if (isolate?.programs.has(source)) return 'program';
    return isolate === undefined ? undefined : 'isolate';
  }

  /** Different keys never share an isolate. An isolate that has no room for another program is replaced. */
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
