import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FunctionRuns } from '../../../src/areas/functions/run/function-runs.api.js';
import type { RunEvent } from '../../../src/areas/functions/run/run.record.js';
import { RunJournal } from '../../../src/areas/functions/run/run-journal.js';
import { DeliveredFiles } from '../../../src/areas/functions/run/storage/delivered-files.api.js';
import { derivedId } from '../../../src/kernel/event/derived-id.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { formOf, formType } from '../../support/servers/multipart-form.js';

let app: TestApp;
let functionId = '';
beforeEach(async () => {
  app = await startApp();
  functionId = (await app.call('automations/createFunction', { name: 'open', code: 'return 1' })).body.id;
  await app.call('automations/updateFunction', { id: functionId, isActive: true });
});
afterEach(() => app.close());

const facts = {
  runId: 'run_open',
  functionName: 'open',
  version: 'v',
  source: 'api',
  starter: { kind: 'webhook', id: 'wh_1' },
} as const;
const accepted: RunEvent = { type: 'RunAccepted', data: { ...facts, depth: 0 } };
const started = (attempt: number, ofAccepted: boolean): RunEvent => ({
  type: 'RunStarted',
  data: { ...facts, attempt, process: 'process_gone', accepted: ofAccepted },
});
const failed = (attempt: number, retryAt: string | null): RunEvent => ({
  type: 'RunEnded',
  data: { runId: facts.runId, attempt, error: 'boom', durationMs: 1, retryAt, logs: [] },
});
const soon = new Date(Date.now() + 200).toISOString();

/** Records what a process wrote before it died, then starts the next process. */
async function leftBehind(...events: readonly RunEvent[]) {
  const { id: workspaceId } = (await app.call('workspace/getWorkspace')).body;
  const actor = { kind: 'webhook', id: 'wh_1', name: 'Webhook' } as const;
  const origin = { workspaceId, functionId, runId: facts.runId, actor, correlationId: 'c', causationId: null };
  for (const event of events) await app.app.get(RunJournal, { strict: false }).write(origin, [event]);
  app = await app.restart();
}

const run = async () => (await app.call('automations/listRuns', { functionId })).body[0];

describe('a run that a stopped service left unfinished', () => {
  it('in progress, with a waiting caller: failed, with one sentence', async () => {
    await leftBehind(started(1, false));
    expect(await run()).toMatchObject({ status: 'error', error: 'The service stopped while this run was going.' });
  });

  it('between two attempts, with a waiting caller: failed as well', async () => {
    await leftBehind(started(1, false), failed(1, soon));
    const left = await run();
    expect(left).toMatchObject({ status: 'error', error: 'The service stopped while this run was going.' });
    expect(left.attempts.map(({ error }: { error: string }) => error)).toEqual(['boom', left.error]);
  });

  it('accepted but not begun, with its input gone: failed, with the reason', async () => {
    await leftBehind(accepted);
    const left = await eventually(run, ({ status }) => status === 'error');
    expect(left.error).toContain('input of this run is no longer stored');
  });

  it('written again, because it was not known to be written: is recorded once', async () => {
    await leftBehind(started(1, false), failed(1, null), failed(1, null));
    const { id } = (await app.call('workspace/getWorkspace')).body;
    const journal = await app.app.get(EventStore).readStream(streamOf('run', id, functionId));
    expect(journal.map(({ type }) => type)).toEqual(['RunStarted', 'RunEnded']);
  });
});

describe('a delivery with a key whose first run has no recorded end', () => {
  it('is neither repeated nor answered with an unconfirmed success', async () => {
    const { id, token } = (await app.call('automations/createWebhook', { functionId })).body;
    const runId = derivedId('run', `delivery/${id}/evt_1`);
    await startedElsewhere(id, runId);
    const { status, body, headers } = await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', {
      'webhook-id': 'evt_1',
    });
    expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'idempotency-key-in-progress', '5']);
    expect((await app.call('automations/listRuns', { functionId })).body).toHaveLength(1);
  });

  it('is not repeated either while the read models do not show that run, and its files remain', async () => {
    const { id, token } = (await app.call('automations/createWebhook', { functionId })).body;
    const runId = derivedId('run', `delivery/${id}/evt_1`);
    const workspaceId = await startedElsewhere(id, runId);
    const runs = app.app.get(FunctionRuns, { strict: false });
    const find = jest.spyOn(runs, 'find').mockResolvedValue(undefined);
    const run = jest.spyOn(runs, 'run');
    const file = Buffer.from('content');
    const { status, body } = await app
      .send(
        'POST',
        `/api/automations/functions/webhook/${token}`,
        formOf([{ name: 'f', value: file, file: 'f.bin' }]),
        {
          'webhook-id': 'evt_1',
          ...formType,
        },
      )
      .finally(() => find.mockRestore());
    expect([status, body.code]).toEqual([409, 'idempotency-key-in-progress']);
    const [request] = run.mock.calls[0] ?? [];
    run.mockRestore();
    if (request === undefined) throw new Error('The delivery started no run.');
    const stored = await app.app.get(DeliveredFiles, { strict: false }).open(request, DeliveredFiles.idOf(runId, 0));
    expect([request.workspaceId, stored?.bytes.length]).toEqual([workspaceId, file.length]);
  });

  /** Records the start of the delivery's run by a process that died. Returns the id of the workspace. */
  async function startedElsewhere(webhookId: string, runId: string): Promise<string> {
    const { id: workspaceId } = (await app.call('workspace/getWorkspace')).body;
    const actor = { kind: 'webhook', id: webhookId, name: 'Webhook' } as const;
    const origin = { workspaceId, functionId, runId, actor, correlationId: runId, causationId: null };
    const event: RunEvent = {
      type: 'RunStarted',
      data: { ...facts, runId, attempt: 1, process: 'p', accepted: false },
    };
    await app.app.get(RunJournal, { strict: false }).write(origin, [event]);
    return workspaceId;
  }
});
