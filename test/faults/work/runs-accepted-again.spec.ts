// Second tier.
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FunctionRuns } from '../../../src/areas/functions/run/function-runs.api.js';
import { FunctionTarget } from '../../../src/areas/functions/run/function-target.js';
import type { RunContext } from '../../../src/areas/functions/run/run-context.js';
import type { RunRequest } from '../../../src/areas/functions/run/run-request.api.js';
import { RunInputs } from '../../../src/areas/functions/run/storage/run-inputs.api.js';
import { RecordingQuota } from '../../../src/engine/quotas/recording-quota.js';
import { refusalOf } from '../../../src/engine/refusals/engine.refusals.js';
import { type TargetStart, Targets } from '../../../src/engine/scopes/targets.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';

let app: TestApp;
let request: RunRequest;
beforeEach(async () => {
  app = await startApp();
  request = {
    workspaceId: (await done(app, 'workspace/getWorkspace')).id,
    functionId: await activeFunction(app, 'return 1'),
    runId: 'run_again',
    params: { secret: 'canary' },
    source: 'event',
    starter: { kind: 'event', id: 'et_1', name: 'On order' },
    actor: { kind: 'event', id: 'et_1', name: 'On order' },
    correlationId: 'run_again',
    causationId: null,
    depth: 0,
  };
});
afterEach(() => app.close());

const accept = (runId = request.runId) => app.app.get(FunctionRuns, { strict: false }).accept({ ...request, runId });
const input = () => app.app.get(RunInputs, { strict: false }).open(request.workspaceId, request.runId);
const runs = () => done(app, 'automations/listRuns', { functionId: request.functionId });

describe('an accepted run that is started again, because one of the starts beside it failed', () => {
  it('is not refused although the quota is used up since', async () => {
    await accept();
    const quota = app.app.get(RecordingQuota, { strict: false });
    const room = jest.spyOn(quota, 'mustHaveRoom').mockRejectedValue(refusalOf('runs-quota', { megabytes: 1 }));
    try {
      await accept();
      await expect(accept('run_other')).rejects.toMatchObject({ code: 'runs-quota' });
    } finally {
      room.mockRestore();
    }
    expect(await runs()).toHaveLength(1);
  });

  it('is not looked for in the journal, whose events contain logs, if the quota is used up', async () => {
    const quota = app.app.get(RecordingQuota, { strict: false });
    const room = jest.spyOn(quota, 'mustHaveRoom').mockRejectedValue(refusalOf('runs-quota', { megabytes: 1 }));
    const reading = jest.spyOn(app.app.get(EventStore, { strict: false }), 'readStream');
    try {
      await expect(accept('run_other')).rejects.toMatchObject({ code: 'runs-quota' });
      expect(reading.mock.calls.filter(([stream]) => stream.startsWith('run-'))).toEqual([]);
    } finally {
      room.mockRestore();
      reading.mockRestore();
    }
  });

  it('is not refused although its function is deleted since', async () => {
    await accept();
    await done(app, 'automations/deleteFunction', { id: request.functionId });
    await accept();
    await expect(accept('run_other')).rejects.toMatchObject({ code: 'function-not-found' });
  });
});

it('the input of a run that has ended is not stored again by a repeated start', async () => {
  await accept();
  await eventually(input, (stored) => stored === undefined);
  await eventually(runs, ([run]) => run?.status === 'success');
  await accept();
  expect(await input()).toBeUndefined();
  expect(await runs()).toHaveLength(1);
});

const start: TargetStart = {
  workspaceId: 'ws',
  target: { kind: 'site_function', ref: 'fn_1' },
  runId: 'run_1',
  input: {},
  source: 'event',
  starter: { kind: 'schedule', id: 'sc_1', name: 'Nightly' },
  actor: { kind: 'schedule', id: 'sc_1', name: 'Nightly' },
  correlationId: 'sc_1',
  causationId: null,
  eventDepth: 0,
};

/** Starts the deleted function of a site, and returns the failed runs that this records. */
async function failedRuns(started: TargetStart, isAccepted: boolean): Promise<readonly string[]> {
  const failed: string[] = [];
  const runs = {
    isAccepted: async () => isAccepted,
    failGone: async ({ runId }: { runId: string }) => void failed.push(runId),
  } as unknown as FunctionRuns;
  const targets = new Targets();
  const last = { last: async () => ({ id: 'fn_1', projectId: 'prj_1' }) } as never;
  new FunctionTarget({ find: async () => undefined } as unknown as RunContext, runs, last, targets);
  await targets.start([started]);
  return failed;
}

describe('a start of a deleted function of a site', () => {
  it('by a schedule is a failed run, unless an earlier start with the same id was accepted', async () => {
    expect(await failedRuns(start, false)).toEqual(['run_1']);
    expect(await failedRuns(start, true)).toEqual([]);
  });

  it('by an event is refused, unless an earlier start with the same id was accepted', async () => {
    const byEvent: TargetStart = { ...start, starter: { kind: 'event', id: 'et_1', name: 'On order' } };
    await expect(failedRuns(byEvent, false)).rejects.toMatchObject({ kind: 'not-found' });
    expect(await failedRuns(byEvent, true)).toEqual([]);
  });
});
