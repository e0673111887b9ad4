import { describe, expect, it } from '@jest/globals';
import { fire, type MatchedTrigger } from './trigger-run.js';
import type { FiredEvent } from './trigger-run.record.js';
import { triggerRunId } from './trigger-run.record.js';

const event: FiredEvent = {
  id: 'e1',
  name: 'custom.x',
  source: 'custom',
  origin: 'api',
  subject: {},
  properties: {},
  occurredAt: '2030-01-01T00:00:00.000Z',
};
const ready = (id: string): MatchedTrigger => ({ id, availability: 'ready' });
const decided = (depth: number, matched: readonly MatchedTrigger[], most = 1_000) =>
  fire(event, { depth, cause: null, root: 'e1' }, matched, most).data;

describe('the runs of an event', () => {
  it('are those of all triggers whose target is ready', () => {
    expect(decided(0, [ready('a'), ready('b')])).toEqual({
      event,
      cause: null,
      root: 'e1',
      started: ['a', 'b'],
      skipped: [],
    });
  });

  it('leave out, with its reason, what cannot be started', () => {
    const matched: readonly MatchedTrigger[] = [
      ready('a'),
      { id: 'b', availability: 'target-missing' },
      { id: 'c', availability: 'switched-off' },
      { id: 'd', availability: 'target-missing' },
    ];
    expect(decided(0, matched)).toMatchObject({
      started: ['a'],
      skipped: [
        { reason: 'target-missing', triggerIds: ['b', 'd'] },
        { reason: 'switched-off', triggerIds: ['c'] },
      ],
    });
  });

  it('are still made at depth 8, and are loops at depth 9', () => {
    expect(decided(7, [ready('a')])).toMatchObject({ started: ['a'], skipped: [] });
    expect(decided(8, [ready('a'), { id: 'b', availability: 'target-missing' }])).toMatchObject({
      started: [],
      skipped: [{ reason: 'loop', triggerIds: ['a', 'b'] }],
    });
  });

  it('are limited in number, and only those that could be started count', () => {
    const off: MatchedTrigger = { id: 'off', availability: 'target-inactive' };
    const { started, skipped } = decided(0, [off, ready('a'), ready('b'), ready('c')], 2);
    expect(started).toEqual(['a', 'b']);
    expect(skipped).toEqual([
      { reason: 'target-inactive', triggerIds: ['off'] },
      { reason: 'rate', triggerIds: ['c'] },
    ]);
  });
});

describe('the id of a trigger run', () => {
  it('is the same for the same event and trigger, and no other', () => {
    expect(triggerRunId('e1', 't1')).toBe(triggerRunId('e1', 't1'));
    expect(new Set([triggerRunId('e1', 't1'), triggerRunId('e1', 't2'), triggerRunId('e2', 't1')]).size).toBe(3);
  });
});
