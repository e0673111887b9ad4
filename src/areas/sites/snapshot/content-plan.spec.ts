import { describe, expect, it } from '@jest/globals';
import type { Page } from '../page/page.record.js';
import { contentKinds } from './content-kinds.api.js';
import { changesNothing, eventsOf, type PlannedChange, takenBy, undone } from './content-plan.api.js';

const [kind] = contentKinds;
if (kind === undefined) throw new Error('Pages are content.');
const page = (facts: Partial<Page> = {}) =>
  ({
    id: 'page_1',
    workspaceId: 'ws_1',
    projectId: 'proj_1',
    name: 'Page',
    path: '/a',
    content: '',
    active: true,
    isHomePage: false,
    createdAt: '2030',
    updatedAt: '2030',
    ...facts,
  }) as Page;
const planned = (now: Page | undefined, to: Page | undefined): PlannedChange => ({
  kind,
  workspaceId: 'ws_1',
  id: 'page_1',
  now,
  to,
});

describe('a planned change', () => {
  it('records differences, except for dates', () => {
    const change = planned(page({ updatedAt: '2031' }), page({ path: '/b' }));
    expect(eventsOf(change, 'Said')).toEqual([
      { type: 'PageUpdated', data: { projectId: 'proj_1', path: '/b', message: 'Said' } },
    ]);
    expect(changesNothing(planned(page({ updatedAt: '2031' }), page()))).toBe(true);
    expect(changesNothing(planned(undefined, undefined))).toBe(true);
  });

  it('deletes, and creates again with all facts', () => {
    expect(eventsOf(planned(page(), undefined), 'Said')).toEqual([
      { type: 'PageDeleted', data: { projectId: 'proj_1', message: 'Said' } },
    ]);
    const { id, workspaceId, createdAt, updatedAt, ...facts } = page();
    expect(eventsOf(planned(undefined, page()), 'Said')).toEqual([
      { type: 'PageCreated', data: { ...facts, message: 'Said' } },
    ]);
  });

  it('takes only places that the record does not have already', () => {
    const taken = (now: Page | undefined, to: Page | undefined) => takenBy(planned(now, to)).map(({ name }) => name);
    expect(taken(undefined, page({ isHomePage: true }))).toEqual(['proj_1 /a', 'proj_1']);
    expect(taken(page(), page({ content: 'x' }))).toEqual([]);
    expect(taken(page(), page({ path: '/b' }))).toEqual(['proj_1 /b']);
    expect(taken(page({ active: false }), page())).toEqual(['proj_1 /a']);
    expect(taken(page(), page({ active: false }))).toEqual([]);
    expect(taken(page(), undefined)).toEqual([]);
  });
});

describe('a change can be undone', () => {
  const [one, two, three] = [page({ content: '1' }), page({ content: '2' }), page({ content: '3' })];

  it('while its result is unchanged', () => {
    expect(undone({ ...two, name: 'Later' } as Page, { before: one, after: two })).toEqual({ ...one, name: 'Later' });
    expect(undone(one, { before: undefined, after: one })).toBeUndefined();
    expect(undone(undefined, { before: one, after: undefined })).toEqual(one);
  });

  it('not if its result was changed again, or the record was created or deleted', () => {
    expect(undone(three, { before: one, after: two })).toBe('edited-later');
    expect(undone(two, { before: undefined, after: one })).toBe('edited-later');
    expect(undone(undefined, { before: one, after: two })).toBe('edited-later');
    expect(undone(two, { before: one, after: undefined })).toBe('edited-later');
  });

  it('not a second time', () => {
    expect(undone(one, { before: one, after: two })).toBe('already-reverted');
    expect(undone(undefined, { before: undefined, after: one })).toBe('already-reverted');
    expect(undone(one, { before: one, after: undefined })).toBe('already-reverted');
  });
});
