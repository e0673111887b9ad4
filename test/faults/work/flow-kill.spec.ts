import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { Seen, TestServer } from '../../support/egress/test-server.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const rounds = 4;
const together = 6;

/** Needs a build, because it starts the service as a process. */
describe('a service that is killed while flows run', () => {
  const scene = new EgressScene();
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  let server: TestServer;
  let hold: (seen: Seen) => boolean;
  const start = () => startServiceProcess({ dataDir: directory.path, environment: { EGRESS_ALLOW: '127.0.0.1' } });
  beforeEach(async () => {
    hold = () => false;
    directory = new EmbeddedDirectory();
    service = await start();
    server = await scene.http((seen, response) => {
      if (!hold(seen)) response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  }, 60_000);
  afterEach(async () => {
    await service.end('SIGKILL');
    await scene.close();
    directory.remove();
  });

  async function killAndRestart(): Promise<void> {
    await service.end('SIGKILL');
    service = await start();
  }

  async function functionNamed(name: string, code: string): Promise<string> {
    const { id } = (await service.call('automations/createFunction', { name, code })).body;
    await service.call('automations/updateFunction', { id, isActive: true });
    return id;
  }

  const flowOf = async (steps: readonly object[]): Promise<string> =>
    (await service.call('flows/createFlow', { name: 'Killed', steps })).body.id;
  const runOf = async (id: string) => (await service.call('flows/getFlowRun', { id })).body;
  const accept = async (id: string, input: object = {}): Promise<string | undefined> =>
    (await service.call('flows/runFlow', { id, input })).body.runId;
  const ended = (id: string) =>
    eventually(
      () => runOf(id),
      ({ status }) => status === 'success' || status === 'error',
      120_000,
    );
  const eventsOf = async (name: string) => {
    const { events } = (await service.call('audit/listEvents', { kind: 'accountEvent', limit: 200 })).body;
    return JSON.stringify(events).split(`"${name}"`).length - 1;
  };

  it('repeats a request that it was waiting for, under the same Idempotency-Key, and continues', async () => {
    hold = () => server.seen.length === 1;
    const flow = await flowOf([
      { id: 'ask', kind: 'http_request', settings: { method: 'POST', url: server.url(), body: { a: '{{input.a}}' } } },
      { id: 'then', kind: 'raise_event', settings: { name: 'asked', properties: { ok: '{{steps.ask.body.ok}}' } } },
    ]);
    const runId = (await accept(flow, { a: 1 })) ?? '';
    await eventually(
      async () => server.seen.length,
      (seen) => seen === 1,
      60_000,
    );
    await killAndRestart();
    const run = await ended(runId);
    expect(run).toMatchObject({
      status: 'success',
      steps: [{ attempts: [{ number: 1, starts: 2 }] }, { status: 'success' }],
    });
    expect(server.seen).toHaveLength(2);
    expect(new Set(server.seen.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`)).size).toBe(1);
  }, 180_000);

  it('finds the function run that it was waiting for, and starts no other', async () => {
    const fn = await functionNamed(
      'slow',
      'await new Promise((resolve) => setTimeout(resolve, 1_500)); return { n: 1 }',
    );
    const flow = await flowOf([
      { id: 'run', kind: 'run_function', settings: { function: fn } },
      {
        id: 'tell',
        kind: 'http_request',
        settings: { method: 'POST', url: server.url(), body: '{{steps.run.result}}' },
      },
    ]);
    const runId = (await accept(flow)) ?? '';
    const runs = async () => (await service.call('automations/listRuns', { functionId: fn })).body;
    await eventually(runs, ([run]) => run?.status === 'running', 60_000);
    await killAndRestart();
    expect(await ended(runId)).toMatchObject({ status: 'success' });
    expect(await runs()).toHaveLength(1);
    expect(server.seen.map(({ body }) => body)).toEqual(['{"n":1}']);
  }, 180_000);

  it('killed at any point, ends every run with one function run, one event and one Idempotency-Key each', async () => {
    const fn = await functionNamed('counted', 'return { id: params.id }');
    const flow = await flowOf([
      { id: 'run', kind: 'run_function', settings: { function: fn, params: { id: '{{input.id}}' } } },
      {
        id: 'raise',
        kind: 'raise_event',
        settings: { name: 'counted', properties: { id: '{{steps.run.result.id}}' } },
      },
      { id: 'pause', kind: 'wait', settings: { seconds: 1 } },
      {
        id: 'tell',
        kind: 'http_request',
        settings: { method: 'POST', url: server.url(), body: { id: '{{input.id}}' } },
      },
      { id: 'last', kind: 'raise_event', settings: { name: 'over', properties: {} } },
    ]);
    const listedRuns = async (): Promise<readonly string[]> =>
      (await service.call('flows/listFlowRuns', { flowId: flow, limit: 200 })).body.map(({ id }: { id: string }) => id);
    const accepted: string[] = [];
    let older: readonly string[] = [];
    for (let round = 0; round < rounds; round++) {
      // A run that is lost three times is given up, so each run lives through two kills at most: its own round's and
      // the next.
      await Promise.all(older.map(ended));
      older = await listedRuns();
      const sending = Array.from({ length: together }, async (_, at) => {
        const runId = await accept(flow, { id: `${round}/${at}` }).catch(() => undefined);
        if (runId !== undefined) accepted.push(runId);
      });
      await Promise.race(sending);
      await randomMoment(0, 1_500);
      await service.end('SIGKILL');
      await Promise.all(sending);
      service = await start();
    }
    // A caller whose call was cut off does not know its run, so the list decides what was accepted.
    const listed = await listedRuns();
    expect(accepted.filter((id) => !listed.includes(id))).toEqual([]);
    const runs = await Promise.all(listed.map(ended));
    expect(runs.filter(({ status }) => status !== 'success')).toEqual([]);
    const functionRuns = (await service.call('automations/listRuns', { functionId: fn, limit: 200 })).body;
    expect([functionRuns.length, await eventsOf('custom.counted'), await eventsOf('custom.over')]).toEqual([
      listed.length,
      listed.length,
      listed.length,
    ]);
    const told = Map.groupBy(server.seen, ({ body }) => body);
    expect(told.size).toBe(listed.length);
    for (const requests of told.values()) {
      expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }
  }, 300_000);
});
