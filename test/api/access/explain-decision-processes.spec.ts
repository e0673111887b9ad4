import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, person } from '../../support/people.js';
import { type Processes, startTwoApis } from '../../support/processes.js';
import { siteVisitors } from '../../support/sites/site-visitors.js';

let processes: Processes;
let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  [processes, one, two] = await startTwoApis();
}, 60_000);
afterAll(() => processes.close(), 60_000);

/** Asks again on a 404, because a refusal is answered before its reason is stored. */
const explained = async (id: string) => {
  const ask = () => two.call('workspace/explainDecision', { id });
  return (await eventually(ask, ({ status }) => status !== 404)).body;
};

it('an id from one process is explained by another', async () => {
  const viewer = await person(one, 'viewer');
  const { status, body } = await one.call('workspace/updateSettings', {}, viewer.key);
  expect(status).toBe(403);
  const told = await explained(body.decisionId);
  expect(told).toMatchObject({ code: 'viewer-refused', who: { id: viewer.id }, changedSince: false });

  const site = await siteVisitors(one);
  await done(one, 'site/createBackendFunction', {
    projectId: site.projectId,
    name: 'closed',
    code: 'return 1',
    accessRules: { execute: { type: 'authenticated' } },
  });
  const refused = await site.post('functions/closed');
  expect(refused.status).toBe(403);
  expect(await explained(refused.body.decisionId)).toMatchObject({
    code: 'execute-refused',
    tree: { kind: 'rule', outcome: 'denied' },
  });
}, 60_000);
