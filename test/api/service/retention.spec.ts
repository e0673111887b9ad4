import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunRetention } from '../../../src/areas/functions/run/storage/run-retention.js';
import { runCommand } from '../../../src/cli/commands.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

const day = 24 * 3_600_000;

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
beforeEach(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
});
afterEach(() => app.close());

const forgetting = ['runs', 'triggerUses'];

async function hooked() {
  const fn = (await app.call('automations/createFunction', { name: 'kept', code: 'console.log(1); return 1' })).body;
  await app.call('automations/updateFunction', { id: fn.id, isActive: true });
  const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
  const fire = async () => {
    const { headers } = await app.send('POST', `/api/automations/functions/webhook/${token}`);
    return headers.get('x-run-id') ?? '';
  };
  return { fn, fire };
}

const runsOf = async (functionId: string) =>
  (await app.call('automations/listRuns', { functionId })).body.map(({ id }: { id: string }) => id);

/** Verifies the read models that forget runs. All would take long, because other files use the same service. */
async function verified(): Promise<readonly string[]> {
  const lines: string[] = [];
  const console = { out: (line: string) => lines.push(line), error: () => {} };
  for (const name of forgetting) {
    await runCommand(['projections:verify', name], { DATA_DIR: app.dataDir }, console);
  }
  return lines;
}

describe('runs beyond their retention', () => {
  it('are deleted with their logs, in the read models and in the log itself, but not recent ones', async () => {
    const { fn, fire } = await hooked();
    const old = [await fire(), await fire()];
    clock.advance(20 * day);
    const young = await fire();
    clock.advance(11 * day);
    await app.app.get(RunRetention).sweep();
    expect(await runsOf(fn.id)).toEqual([young]);
    for (const runId of old) expect((await app.call('automations/getRunLog', { runId })).status).toBe(404);
    const journal = await app.app.get(EventStore).readStream(await journalOf(fn.id));
    expect(journal.map(({ type }) => type)).toEqual(['RunStarted', 'RunEnded', 'RunsForgotten']);
  });

  it('leave the last use of their trigger, and a rebuild that equals the live read models', async () => {
    const { fn, fire } = await hooked();
    await fire();
    const before = (await app.call('automations/listTriggers', { functionId: fn.id })).body;
    clock.advance(31 * day);
    await app.app.get(RunRetention).sweep();
    expect(await runsOf(fn.id)).toEqual([]);
    expect((await app.call('automations/listTriggers', { functionId: fn.id })).body).toEqual(before);
    const lines = await verified();
    expect(lines).toHaveLength(forgetting.length);
    expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
  });

  it('are deleted once, however often the sweep runs', async () => {
    const { fn, fire } = await hooked();
    await fire();
    clock.advance(31 * day);
    await app.app.get(RunRetention).sweep();
    await app.app.get(RunRetention).sweep();
    const journal = await app.app.get(EventStore).readStream(await journalOf(fn.id));
    expect(journal.map(({ type }) => type)).toEqual(['RunsForgotten']);
  });
});

async function journalOf(functionId: string): Promise<string> {
  const { id } = (await app.call('workspace/getWorkspace')).body;
  return streamOf('run', id, functionId);
}
