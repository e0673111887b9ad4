import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let clock: SettableClock;
let app: OutsideApp;
let key: string;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ ownerKey: key, workspaceId } = await otherWorkspace(app));
  await app.app.get(OperatorPlans, { strict: false }).set(workspaceId, 'free');
});
afterEach(() => {
  jest.restoreAllMocks();
});

const create = async () => {
  const { status, body } = await app.call('site/createProject', { name: 'Shop' }, key);
  return [status, body.code];
};
const made = () => done(app, 'site/createProject', { name: 'Shop' }, key);
const minutesLater = () => clock.set(clock.now() + 120_000);
const slots = () => `projectSlots-${workspaceId}.${workspaceId}`;
const store = () => app.app.get(EventStore, { strict: false });
/** Leaves the state after a crash between two appends: the slot is taken, but its project was never recorded. */
async function orphaned() {
  const [last] = await store().readStream(slots(), { direction: 'backward', limit: 1 });
  if (last === undefined) throw new Error('There is no slot yet.');
  const metadata = { ...last.metadata, at: new Date(clock.now()).toISOString() };
  const data = { projectId: 'proj_never_made', isApp: false };
  const event = { id: randomUUID(), type: 'ProjectSlotTaken', data, metadata };
  await store().append([{ stream: slots(), expected: last.revision, events: [event] }]);
}
const lastEvent = async () => (await store().readStream(slots(), { direction: 'backward', limit: 1 }))[0];

describe('the project slots of a plan', () => {
  it('that a project took without being recorded are returned later, if the plan is full', async () => {
    await made();
    await made();
    await orphaned();
    expect(await create()).toEqual([403, 'plan-limit']);
    minutesLater();
    await made();
    expect(await create()).toEqual([403, 'plan-limit']);
  });

  it('are not returned for projects that the read model does not show', async () => {
    for (let n = 0; n < 3; n += 1) await made();
    minutesLater();
    const reads = app.app.get(Reads, { strict: false });
    const find = reads.find.bind(reads);
    const shown = jest
      .spyOn(reads, 'find')
      .mockImplementation(async (workspace, collection, query) =>
        collection === 'projects' ? [] : find(workspace, collection, query),
      );
    expect(await create()).toEqual([403, 'plan-limit']);
    expect(shown).toHaveBeenCalledWith(workspaceId, 'projects', expect.anything());
    expect((await lastEvent())?.type).toBe('ProjectSlotTaken');
  });

  it('are checked only if the plan is full', async () => {
    await made();
    minutesLater();
    const shown = jest.spyOn(app.app.get(Reads, { strict: false }), 'find');
    await made();
    expect(shown.mock.calls.map(([, collection]) => collection)).not.toContain('projects');
  });

  it('are exact if 20 calls compete for the returned one', async () => {
    await made();
    await made();
    await orphaned();
    minutesLater();
    const replies = await Promise.all(Array.from({ length: 20 }, create));
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect(replies.filter(([, code]) => code === 'plan-limit')).toHaveLength(19);
  });
});
