import { describe, expect, test } from '@jest/globals';
import { refusalOf } from '../../../../../test/support/given/given.js';
import type { FunctionDocument } from '../../function/function.record.js';
import type { RunEvent } from '../run.record.js';
import { runEndEvents } from '../run-record.js';
import { checkReplay, checkVersion, replayableUntil } from './replay.js';

const createdAt = '2030-01-01T00:00:00.000Z';
const now = Date.parse(createdAt);
const days = 24 * 3_600_000;
const failed = { id: 'run_1', accepted: true, status: 'error', inputDropped: false, createdAt } as const;

describe('a run that failed', () => {
  test('can be replayed for seven days after its acceptance, and not a moment longer', () => {
    expect(replayableUntil(failed, now)).toBe('2030-01-08T00:00:00.000Z');
    expect(replayableUntil(failed, now + 7 * days - 1)).not.toBeNull();
    expect(replayableUntil(failed, now + 7 * days)).toBeNull();
    expect(() => checkReplay(failed, now + 7 * days - 1)).not.toThrow();
    expect(refusalOf(() => checkReplay(failed, now + 7 * days)).code).toBe('run-input-gone');
  });

  test('cannot if its input was dropped', () => {
    expect(refusalOf(() => checkReplay({ ...failed, inputDropped: true }, now)).code).toBe('run-input-gone');
  });
});

describe('a run that cannot be replayed', () => {
  test.each([
    [{ accepted: false }, 'its caller waited for the result, so its input was never stored'],
    [{ status: 'success' }, 'it succeeded'],
    [{ status: 'running' }, 'it has not finished yet'],
    [{ status: 'queued' }, 'it has not finished yet'],
  ] as const)('%j: the reason is given', (difference, why) => {
    const refusal = refusalOf(() => checkReplay({ ...failed, ...difference }, now));
    expect([refusal.code, refusal.message]).toEqual(['run-not-replayable', expect.stringContaining(why)]);
    expect(replayableUntil({ ...failed, ...difference }, now)).toBeNull();
  });
});

describe('a version that is not live', () => {
  const fn = {
    name: 'F',
    liveVersionId: 'v2',
    capabilities: [],
    secrets: [],
    identityMode: 'as_set_up',
  } as unknown as FunctionDocument;
  const byDefault = { codeCards: 'full-data-access' } as const;

  test('may run again for a person and their clients', () => {
    for (const asker of ['person', 'connection', undefined] as const) {
      expect(() => checkVersion(fn, 'v1', asker, byDefault)).not.toThrow();
    }
  });

  test.each(['agent', 'automation', 'flow'] as const)('may not for: %s', (asker) => {
    expect(refusalOf(() => checkVersion(fn, 'v1', asker, byDefault)).code).toBe('replay-live-only');
    expect(() => checkVersion(fn, 'v2', asker, byDefault)).not.toThrow();
  });

  test.each([{ capabilities: ['service'] }, { identityMode: 'workspace' }])('may not with %j', (held) => {
    const full = { ...fn, ...held } as FunctionDocument;
    expect(refusalOf(() => checkVersion(full, 'v1', 'person', byDefault)).code).toBe('replay-with-full-data-access');
    expect(() => checkVersion(full, 'v2', 'person', byDefault)).not.toThrow();
  });

  test.each([
    ['powers', { capabilities: ['email'] }],
    ['powers', { secrets: [{ name: 'KEY', hosts: [] }] }],
    ['all', {}],
  ] as const)('may not if code waits for approval: %s, with %j', (codeCards, held) => {
    const holding = { ...fn, ...held } as unknown as FunctionDocument;
    expect(refusalOf(() => checkVersion(holding, 'v1', 'person', { codeCards })).code).toBe('replay-needs-approval');
    expect(() => checkVersion(holding, 'v2', 'person', { codeCards })).not.toThrow();
    expect(() => checkVersion(holding, 'v1', 'person', byDefault)).not.toThrow();
  });

  test('may without powers and secrets if only code with them waits', () => {
    expect(() => checkVersion(fn, 'v1', 'person', { codeCards: 'powers' })).not.toThrow();
  });
});

describe('the end of an attempt', () => {
  const end = (error: string | null, retryAt: string | null): Extract<RunEvent, { type: 'RunEnded' }> => ({
    type: 'RunEnded',
    data: { runId: 'run_1', attempt: 1, error, durationMs: 1, retryAt, logs: [] },
  });

  test.each([
    ['succeeded', null, null, true, true],
    ['succeeded, and its input was not to be kept', null, null, false, true],
    ['failed', 'no', null, true, false],
    ['failed, and its input was not to be kept', 'no', null, false, true],
    ['failed and is tried again', 'no', createdAt, false, false],
  ])('%s: whether its input is destroyed', (_, error, retryAt, keepInput, goes) => {
    const types = (accepted: boolean) =>
      runEndEvents(end(error, retryAt), { accepted, keepInput }).map(({ type }) => type);
    expect(types(true)).toEqual(goes ? ['RunEnded', 'RunInputDropped'] : ['RunEnded']);
    expect(types(false)).toEqual(['RunEnded']);
  });

  test.each([
    ['waited for', false, 'no', null, true],
    ['waited for, to be tried again', false, 'no', createdAt, false],
    ['accepted, and may be replayed', true, 'no', null, false],
    ['accepted, and succeeded', true, null, null, true],
  ])('of a run with files that was %s: whether they are destroyed', (_, accepted, error, retryAt, go) => {
    const dropped = { type: 'RunInputDropped', data: { runId: 'run_1', hasFiles: true } };
    expect(runEndEvents(end(error, retryAt), { accepted, hasFiles: true }).slice(1)).toEqual(go ? [dropped] : []);
  });
});
