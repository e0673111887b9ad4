import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { recorded } from '../../../../test/support/given/given.js';
import {
  campaignBatches,
  claimBatch,
  inFlightLost,
  listBatch,
  longestRestMs,
  moveBatch,
  releaseBatch,
  unsettledRecipients,
} from './campaign-batch.js';
import type { CampaignBatch, CampaignBatchEvent } from './campaign-batch.record.js';

const userIds = ['u0', 'u1', 'u2', 'u3'];
const listed = { projectId: 'p', campaignId: 'c', number: 0, userIds, through: 'u3' };
const none = { taken: [], untaken: [], again: [], settled: [] };
const sent = (at: number) => ({ at, status: 'sent', reason: null }) as const;
const now = Date.parse('2030-01-01T00:00:00.000Z');
const evolved = (before: CampaignBatch | undefined, events: readonly CampaignBatchEvent[]) =>
  events.reduce((state, event) => campaignBatches.evolve(state, recorded(campaignBatches.category, event)), before);
const batch = evolved(undefined, listBatch(undefined, listed));
const claimed = (before = batch, process = 'one', alive = new Set(['one', 'two'])) =>
  evolved(before, claimBatch(before, process, alive, now));

describe('a batch of a campaign', () => {
  it('is listed once, by any process', () => {
    expect(batch).toMatchObject({ ...listed, waiting: 4, sent: 0, process: null });
    expect(listBatch(batch, { ...listed, userIds: ['other'] })).toEqual([]);
  });

  it('is claimed by one living process at a time', () => {
    const one = claimed();
    expect(one?.process).toBe('one');
    expect(claimBatch(one, 'two', new Set(['one', 'two']), now)).toEqual([]);
    expect(claimed(one, 'two', new Set(['two']))?.process).toBe('two');
    expect(evolved(one, releaseBatch(one, 'one', '1970-01-01T00:00:00.000Z'))?.process).toBeNull();
    expect(releaseBatch(one, 'two', '1970-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('settles what a dead process had in progress, and sends nobody another mail', () => {
    const flying = evolved(claimed(), moveBatch(claimed(), 'one', { ...none, taken: [0, 1] }));
    const taken = claimed(flying, 'two', new Set(['two']));
    expect(taken).toMatchObject({ process: 'two', failed: 2, waiting: 2, taken: [] });
    expect(taken?.settled.map(({ reason }) => reason)).toEqual([inFlightLost, inFlightLost]);
    expect(unsettledRecipients(taken as CampaignBatch)).toEqual([2, 3]);
    // Process `one` was considered dead but is still running. It must not change anything.
    expect(moveBatch(taken, 'one', { ...none, taken: [2], settled: [sent(0)] })).toEqual([]);
  });

  it('accepts nobody twice, and nobody who is settled', () => {
    const one = claimed();
    const flying = evolved(one, moveBatch(one, 'one', { ...none, taken: [0] }));
    const landed = evolved(flying, moveBatch(flying, 'one', { ...none, taken: [0, 1], settled: [sent(0)] }));
    expect(landed).toMatchObject({ taken: [1], sent: 1, waiting: 3 });
    expect(moveBatch(landed, 'one', { ...none, taken: [0, 1], settled: [sent(0)] })).toEqual([]);
  });

  it('counts the attempts for recipients who are to get another, but not those that the mailbox delayed', () => {
    const one = claimed();
    const flying = evolved(one, moveBatch(one, 'one', { ...none, taken: [0, 1] }));
    const back = evolved(flying, moveBatch(flying, 'one', { ...none, untaken: [0, 1], again: [1] }));
    expect(back).toMatchObject({ taken: [], tries: { 1: 1 }, waiting: 4 });
  });

  it('is not used until its time, unless the clock was set back since', () => {
    const at = (ms: number) => new Date(now + ms).toISOString();
    const resting = (ms: number) => evolved(claimed(), releaseBatch(claimed(), 'one', at(ms)));
    const claims = (before: CampaignBatch | undefined) => claimBatch(before, 'one', new Set(), now).length;
    expect([claims(resting(1)), claims(resting(0)), claims(resting(longestRestMs + 1))]).toEqual([0, 1, 1]);
  });

  it('is over when everybody is settled, and is not claimed again', () => {
    const one = claimed();
    const over = evolved(one, moveBatch(one, 'one', { ...none, settled: [0, 1, 2, 3].map(sent) }));
    expect(over).toMatchObject({ waiting: 0, sent: 4, openAt: null });
    expect(claimBatch(over, 'two', new Set(), now)).toEqual([]);
  });

  it('always accounts for everybody, and starts nobody again who was started and not returned', () => {
    const step = fc.record({
      process: fc.constantFrom('one', 'two'),
      what: fc.constantFrom('claim', 'claim over the dead', 'move', 'release'),
      taken: fc.subarray([0, 1, 2, 3]),
      untaken: fc.subarray([0, 1, 2, 3]),
      settled: fc.subarray([0, 1, 2, 3]),
      status: fc.constantFrom('sent', 'failed', 'suppressed'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = batch;
        const mails = new Map<number, number>();
        for (const { process, what, taken, untaken, settled, status } of steps) {
          const alive = new Set(what === 'claim' ? ['one', 'two'] : [process]);
          const moves = {
            taken,
            untaken,
            again: untaken,
            settled: settled.map((at) => ({ at, status, reason: null })),
          };
          const events: readonly CampaignBatchEvent[] =
            what === 'move'
              ? moveBatch(state, process, moves as never)
              : what === 'release'
                ? releaseBatch(state, process, '1970-01-01T00:00:00.000Z')
                : claimBatch(state, process, alive, now);
          for (const event of events) {
            if (event.type !== 'CampaignBatchMoved') continue;
            for (const at of event.data.taken) mails.set(at, (mails.get(at) ?? 0) + 1);
            for (const at of event.data.untaken) mails.set(at, (mails.get(at) ?? 0) - 1);
          }
          state = evolved(state, events);
          const { sent: gone = 0, failed = 0, suppressed = 0, waiting = 0, settled: told = [] } = state ?? {};
          expect(gone + failed + suppressed + waiting).toBe(userIds.length);
          expect(new Set(told.map(({ at }) => at)).size).toBe(told.length);
        }
        expect([...mails.values()].every((count) => count <= 1)).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
