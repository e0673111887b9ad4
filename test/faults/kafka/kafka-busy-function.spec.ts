import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { Clock } from '../../../src/ports/clock.port.js';
import type { TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { done } from '../../support/people.js';
import { masterKey, type Processes, startProcesses } from '../../support/processes.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

/** A clock 70 seconds ahead, so that the look-up for runs that have waited more than a minute finds them. */
class ClockAhead extends SystemClock {
  override now(): number {
    return super.now() + 70_000;
  }
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly attempts: readonly { readonly startedAt: string; readonly error: string | null }[];
}

const count = 160;

/** Needs a build, because the killed runner is a process. */
describeKafka((cluster) => {
  let directory: string;
  let processes: Processes;
  let api: TestApp;
  let runner: ServiceProcess;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'busy-function-'));
    const settings = {
      MESSAGES: 'kafka',
      KAFKA_BROKERS: cluster().brokers,
      KAFKA_NAMESPACE: `countersign-${randomUUID()}`,
    };
    processes = await startProcesses(settings);
    await processes.start('projections');
    await processes.start('sagas');
    api = await processes.start('api');
    const environment = { ...processes.engines.environment, ...settings, MASTER_KEY: masterKey, ROLES: 'runner' };
    runner = await startServiceProcess({ dataDir: directory, environment });
  }, 120_000);
  afterEach(async () => {
    await runner.end('SIGKILL');
    await processes.close();
    rmSync(directory, { recursive: true, force: true });
  }, 120_000);

  it('executes all runs of a function with a long queue, in order, even those that a killed runner had committed', async () => {
    const code = 'await new Promise((end) => setTimeout(end, 30)); return 1';
    const functionId = await activeFunction(api, code);
    const { token } = await done(api, 'automations/createWebhook', { functionId });
    const accepted: string[] = [];
    for (let n = 0; n < count; n++) {
      const path = `/api/automations/functions/webhook/${token}`;
      const { status, body } = await api.send('POST', path, '{}', { prefer: 'respond-async' });
      expect(status).toBe(202);
      accepted.push(body.runId);
    }
    const runs = async (): Promise<readonly Shown[]> => {
      const listed: Shown[] = await done(api, 'automations/listRuns', { functionId, limit: 200 });
      const byId = new Map(listed.map((one) => [one.id, one]));
      return accepted.flatMap((id) => byId.get(id) ?? []);
    };
    const isDone = ({ status }: Shown) => status === 'success';
    // More runs are done than a runner holds at once, so it has looked up the queue in the log.
    await eventually(runs, (all) => all.filter(isDone).length > 60, 120_000);
    await runner.end('SIGKILL');
    expect((await runs()).every(isDone)).toBe(false);
    await processes.start('runner', {}, [{ provide: Clock, useValue: new ClockAhead() }]);
    const all = await eventually(runs, (some) => some.length === count && some.every(isDone), 180_000);
    const begun = all.map(({ attempts }) => attempts[0]?.startedAt ?? '');
    expect(begun).toEqual([...begun].sort());
    // Only the run in progress at the kill is begun again.
    expect(all.filter(({ attempts }) => attempts.length > 1).length).toBeLessThanOrEqual(1);
  }, 400_000);
});
