import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow } from '../../support/automations/flows.js';
import { replaceTarget } from '../../support/automations/replaced-targets.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
let flow: string;
let projectId: string;
let otherId: string;
beforeAll(async () => {
  app = await sharedApp();
  scene = eventScene(app);
  flow = await activeFlow(app, []);
});
afterAll(() => app.close());
beforeEach(async () => {
  for (const { id } of await done(app, 'site/listProjects', {})) await done(app, 'site/deleteProject', { id });
  for (const { id } of await scene.ok('listEventTriggers')) await scene.ok('removeEventTrigger', { id });
  projectId = (await done(app, 'site/createProject', { name: 'Listened to' })).id;
  otherId = (await done(app, 'site/createProject', { name: 'Other' })).id;
});

interface Shown {
  readonly id: string;
}
const shown = async (id = projectId, key?: string): Promise<readonly Shown[]> =>
  (await done(app, 'site/getProject', { id }, key)).eventFlowTriggers;
const add = (event: string, filters: readonly object[] = []): Promise<Shown> =>
  scene.add(flow, event, { targetKind: 'flow', filters });
const idsOf = (triggers: readonly Shown[]) => triggers.map(({ id }) => id);
const equals = (field: string, value: string) => ({ field, op: 'eq', value });

describe('the triggers that getProject answers', () => {
  it('are none at first', async () => {
    expect(await shown()).toEqual([]);
  });

  it('are those that events of the project can fire, as in listEventTriggers, oldest first', async () => {
    await add('email.received');
    await add('custom.site');
    const made = [await add('site.*'), await add('site.snapshot_restored'), await add('*')];
    const listed: readonly Shown[] = await scene.ok('listEventTriggers');
    expect(await shown()).toEqual(made.map(({ id }) => listed.find((one) => one.id === id)));
    expect(idsOf(await shown(otherId))).toEqual(idsOf(made));
  });

  it('exclude those that a filter limits to another project, to other events or to another source', async () => {
    const own = await add('site.*', [equals('projectId', projectId)]);
    const theirs = await add('site.*', [equals('projectId', otherId)]);
    const either = await add('*', [{ field: 'projectId', op: 'in', value: [projectId, otherId] }]);
    const named = await add('*', [equals('name', 'site.domain_verified'), equals('domain', 'shop.example.com')]);
    await add('*', [equals('source', 'email')]);
    expect(idsOf(await shown())).toEqual(idsOf([own, either, named]));
    expect(idsOf(await shown(otherId))).toEqual(idsOf([theirs, either, named]));
  });

  it("include those of its tables, but not those of another project's", async () => {
    const tableOf = async (project: string): Promise<string> => {
      const { linkedBase } = await done(app, 'site/getProject', { id: project });
      return (await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields: [] })).id;
    };
    const any = await add('base.*');
    expect(idsOf(await shown())).toEqual([any.id]);
    const [tableId, otherTable] = [await tableOf(projectId), await tableOf(otherId)];
    const own = await add('base.row_created', [equals('tableId', tableId)]);
    const theirs = await add('base.*', [equals('tableId', otherTable)]);
    const named = await add('*', [equals('tableId', tableId), equals('table', 'Orders')]);
    expect(idsOf(await shown())).toEqual(idsOf([any, own, named]));
    expect(idsOf(await shown(otherId))).toEqual(idsOf([any, theirs]));
  });

  it('show whether they are on and when they last fired', async () => {
    const { id } = await add('site.snapshot_restored');
    const { snapshots } = await done(app, 'site/listSnapshots', { projectId });
    await done(app, 'site/createPage', { projectId, name: 'New', path: '/new' });
    await done(app, 'site/restoreSnapshot', { projectId, snapshotId: snapshots[0].id });
    await scene.over(id);
    await scene.ok('updateEventTrigger', { id, isActive: false });
    expect(await shown()).toMatchObject([{ id, isActive: false, fireCount: 1, lastFiredAt: expect.any(String) }]);
  });

  it('include those that start something of the project, whatever their event', async () => {
    const owners: Readonly<Record<string, string>> = { sfn_own: projectId, sfn_other: otherId };
    const refuse = () => Promise.reject(new Error('Nothing starts here.'));
    replaceTarget(app, 'site_function', {
      find: async (_, ref) => {
        const of = owners[ref];
        return of === undefined ? undefined : { name: ref, isActive: true, projectId: of };
      },
      start: refuse,
      isGoing: refuse,
    });
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: true });
    const [own, other] = [
      await scene.add('sfn_own', 'email.received', { targetKind: 'site_function' }),
      await scene.add('sfn_other', 'site.*', { targetKind: 'site_function' }),
    ];
    expect(await shown()).toMatchObject([
      { id: own.id, targetKind: 'site_function', targetRef: 'sfn_own', targetName: 'sfn_own' },
      { id: other.id },
    ]);
    expect(idsOf(await shown(otherId))).toEqual([other.id]);
  });

  it('are shown to Viewers, but never those of another workspace', async () => {
    const { id } = await add('site.*');
    const { key } = await person(app, 'viewer');
    expect(idsOf(await shown(projectId, key))).toEqual([id]);
    const { ownerKey } = await otherWorkspace(app);
    const theirs = await done(app, 'site/createProject', { name: 'Theirs' }, ownerKey);
    expect(await shown(theirs.id, ownerKey)).toEqual([]);
  });
});
