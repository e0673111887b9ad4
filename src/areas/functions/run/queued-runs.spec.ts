import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runsProjection } from '../../../../projections/functions/run.projection.js';
import { EmbeddedDirectory } from '../../../../test/contracts/embedded-directory.js';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { EmbeddedReadStore } from '../../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Metrics } from '../../../engine/health/metrics.js';
import type { LogHead } from '../../../engine/messages/log-head.js';
import type { Watermark } from '../../../engine/read-models/watermark.js';
import type { Messages } from '../../../ports/messages.port.js';
import { QueuedRuns } from './queued-runs.js';
import type { Run } from './run.record.js';
import { runMessage } from './run-requests.api.js';

let directory: EmbeddedDirectory;
let store: EmbeddedReadStore;
let isCurrent: boolean;
let queued: QueuedRuns;
beforeEach(async () => {
  directory = new EmbeddedDirectory();
  store = new EmbeddedReadStore({ directory: directory.path });
  const build = { projection: 'runs', generation: 'v1_0' };
  await store.prepare(build, runsProjection.collections);
  await store.activate(build, runsProjection.collections);
  isCurrent = true;
  const watermark = { appended: () => undefined, isCurrent: () => isCurrent };
  const head = { lastOf: async () => 0 };
  const parts = [store, watermark as unknown as Watermark, {} as Messages, head as unknown as LogHead] as const;
  queued = new QueuedRuns(...parts, new MadeUpClock(), {} as Metrics);
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const webhook = { kind: 'webhook', id: 'wh_1' } as const;
const trigger = { kind: 'event', id: 'evt_1', name: 'Event' } as const;

function run(n: number, more: Partial<Run> = {}): Run {
  const run = { id: `run_${n}`, workspaceId: 'ws_1', functionId: 'fn_1', starter: webhook, position: n };
  return { ...run, status: 'queued', accepted: true, createdAt: '2026-01-01T00:00:00.000Z', ...more } as Run;
}

async function hold(...runs: readonly Run[]): Promise<void> {
  const writes = runs.map((document) => ({ kind: 'put', collection: 'runs', document, position: 1 }) as const);
  await store.commit({ projection: 'runs', generation: 'v1_0' }, -1, 1, writes);
}

const messageOf = (one: Run) => runMessage({ ...one, runId: one.id });
const next = async (of: Run, limit: number) =>
  (await queued.next(messageOf(of).key, [messageOf(of)], limit)).map(({ id }) => id);

describe('the next runs of a key', () => {
  it('are those that wait or are begun, in the order in which they were accepted', async () => {
    await hold(
      run(30),
      run(9, { status: 'running' }),
      run(10),
      run(8, { status: 'success' }),
      run(11, { accepted: false }),
      run(12, { functionId: 'fn_2' }),
      run(13, { workspaceId: 'ws_2' }),
    );
    expect(await next(run(30), 50)).toEqual(['run_9', 'run_10', 'run_30']);
    expect(await next(run(30), 2)).toEqual(['run_9', 'run_10']);
  });

  it('are found among many of another key of the function', async () => {
    const many = Array.from({ length: 450 }, (_, n) => run(n, { starter: trigger }));
    await hold(...many, run(500), run(501));
    expect(await next(run(501), 50)).toEqual(['run_500', 'run_501']);
    expect(await next(run(7, { starter: trigger }), 3)).toEqual(['run_0', 'run_1', 'run_2']);
  });

  it('are not told by a read model that does not show them yet', async () => {
    isCurrent = false;
    await expect(next(run(1), 50)).rejects.toThrow('do not show all accepted runs yet');
  });
});
