import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { recorded } from '../../../../test/support/given/given.js';
import {
  alwaysClaimable,
  campaignBatches,
  claimBatch,
  inFlightLost,
  listBatch,
  moveBatch,
  releaseBatch,
  unsettledRecipients,
} from './campaign-batch.js';
import type { CampaignBatch, CampaignBatchEvent } from './campaign-batch.record.js';

const now = Date.parse('2030-01-01T00:00:00.000Z');
const perBatch = 6;
const inFlight = 3;
const none = { taken: [], untaken: [], again: [], settled: [] };

class Stream {
  revision = 0;
  constructor(public state: CampaignBatch) {}

  append(expected: number, events: readonly CampaignBatchEvent[]): boolean {
    if (expected !== this.revision) return false;
    for (const event of events) {
      const next = campaignBatches.evolve(this.state, recorded(campaignBatches.category, event));
      if (next !== undefined) this.state = next;
    }
    this.revision += events.length;
    return true;
  }
}

interface InHand {
  readonly number: number;
  known: CampaignBatch;
  revision: number;
  taken: number[];
  sent: number[];
}

class Cluster {
  readonly streams: Stream[];
  readonly mails = new Map<string, number>();
  private readonly inHand = new Map<string, InHand>();
  private started = 0;
  readonly alive = new Set<string>();

  constructor(batches: number) {
    this.streams = Array.from({ length: batches }, (_, number) => {
      const userIds = Array.from({ length: perBatch }, (_, at) => `u${number}.${at}`);
      const [listed] = listBatch(undefined, { projectId: 'p', campaignId: 'c', number, userIds, through: '' });
      return new Stream(
        campaignBatches.evolve(undefined, recorded(campaignBatches.category, listed as never)) as never,
      );
    });
  }

  start(): void {
    this.started += 1;
    this.alive.add(`process ${this.started}`);
  }

  kill(process: string): void {
    this.alive.delete(process);
    this.inHand.delete(process);
  }

  giveUp(process: string): void {
    this.alive.delete(process);
  }

  get running(): readonly string[] {
    return [...new Set([...this.alive, ...this.inHand.keys()])];
  }

  step(process: string, number: number, what: 'take' | 'send' | 'settle' | 'release'): void {
    const hand = this.inHand.get(process) ?? this.claim(process, number);
    if (hand === undefined) return;
    const { userIds } = hand.known;
    if (what === 'take') {
      const taken = unsettledRecipients(hand.known).slice(0, inFlight - hand.taken.length - hand.sent.length);
      if (this.record(process, hand, (known) => moveBatch(known, process, { ...none, taken })))
        hand.taken.push(...taken);
    } else if (what === 'send') {
      for (const at of hand.taken.splice(0, 1)) {
        const user = userIds[at] ?? '';
        this.mails.set(user, (this.mails.get(user) ?? 0) + 1);
        hand.sent.push(at);
      }
    } else if (what === 'settle') {
      const settled = hand.sent.map((at) => ({ at, status: 'sent', reason: null }) as const);
      if (this.record(process, hand, (known) => moveBatch(known, process, { ...none, settled }))) hand.sent = [];
      if (hand.known.openAt === null) this.inHand.delete(process);
    } else if (hand.taken.length + hand.sent.length === 0) {
      this.record(process, hand, (known) => releaseBatch(known, process, alwaysClaimable));
      this.inHand.delete(process);
    }
  }

  private claim(process: string, number: number): InHand | undefined {
    const stream = this.streams[number];
    if (stream === undefined || !this.alive.has(process)) return undefined;
    if (!stream.append(stream.revision, claimBatch(stream.state, process, this.alive, now))) return undefined;
    const { state: known, revision } = stream;
    if (known.process !== process || known.openAt === null) return undefined;
    const hand: InHand = { number, known, revision, taken: [], sent: [] };
    this.inHand.set(process, hand);
    return hand;
  }

  /**
   * Simulates the command runner: decides on the known state and, if the append fails, decides again on the recorded
   * state.
   */
  private record(
    process: string,
    hand: InHand,
    decide: (known: CampaignBatch) => readonly CampaignBatchEvent[],
  ): boolean {
    const stream = this.streams[hand.number] as Stream;
    if (!stream.append(hand.revision, decide(hand.known))) stream.append(stream.revision, decide(stream.state));
    hand.known = stream.state;
    hand.revision = stream.revision;
    if (hand.known.process === process) return true;
    this.inHand.delete(process);
    return false;
  }
}

describe('processes that share a campaign', () => {
  it('send each recipient one mail at most and lose nobody, whichever dies or is wrongly considered dead', () => {
    const step = fc.record({
      what: fc.constantFrom('take', 'take', 'send', 'send', 'settle', 'settle', 'release', 'kill', 'give up', 'start'),
      process: fc.nat(9),
      number: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const cluster = new Cluster(3);
        const go = (process: string, number: number, what: (typeof steps)[number]['what']) => {
          if (what === 'start') cluster.start();
          else if (what === 'kill') cluster.kill(process);
          else if (what === 'give up') cluster.giveUp(process);
          else cluster.step(process, number, what);
          for (const { state } of cluster.streams) {
            expect(state.sent + state.failed + state.suppressed + state.waiting).toBe(perBatch);
          }
        };
        cluster.start();
        cluster.start();
        for (const { what, process, number } of steps) {
          const name = cluster.running[process % Math.max(1, cluster.running.length)];
          go(name ?? '', number, name === undefined ? 'start' : what);
        }
        for (const process of cluster.running) cluster.kill(process);
        cluster.start();
        const [last = ''] = cluster.running;
        for (const number of [0, 1, 2]) {
          for (let turn = 0; turn < perBatch; turn += 1) {
            for (const what of ['take', 'send', 'send', 'send', 'settle'] as const) go(last, number, what);
          }
        }
        for (const { state } of cluster.streams) {
          expect([state.waiting, state.taken]).toEqual([0, []]);
          for (const { at, status, reason } of state.settled) {
            const mails = cluster.mails.get(state.userIds[at] ?? '') ?? 0;
            if (status === 'sent') expect(mails).toBe(1);
            else expect([mails <= 1, reason]).toEqual([true, inFlightLost]);
          }
          expect(new Set(state.settled.map(({ at }) => at)).size).toBe(perBatch);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
