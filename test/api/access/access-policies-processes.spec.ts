import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { type Processes, startTwoApis } from '../../support/processes.js';

let processes: Processes;
let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  [processes, one, two] = await startTwoApis();
}, 60_000);
afterAll(() => processes?.close(), 60_000);

it('a change of a policy by one process applies in another from the next call on', async () => {
  const { id: projectId } = await done(one, 'site/createProject', { name: 'Shared' });
  const open = { type: 'public', scope: 'everywhere' };
  const { id: policyId } = await done(one, 'site/createAccessPolicy', { projectId, name: 'Who', condition: open });
  const { id: pageId } = await done(one, 'site/createPage', { projectId, name: 'Prices', path: '/prices' });
  await done(one, 'site/setPageAccessRules', { pageId, accessRules: { read: { policy: policyId } } });
  const isOpen = async (app: TestApp) =>
    (await done(app, 'site/explainAccess', { resource: { kind: 'page', id: pageId } })).allowed;
  for (let n = 0; n < 20; n += 1) {
    const [here, there] = n % 2 === 0 ? [one, two] : [two, one];
    await done(here, 'site/updateAccessPolicy', { policyId, condition: { not: open } });
    expect([await isOpen(there), await isOpen(here)]).toEqual([false, false]);
    await done(there, 'site/updateAccessPolicy', { policyId, condition: open });
    expect([await isOpen(here), await isOpen(there)]).toEqual([true, true]);
  }
  await done(one, 'site/deleteAccessPolicy', { policyId });
  expect(await isOpen(two)).toBe(false);
}, 60_000);

it('of two policies with one name or a mutual reference, saved in two processes at once, one is refused', async () => {
  const { id: projectId } = await done(one, 'site/createProject', { name: 'Raced' });
  const condition = { type: 'authenticated' };
  const create = (app: TestApp, name: string) => app.call('site/createAccessPolicy', { projectId, name, condition });
  for (let n = 0; n < 5; n += 1) {
    const named = await Promise.all([one, two].map((app) => create(app, `Same ${n}`)));
    expect(named.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [a, b] = [(await create(one, `A ${n}`)).body.id, (await create(one, `B ${n}`)).body.id];
    const turned = await Promise.all([
      one.call('site/updateAccessPolicy', { policyId: a, condition: { policy: b } }),
      two.call('site/updateAccessPolicy', { policyId: b, condition: { policy: a } }),
    ]);
    expect(turned.map(({ status }) => status).sort()).toEqual([200, 400]);
  }
}, 60_000);
