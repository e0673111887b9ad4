import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { runsProjection } from './run.projection.js';

const at = '2030-01-01T00:00:00.000Z';
const facts = {
  functionName: 'F',
  version: '1',
  source: 'webhook',
  starter: { kind: 'webhook', id: 'wh_1', name: 'W' },
};
const accepted = (runId: string, more: object = {}) => ({
  type: 'RunAccepted',
  data: { runId, ...facts, depth: 0, ...more },
});
const started = (runId: string, attempt = 1) => ({
  type: 'RunStarted',
  data: { runId, ...facts, depth: 0, attempt, process: 'p_1', accepted: true },
});
const ended = (runId: string, attempt = 1, more: object = {}) => ({
  type: 'RunEnded',
  data: { runId, attempt, durationMs: 5, error: null, retryAt: null, logs: [], ...more },
});
type Events = readonly { readonly type: string; readonly data: object }[];
const log = (events: Events) => {
  const made = new SpecLog();
  for (const event of events) made.add('run', 'fn_1', event);
  return made;
};
const given = (...events: Events) => givenProjection(runsProjection, log(events));

describe('a run', () => {
  it('is queued once it is accepted', () =>
    given(accepted('run_1')).shows({
      runs: [{ id: 'run_1', functionId: 'fn_1', status: 'queued', accepted: true, attempts: [], createdAt: at }],
    }));

  it('runs once an attempt has begun', () =>
    given(accepted('run_1'), started('run_1')).shows({ runs: [{ id: 'run_1', status: 'running', process: 'p_1' }] }));

  it('is over when its attempt has ended, and a second end of the attempt changes nothing', () =>
    given(accepted('run_1'), started('run_1'), ended('run_1'), ended('run_1', 1, { error: 'Too late.' })).shows({
      runs: [{ id: 'run_1', status: 'success' }],
    }));

  it('that failed is queued again for its next attempt', () =>
    given(accepted('run_1'), started('run_1'), ended('run_1', 1, { error: 'It failed.', retryAt: at })).shows({
      runs: [{ id: 'run_1', status: 'queued', retryAt: at }],
    }));

  it('stores its console lines in another document', () =>
    given(accepted('run_1'), started('run_1'), ended('run_1', 1, { logs: [{ level: 'log', text: 'hello' }] })).shows({
      runs: [{ id: 'run_1', status: 'success' }],
      runLogs: [{ id: 'run_1', lines: [{ level: 'log', text: 'hello' }] }],
    }));

  it('shows that its input was dropped', () =>
    given(accepted('run_1'), { type: 'RunInputDropped', data: { runId: 'run_1' } }).shows({
      runs: [{ id: 'run_1', inputDropped: true }],
    }));

  it("is deleted with the journal's entries, and no others", () =>
    given(accepted('run_1'), accepted('run_2'), {
      type: 'RunsForgotten',
      data: { throughRevision: 0, triggers: [] },
    }).shows({ runs: [{ id: 'run_2' }] }));
});
