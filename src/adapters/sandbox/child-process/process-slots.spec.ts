import fc from 'fast-check';
import type { CallingRun } from '../../../ports/offloaded/sandbox.port.js';
import { FairQueue } from '../../turns/fair-queue.js';
import { ProcessSlots, type SlotRequest } from './process-slots.js';

const deepest = 8;
const ended = new AbortController().signal;

function run(workspace: string, calledBy?: CallingRun): SlotRequest {
  const depth = calledBy ? calledBy.depth + 1 : 0;
  return { workspace, depth, calledBy, self: { depth, ended } };
}

class SimulatedPool {
  readonly queue = new FairQueue<SlotRequest>();
  readonly running: SlotRequest[] = [];
  private readonly calls = new Map<CallingRun, number>();

  constructor(readonly places: ProcessSlots) {}

  ask(one: SlotRequest): void {
    this.places.addRequest(one);
    this.queue.add(one);
    if (one.calledBy) this.calls.set(one.calledBy, (this.calls.get(one.calledBy) ?? 0) + 1);
    this.admit();
  }

  admit(): void {
    for (;;) {
      const next = this.queue.find((one) => this.places.isFreeFor(one));
      if (!next) return;
      this.queue.remove(next);
      this.places.assignSlot(next);
      this.running.push(next);
    }
  }

  get leaves(): readonly SlotRequest[] {
    return this.running.filter((one) => (this.calls.get(one.self) ?? 0) === 0);
  }

  end(one: SlotRequest): void {
    this.running.splice(this.running.indexOf(one), 1);
    this.places.over(one);
    if (one.calledBy) this.calls.set(one.calledBy, (this.calls.get(one.calledBy) ?? 0) - 1);
    this.admit();
  }
}

interface Move {
  readonly kind: 'start' | 'call' | 'end';
  readonly who: number;
}

const moves = fc.array(
  fc.record<Move>({ kind: fc.constantFrom('start', 'call', 'call', 'call', 'end'), who: fc.nat({ max: 1_000 }) }),
  { maxLength: 250 },
);

function play(house: SimulatedPool, workspaces: number, played: readonly Move[]): void {
  for (const { kind, who } of played) {
    const one = house.running[who % Math.max(1, house.running.length)];
    if (kind === 'start') house.ask(run(`w${who % workspaces}`));
    else if (kind === 'call' && one && one.depth < deepest) house.ask(run(one.workspace, one.self));
    else if (kind === 'end') for (const leaf of house.leaves.slice(0, 1)) house.end(leaf);
  }
}

describe('process slots', () => {
  it('are free for a workspace with no run, if there are fewer others than slots', () => {
    const sizes = fc
      .integer({ min: 2, max: 16 })
      .chain((processes) =>
        fc.record({ processes: fc.constant(processes), others: fc.integer({ min: 1, max: processes - 1 }), moves }),
      );
    fc.assert(
      fc.property(sizes, ({ processes, others, moves: played }) => {
        const house = new SimulatedPool(new ProcessSlots(processes));
        play(house, others, played);
        expect(house.places.isFreeFor(run('newcomer'))).toBe(true);
      }),
    );
  });

  it('never leave everybody waiting for a run without a slot', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 5 }),
        moves,
        (processes, workspaces, played) => {
          const house = new SimulatedPool(new ProcessSlots(processes));
          play(house, workspaces, played);
          while (house.running.length + house.queue.size > 0) {
            const [leaf] = house.leaves;
            if (!leaf) throw new Error(`${house.running.length} wait for ${house.queue.size} that find no place.`);
            house.end(leaf);
          }
        },
      ),
    );
  });

  it('limit a workspace that is alone to three quarters, and its callees to as many', () => {
    const house = new SimulatedPool(new ProcessSlots(16));
    for (let at = 0; at < 30; at += 1) house.ask(run('a'));
    expect(house.running).toHaveLength(12);
    const [caller] = house.running;
    for (let at = 0; at < 30; at += 1) house.ask(run('a', caller?.self));
    expect(house.running).toHaveLength(24);
  });

  it('give a workspace its first callee beside one that uses all it can', () => {
    const house = new SimulatedPool(new ProcessSlots(16));
    for (const workspace of ['a', 'a', 'b']) house.ask(run(workspace));
    const callerOf = (workspace: string) => house.running.find((one) => one.workspace === workspace)?.self;
    for (let at = 0; at < 32; at += 1) house.ask(run('a', callerOf('a')));
    expect(house.places.isFreeFor(run('b', callerOf('b')))).toBe(true);
  });
});
