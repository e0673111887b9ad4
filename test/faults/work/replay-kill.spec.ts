import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { type Reply, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

const cutOff = 'The service stopped while this run was going.';

/** Needs a build, because it starts the service as a process. */
describe('a service, killed', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    service = await startServiceProcess({ dataDir: directory.path });
    await done('workspace/updateSettings', { versions: false });
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  async function killAndRestart(): Promise<void> {
    await service.end('SIGKILL');
    service = await startServiceProcess({ dataDir: directory.path });
  }

  async function done(operation: string, body: object = {}, headers = {}): Promise<Reply['body']> {
    const reply = await service.call(operation, body, headers);
    expect([operation, reply.status, reply.body.detail]).toEqual([operation, 200, undefined]);
    return reply.body;
  }

  async function hooked(code: string, more: object = {}) {
    const { id } = await done('automations/createFunction', { name: 'Hooked', code, ...more });
    await done('automations/updateFunction', { id, isActive: true });
    const { token } = await done('automations/createWebhook', { functionId: id });
    return { id: id as string, path: `/api/automations/functions/webhook/${token}` };
  }

  async function accepted(path: string): Promise<string> {
    const { status, body } = await service.post(path, { n: 7 }, { prefer: 'respond-async' });
    expect(status).toBe(202);
    return body.runId;
  }

  const runsOf = (functionId: string) => done('automations/listRuns', { functionId });
  const over = (functionId: string, runId: string) =>
    eventually(
      async () => (await runsOf(functionId)).find(({ id }: { id: string }) => id === runId),
      (run) => run?.status === 'success' || run?.status === 'error',
      20_000,
    );
  const inputs = () =>
    vaultEntries({ dataDir: directory.path }, 'run-input/').map(({ name }) => name.split('/').at(-1));

  async function mend(id: string): Promise<void> {
    const { updatedAt } = await done('automations/getFunction', { id });
    await done('automations/updateFunction', { id, code: 'return params.n', seenUpdatedAt: updatedAt });
  }

  it('still has the input of a failed run, and replays it', async () => {
    const { id, path } = await hooked('throw new Error("no")');
    const runId = await accepted(path);
    await over(id, runId);
    await killAndRestart();
    expect(inputs()).toEqual([runId]);
    await mend(id);
    const replay = await done('automations/replayRun', { runId });
    expect(await over(id, replay.runId)).toMatchObject({ status: 'success', replayOf: runId });
  }, 60_000);

  it('has every acknowledged replay, and only one if the same call is repeated', async () => {
    const { id, path } = await hooked('throw new Error("no")');
    const runId = await accepted(path);
    await over(id, runId);
    const answered = new Set<string>();
    for (let round = 0; round < 4; round++) {
      const call = () => service.call('automations/replayRun', { runId }, { 'idempotency-key': `round ${round}` });
      const first = call().catch(() => undefined);
      await randomMoment(0, 12);
      await killAndRestart();
      const before = await first;
      const { status, body } = await call();
      expect([status, before?.body.runId ?? body.runId]).toEqual([200, body.runId]);
      answered.add(body.runId);
    }
    for (const replay of answered)
      expect((await over(id, replay)).error).toMatch(/^no \(line 1\)$|^The service stopped/);
    const { replays } = await over(id, runId);
    expect([...replays].sort()).toEqual([...answered].sort());
    expect(await runsOf(id)).toHaveLength(5);
  }, 120_000);

  it('destroys the inputs of runs that had succeeded', async () => {
    const { id, path } = await hooked('return params.n');
    for (let round = 0; round < 3; round++) {
      const runIds = await Promise.all(Array.from({ length: 8 }, () => accepted(path)));
      await over(id, runIds[0] ?? '');
      await killAndRestart();
      for (const runId of runIds) expect((await over(id, runId)).status).toBe('success');
    }
    await eventually(
      async () => inputs(),
      (left) => left.length === 0,
    );
  }, 120_000);

  it('makes the remaining attempts of a run, after its present pause', async () => {
    const { id, path } = await hooked('throw new Error("again")', { maxRetries: 2 });
    const runId = await accepted(path);
    const waiting = await eventually(
      async () => (await runsOf(id))[0],
      (run) => run?.attempts.length >= 1 && run.status === 'queued',
    );
    await killAndRestart();
    const run = await over(id, runId);
    expect(run.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    for (const { error } of run.attempts) expect(['again (line 1)', cutOff]).toContain(error);
    expect(run.attempts[waiting.attempts.length].startedAt >= waiting.retryAt).toBe(true);
    expect(run).toMatchObject({ status: 'error', replayableUntil: expect.any(String) });
  }, 60_000);
});
