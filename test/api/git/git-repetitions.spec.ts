// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import type { TestApp } from '../../support/app.js';
import { GitSite } from '../../support/git/git-site.js';
import { done, eventsOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let shop: GitSite;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  shop = await GitSite.of(app);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Sends a call whose answer is not stored, as if the process were killed. Returns the answer to its repetition. */
async function repeated(operation: string, body: object = {}, meanwhile: () => Promise<unknown> = async () => {}) {
  const send = () =>
    app.call(`site/git${operation}`, { projectId: shop.projectId, ...body }, undefined, {
      'idempotency-key': `${operation} of ${shop.projectId}`,
    });
  jest
    .spyOn(app.app.get(IdempotencyStore, { strict: false }), 'settle')
    .mockRejectedValueOnce(new Error('The process was killed.'));
  expect((await send()).status).toBe(500);
  await meanwhile();
  const { status, body: answer } = await send();
  expect([status, answer.detail]).toEqual([200, undefined]);
  expect((await send()).body).toEqual(answer);
  return answer;
}
const recorded = async (type: string) =>
  (await eventsOf(app, { types: [type] })).filter(({ stream }) => stream.endsWith(shop.projectId));
const commits = async () => (await shop.git('ListCommits')).commits.map(({ sha }: { sha: string }) => sha);

describe('the repetition of', () => {
  it.each([
    ['at once', async () => {}],
    ['after an edit', () => shop.page('/later', 'later')],
    ['after another commit', async () => [await shop.page('/later', 'later'), await shop.commit()]],
  ])('gitCommit %s answers the commit that was recorded', async (_, meanwhile) => {
    const { sha } = await repeated('Commit', { message: 'Once' }, meanwhile);
    expect(await commits()).toContain(sha);
    expect((await recorded('GitCommitted'))[0]?.data).toMatchObject({ sha, message: 'Once' });
  });

  it('gitCreateBranch answers the branch, also after another commit', async () => {
    const sha = await shop.commit();
    const later = async () => [await shop.page('/later', 'later'), await shop.commit()];
    expect(await repeated('CreateBranch', { name: 'next' }, later)).toEqual({ branch: 'next', sha });
  });

  it('gitRollback answers the commit that was recorded', async () => {
    const id = await shop.page('/a', 'one');
    const first = await shop.commit();
    await shop.change(id, { content: 'two' });
    await shop.commit();
    const { sha } = await repeated('Rollback', { sha: first });
    expect((await commits())[0]).toBe(sha);
    expect(await commits()).toHaveLength(3);
  });

  it('gitMerge answers the commit that was recorded, also after another commit', async () => {
    const { a, b } = await shop.branched();
    await shop.change(a, { content: 'next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(b, { content: 'main' });
    await shop.commit();
    const later = async () => [await shop.page('/later', 'later'), await shop.commit()];
    const { sha } = await repeated('Merge', { from: 'next', to: 'main' }, later);
    expect((await commits())[1]).toBe(sha);
  });

  it('gitSwitchBranch answers the snapshot with the discarded edits, and switches once', async () => {
    const id = await shop.page('/a', 'main');
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    await shop.change(id, { content: 'edited' });
    await done(app, 'site/updateProject', { id: shop.projectId, description: 'Edited' });
    const { snapshotId } = await repeated('SwitchBranch', { name: 'next', discardLocalChanges: true }, () =>
      shop.git('SwitchBranch', { name: 'main' }),
    );
    expect((await shop.git('ListBranches')).current).toBe('main');
    await shop.site('restoreSnapshot', { snapshotId });
    expect(await shop.textAt('/a')).toBe('edited');
    expect((await done(app, 'site/getProject', { id: shop.projectId })).description).toBe('Edited');
    expect(await recorded('SnapshotSaved')).toHaveLength(1);
  });
});
