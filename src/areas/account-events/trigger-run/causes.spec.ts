import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { specWorkspace } from '../../../../test/support/given/given.js';
import type { Environment } from '../../../config/environment.js';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { Reads } from '../../../engine/scopes/reads.js';
import { CauseDepth } from '../cause-depth.js';
import { Causes } from './causes.api.js';
import { TriggerChains } from './trigger-chains.js';

const effect = '0b6e5f6e-0000-4000-8000-000000000009';
const audited = '0b6e5f6e-0000-4000-8000-000000000007';
const readModels = ['audit', 'runs', 'flowRuns', 'agentRuns', 'triggerRuns'];

let clock: MadeUpClock;
let readYourWrites: ReadYourWrites;
let shown: Map<string, object>;
let depth: CauseDepth;
let chains: TriggerChains;
beforeEach(() => {
  clock = new MadeUpClock();
  readYourWrites = new ReadYourWrites(clock, new ReadModels([]), { shared: true } as Environment);
  shown = new Map();
  const get = async (_workspaceId: string, collection: string, id: string) => shown.get(`${collection}/${id}`);
  const reads = { get } as unknown as Reads;
  const causes = new Causes(reads, readYourWrites, clock);
  depth = new CauseDepth(causes);
  chains = new TriggerChains(reads, causes, readYourWrites);
});

/** The event is at position 9. */
const depthOf = (cause: string) => depth.of(specWorkspace, cause, 9);
const rootOf = (cause: string) => chains.rootOf({ workspaceId: specWorkspace, id: effect, position: 9 }, 1, cause);
const include = (position: number, models = readModels) => {
  for (const model of models) readYourWrites.moved(model, position);
};
function showChain(): void {
  shown.set('triggerRuns/trun_f', { eventId: 'ev_root' });
  shown.set('firingEvents/ev_root', { root: 'ev_root', chain: 41 });
  shown.set('runs/run_g', { causationId: 'trun_f', eventDepth: 3 });
}
async function pass(ms: number): Promise<void> {
  await setImmediate();
  clock.advance(ms);
  await setImmediate();
}

describe('a cause that the read models do not include yet', () => {
  it.each([
    ['a run', 'run_g'],
    ['an event of a run', audited],
  ])('counts as soon as it appears: %s', async (_, cause) => {
    include(5);
    const found = Promise.all([depthOf(cause), rootOf(cause)]);
    await pass(100);
    showChain();
    shown.set(`audit/${audited}`, { causationId: 'run_g' });
    await pass(100);
    expect(await found).toEqual([3, 'ev_root']);
  });

  it('is not taken for missing, so the search fails and is repeated later', async () => {
    include(8);
    const found = Promise.allSettled([depthOf('run_g'), depthOf(audited), rootOf('run_g'), rootOf('trun_f')]);
    await pass(5_000);
    const late = (id: string) => ({
      status: 'rejected',
      reason: new Error(`The read models do not include the cause ${id} yet.`),
    });
    expect(await found).toEqual([late('run_g'), late(audited), late('run_g'), late('trun_f')]);
    include(9);
    showChain();
    expect(await Promise.all([depthOf('run_g'), rootOf('run_g')])).toEqual([3, 'ev_root']);
  });

  it('is missing once the read models include the event', async () => {
    include(8);
    const found = Promise.all([depthOf('run_g'), rootOf('run_g')]);
    await pass(100);
    include(9);
    expect(await found).toEqual([0, effect]);
  });
});

describe('nothing waits', () => {
  it('for a cause that is there, although the read models are behind', async () => {
    showChain();
    expect([await depthOf('run_g'), await rootOf('run_g')]).toEqual([3, 'ev_root']);
    expect(clock.waits).toEqual([]);
  });

  it('while the read models include the event', async () => {
    include(9);
    expect([await depthOf('run_g'), await depthOf(audited), await rootOf('trun_f')]).toEqual([0, 0, effect]);
    expect(clock.waits).toEqual([]);
  });

  it('for what is neither an event nor a run', async () => {
    expect([await depthOf('sm_1'), await rootOf('mail_1')]).toEqual([0, effect]);
    expect(clock.waits).toEqual([]);
  });
});

it('runs of a flow and of an agent have a depth and a chain too', async () => {
  showChain();
  shown.set('flowRuns/run_flow', { causationId: 'run_g', eventDepth: 4 });
  shown.set('agentRuns/agentrun_1', { causationId: 'run_flow', eventDepth: 5 });
  expect([await depthOf('run_flow'), await depthOf('agentrun_1')]).toEqual([4, 5]);
  expect(await rootOf('agentrun_1')).toBe('ev_root');
});

it('the runs of a chain are not counted before the read model includes the latest firing', async () => {
  showChain();
  include(8);
  const started = () => chains.started(specWorkspace, 'ev_root', 9);
  await expect(started()).rejects.toThrow(
    'The read models do not include all runs of the chain that ev_root began yet.',
  );
  include(9);
  expect(await started()).toBe(41);
});
