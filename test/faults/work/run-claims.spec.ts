// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunAttempts } from '../../../src/areas/functions/run/run-attempts.js';
import type { RunRequest } from '../../../src/areas/functions/run/run-request.api.js';
import type { TestApp } from '../../support/app.js';
import { type Processes, startProcesses } from '../../support/processes.js';

let processes: Processes;
let apps: readonly TestApp[];
let request: RunRequest;
beforeEach(async () => {
  processes = await startProcesses();
  const builder = await processes.start('projections,scheduler');
  const [one, other] = [await processes.start('api'), await processes.start('api')];
  apps = [builder, one, other];
  const { id: functionId } = (await one.call('automations/createFunction', { name: 'claimed', code: 'return 1' })).body;
  await one.call('automations/updateFunction', { id: functionId, isActive: true });
  request = {
    workspaceId: (await one.call('workspace/getWorkspace')).body.id,
    functionId,
    runId: 'run_claimed',
    params: {},
    source: 'api',
    starter: { kind: 'webhook', id: 'wh_1' },
    actor: { kind: 'webhook', id: 'wh_1', name: 'Webhook' },
    correlationId: 'run_claimed',
    causationId: null,
    depth: 0,
  };
}, 60_000);
afterEach(() => processes.close(), 60_000);

/** Attempts the accepted run in the api process with this index. */
const attempt = (number: 1 | 2) => apps[number]?.app.get(RunAttempts, { strict: false }).attempt(request, 1, true);
const executions = async () => {
  const texts = await Promise.all(apps.map(async (app) => (await app.send('GET', '/metrics')).body as string));
  const counts = texts.flatMap((text) => [...text.matchAll(/^countersign_run_seconds_count\{.*\} (\d+)$/gm)]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

describe('an attempt that two processes make, because one was delayed while the other took over its work', () => {
  it('is made by one of them if both begin at once', async () => {
    const outcomes = await Promise.allSettled([attempt(1), attempt(2)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await executions()).toBe(1);
  }, 60_000);

  it('is not repeated by the one that wakes up later, nor by the one that has made it', async () => {
    await attempt(1);
    await expect(attempt(2)).rejects.toThrow('was started by another process');
    await expect(attempt(1)).rejects.toThrow('its end could not be recorded yet');
    expect(await executions()).toBe(1);
  }, 60_000);
});
