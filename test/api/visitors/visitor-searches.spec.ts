// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const everybody = { type: 'public', scope: 'everywhere' };
/** Searching for this in texts of `a` takes far longer than the time limit of visitors. */
const hostile = `${'a'.repeat(3_999)}b`;

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

async function tableOf(projectId: string, name: string, texts: readonly string[]): Promise<string> {
  const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
  const fields = [{ name: 'text', type: 'longText' }];
  const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name, fields });
  await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: everybody } });
  // A request body has room for four of the longest texts.
  const each = texts.some(({ length }) => length > 1_000) ? 4 : texts.length;
  for (let at = 0; at < texts.length; at += each) {
    await done(app, 'bases/createRows', { tableId, rows: texts.slice(at, at + each).map((text) => ({ text })) });
  }
  return tableId;
}

/** A site with reviews of this length and a data function that searches them. */
async function siteWithReviews(count: number, length: number): Promise<SiteVisitors> {
  const site = await siteVisitors(app);
  const { projectId } = site;
  await tableOf(
    projectId,
    'Reviews',
    Array.from({ length: count }, () => 'a'.repeat(length)),
  );
  await done(app, 'site/createDataFunction', {
    projectId,
    name: 'search',
    definition: {
      kind: 'list',
      table: 'Reviews',
      // The condition is repeated, so that a few rows take as long as many.
      filter: { any: Array.from({ length: 6 }, () => ({ text: { contains: { $param: 'q' } } })) },
      fields: [],
      params: { q: { type: 'string' } },
    },
    accessRules: { execute: everybody },
  });
  return site;
}

describe('searches of visitors that take long', () => {
  it('are aborted or refused, and delay neither members nor short searches of visitors', async () => {
    const [one, two] = [await siteWithReviews(40, 240_000), await siteWithReviews(60, 100)];
    const mine = await tableOf(two.projectId, 'Mine', ['x', 'y', 'z']);
    const many = await tableOf(
      one.projectId,
      'Many',
      Array.from({ length: 120 }, (_, n) => `${n}`),
    );
    let ended = 0;
    const floods = Array.from({ length: 30 }, async () => {
      const reply = await one.post('functions/search', { q: hostile });
      ended += 1;
      return reply;
    });
    for (let n = 0; n < 5; n++) {
      const filter = { text: { contains: 'y' } };
      expect(await done(app, 'bases/listRows', { tableId: mine, filter })).toMatchObject({ total: 1 });
      // More than one page, so that the rows have to be counted.
      expect(await done(app, 'bases/listRows', { tableId: many })).toMatchObject({ total: 120 });
      expect((await two.post('functions/search', { q: 'b' })).body.data).toEqual({ rows: [], total: 0 });
      expect((await app.call('bases/createRow', { tableId: mine, values: { text: 'new' } })).status).toBe(200);
    }
    expect(ended).toBeLessThan(30);
    const replies = await Promise.all(floods);
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['503 row-query-too-long', '503 row-queries-taken']),
    );
    expect(new Set(replies.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['2', '60']));
  }, 120_000);
});
