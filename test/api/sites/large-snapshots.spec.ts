// Second tier.
import { expect, it } from '@jest/globals';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

interface Listed {
  readonly id: string;
}

it('a snapshot that is too large for one answer is divided, with each page once', async () => {
  const app = await sharedApp();
  const { id: projectId } = await done(app, 'site/createProject', { name: 'Snapshots' });
  const most = 2 * 1024 * 1024;
  const wanted = (await done(app, 'site/listPages', { projectId })).map(({ id }: Listed) => id);
  for (let n = 0; n < 9; n += 1) {
    const page = { projectId, name: 'Page', path: `/p${n}`, content: `${n}`.repeat(most) };
    wanted.push((await done(app, 'site/createPage', page)).id);
  }
  const { snapshots } = await done(app, 'site/listSnapshots', { projectId, limit: 1 });
  const about = { projectId, snapshotId: snapshots[0].id };
  const first = await done(app, 'site/getSnapshotContent', about);
  expect(first).toEqual({
    pages: expect.any(Array),
    components: [],
    emailTemplates: [],
    nextCursor: expect.any(String),
  });
  const second = await done(app, 'site/getSnapshotContent', { ...about, cursor: first.nextCursor });
  expect(second.nextCursor).toBeNull();
  expect([...first.pages, ...second.pages].map(({ id }: Listed) => id)).toEqual(wanted);
}, 60_000);
