import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { type Processes, startProcesses } from '../../support/processes.js';

describeKafka((cluster) => {
  let processes: Processes;
  let api: TestApp;
  let runners: TestApp[];
  beforeEach(async () => {
    processes = await startProcesses({
      MESSAGES: 'kafka',
      KAFKA_BROKERS: cluster().brokers,
      KAFKA_NAMESPACE: `countersign-${randomUUID()}`,
    });
    await processes.start('projections,scheduler');
    await processes.start('sagas');
    runners = [await processes.start('runner'), await processes.start('runner')];
    api = await processes.start('api');
  }, 120_000);
  afterEach(() => processes.close(), 120_000);

  it('distributes runs of flows among runners, even when one of them leaves, and executes each step once', async () => {
    const { id: fn } = (await api.call('automations/createFunction', { name: 'plus', code: 'return params.n + 1' }))
      .body;
    await api.call('automations/updateFunction', { id: fn, isActive: true });
    const steps = [
      { id: 'plus', kind: 'run_function', settings: { function: fn, params: { n: '{{input.n}}' } } },
      { id: 'pause', kind: 'wait', settings: { seconds: 1 } },
      { id: 'raise', kind: 'raise_event', settings: { name: 'added', properties: { n: '{{steps.plus.result}}' } } },
    ];
    const { id: flow } = (await api.call('flows/createFlow', { name: 'Adding', steps })).body;
    const accept = async (n: number) => (await api.call('flows/runFlow', { id: flow, input: { n } })).body.runId;
    const accepted = await Promise.all(Array.from({ length: 20 }, (_, n) => accept(n)));
    await runners[0]?.close();
    const runs = await eventually(
      async () => (await api.call('flows/listFlowRuns', { flowId: flow, limit: 200 })).body,
      (list) => list.length === 20 && list.every(({ status }: { status: string }) => status === 'success'),
      90_000,
    );
    expect(runs.map(({ id }: { id: string }) => id).sort()).toEqual(accepted.sort());
    expect((await api.call('automations/listRuns', { functionId: fn, limit: 200 })).body).toHaveLength(20);
    const { events } = (await api.call('audit/listEvents', { kind: 'accountEvent', limit: 200 })).body;
    expect(events).toHaveLength(20);
  }, 180_000);
});
