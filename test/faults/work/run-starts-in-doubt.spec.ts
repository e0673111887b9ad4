// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { runJob } from '../../../src/areas/functions/run/run-requests.api.js';
import { Environment } from '../../../src/config/environment.js';
import {
  type Appended,
  type AppendRequest,
  EventStore,
  EventStoreUnavailable,
} from '../../../src/ports/event-store.port.js';
import { Messages } from '../../../src/ports/messages.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

/** Records every event, but fails after the first append of each type in `loses`. */
class ForgetfulEventStore extends EmbeddedEventStore {
  readonly loses = new Set<string>();
  /** While true, the store's check fails, so work that waits for the store does not continue. */
  seemsAway = false;

  override async check(): Promise<void> {
    if (this.seemsAway) throw new EventStoreUnavailable('It seems to be away.');
    await super.check();
  }

  override async append(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    const appended = await super.append(requests);
    const types = requests.flatMap(({ events }) => events.map(({ type }) => type));
    if (types.some((type) => this.loses.delete(type))) throw new EventStoreUnavailable('The answer was lost.');
    return appended;
  }
}

let store: ForgetfulEventStore;
let app: TestApp;
let functionId: string;
let token: string;
beforeEach(async () => {
  const useFactory = ({ dataDir }: Environment) => {
    store = new ForgetfulEventStore({ directory: dataDir });
    return store;
  };
  app = await startApp({ replacements: [{ provide: EventStore, inject: [Environment], useFactory }] });
  functionId = (await app.call('automations/createFunction', { name: 'in doubt', code: 'return 1' })).body.id;
  await app.call('automations/updateFunction', { id: functionId, isActive: true });
  token = (await app.call('automations/createWebhook', { functionId })).body.token;
});
afterEach(() => app.close());

const deliver = (headers: Record<string, string> = {}) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', headers);
const run = async () => (await app.call('automations/listRuns', { functionId })).body[0];
/** The number of times that code was run. */
const executions = async () => {
  const { body } = await app.send('GET', '/metrics');
  const counts = [...String(body).matchAll(/^countersign_run_seconds_count\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

describe('a run whose start may or may not have been recorded', () => {
  it('accepted: is made once, in the recorded attempt', async () => {
    store.loses.add('RunStarted');
    expect((await deliver({ prefer: 'respond-async' })).status).toBe(202);
    const ended = await eventually(run, (one) => one?.finishedAt !== null && one !== undefined);
    expect([ended.status, ended.attempts.length, await executions()]).toEqual(['success', 1, 1]);
  });

  it('accepted, with its function switched off since: ends as failed', async () => {
    store.loses.add('RunStarted');
    store.seemsAway = true;
    await deliver({ prefer: 'respond-async' });
    await eventually(run, (one) => one?.status === 'running');
    await app.call('automations/updateFunction', { id: functionId, isActive: false });
    store.seemsAway = false;
    const ended = await eventually(run, (one) => one.finishedAt !== null);
    expect([ended.status, ended.attempts.length, await executions()]).toEqual(['error', 1, 0]);
    expect(ended.error).toContain('INACTIVE');
  });

  it('with a waiting caller: the caller must repeat it, it was not made, and it does not remain open forever', async () => {
    store.loses.add('RunStarted');
    expect((await deliver()).status).toBe(503);
    await eventually(run, (one) => one?.status === 'running');
    const ended = await eventually(run, ({ status }) => status === 'error', 30_000);
    expect(ended.error).toBe('The event store was unavailable when this run should have begun, so it was not started.');
    expect(await executions()).toBe(0);
  });
});

describe('a run whose end may or may not have been recorded', () => {
  it('accepted: is made only once', async () => {
    store.loses.add('RunEnded');
    await deliver({ prefer: 'respond-async' });
    const ended = await eventually(run, (one) => one?.finishedAt !== null && one !== undefined);
    // The message is delivered again and then done.
    const messages = app.app.get(Messages, { strict: false });
    await eventually(
      async () => messages.waiting(runJob.topic),
      (waiting) => waiting === 0,
    );
    expect([ended.status, (await run()).attempts.length, await executions()]).toEqual(['success', 1, 1]);
  });

  it('with a waiting caller and an attempt left: fails without that attempt, and a repeated delivery gets that answer', async () => {
    const failing = { name: 'fails', code: 'throw new Error("boom")', maxRetries: 1 };
    functionId = (await app.call('automations/createFunction', failing)).body.id;
    await app.call('automations/updateFunction', { id: functionId, isActive: true });
    token = (await app.call('automations/createWebhook', { functionId })).body.token;
    store.loses.add('RunEnded');
    expect((await deliver({ 'idempotency-key': 'order-1' })).status).toBe(503);
    const { attempts } = await eventually(run, ({ status }) => status === 'error');
    const error = expect.stringContaining('there was no further attempt');
    expect(attempts).toMatchObject([{ error: expect.stringContaining('boom') }, { error }]);
    const { status, body } = await deliver({ 'idempotency-key': 'order-1' });
    expect([status, body, await executions()]).toEqual([500, { success: false, error }, 1]);
  });
});
