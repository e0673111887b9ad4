import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { type Processes, startTwoApis } from '../../support/processes.js';
import { PublishingSite } from '../../support/sites/publishing.js';
import { SiteClient } from '../../support/sites/site-client.js';

let processes: Processes;
let one: TestApp;
let two: TestApp;
beforeAll(async () => {
  [processes, one, two] = await startTwoApis();
}, 60_000);
afterAll(() => processes?.close(), 60_000);

/** Longest time until all processes serve a new version, in milliseconds. The README of sites promises it. */
const boundMs = 1_000;

it('processes switch together: none shows an older version than another has shown, and all switch within a second', async () => {
  const { id: workspaceId } = await done(one, 'workspace/getWorkspace');
  const site = await PublishingSite.create({ app: one, workspaceId });
  const { subdomain, pages } = await site.project();
  const visitors = [one, two].map((app) => new SiteClient(app, `${subdomain}.localhost`));
  const save = (version: number) =>
    done(one, 'site/updatePage', { id: pages[0].id, content: `export default () => <p>version {${version}}</p>;` });
  const versionAt = async (visitor: SiteClient | undefined) =>
    Number(/version (?:<!-- -->)?(\d)/.exec((await visitor?.get('/'))?.text ?? '')?.[1]);
  const both = () => Promise.all(visitors.map(versionAt));

  await save(1);
  const first = await site.publish();
  expect(await both()).toEqual([1, 1]);

  // A visitor whose requests alternate between the two processes.
  const seen: { readonly version: number; readonly began: number }[] = [];
  let isOver = false;
  const visiting = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const began = Date.now();
      seen.push({ began, version: await versionAt(visitors[turn % 2]) });
    }
  })();
  const switched: number[] = [];
  for (const version of [2, 3]) {
    await save(version);
    await site.publish();
    expect(await both()).toEqual([version, version]);
    switched.push(Date.parse((await site.deployments())[0].publishedAt));
  }
  expect((await site.rollBack(first)).status).toBe(200);
  expect(await both()).toEqual([1, 1]);
  isOver = true;
  await visiting;

  const versions = seen.map(({ version }) => version);
  expect(versions.filter((version, index) => version !== versions[index - 1])).toEqual([1, 2, 3, 1]);
  const late = switched.flatMap((at, index) =>
    seen.slice(0, versions.lastIndexOf(3)).filter(({ version, began }) => began > at + boundMs && version < index + 2),
  );
  expect(late).toEqual([]);
  await done(two, 'site/unpublish', { id: site.id });
  const gone = await Promise.all(visitors.map((visitor) => visitor.get('/')));
  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
}, 60_000);
