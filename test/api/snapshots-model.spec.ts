import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.js';
import { runs } from '../support/depth.js';
import { done } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** What the model knows of a page. */
interface Page {
  readonly id: string;
  readonly path: string;
  readonly title: string | null;
  readonly content: string;
  readonly isHomePage: boolean;
  readonly active: boolean;
}
type Fact = Exclude<keyof Page, 'id'>;
type State = ReadonlyMap<string, Page>;

const facts: readonly Fact[] = ['path', 'title', 'content', 'isHomePage', 'active'];
const same = (one: Page | undefined, other: Page | undefined) =>
  one === undefined || other === undefined ? one === other : facts.every((fact) => one[fact] === other[fact]);

/** The state with one page set: it takes its path and the home page from the others, where it did not have them. */
function withPage(state: State, page: Page): State {
  const before = state.get(page.id);
  const movedHere = page.active && !(before?.active && before.path === page.path);
  const isNewHome = page.isHomePage && before?.isHomePage !== true;
  const others = [...state.values()].map((other) => ({
    ...other,
    active: other.active && !(movedHere && other.path === page.path),
    isHomePage: other.isHomePage && !isNewHome,
  }));
  return new Map([...others, page].map((one) => [one.id, one]));
}

/** Undoes what led from one state to the next, page by page; a page whose place is another's by now is left out. */
function reverted(now: State, before: State, after: State): { readonly state: State; readonly skipped: Set<string> } {
  const files = [...new Set([...before.keys(), ...after.keys()])].filter((id) => !same(before.get(id), after.get(id)));
  const skipped = new Set<string>();
  for (;;) {
    const next = new Map(now);
    for (const id of files.filter((one) => !skipped.has(one))) {
      const [was, given, is] = [before.get(id), after.get(id), now.get(id)];
      if (was === undefined || given === undefined || is === undefined) {
        if (!same(is, given)) skipped.add(id);
        else if (was === undefined) next.delete(id);
        else next.set(id, was);
        continue;
      }
      const changed = facts.filter((fact) => was[fact] !== given[fact]);
      if (changed.some((fact) => is[fact] !== given[fact])) skipped.add(id);
      else next.set(id, { ...is, ...Object.fromEntries(changed.map((fact) => [fact, was[fact]])) });
    }
    const planned = (id: string) => files.includes(id) && !skipped.has(id);
    const displacing = [...next.values()].filter((page) => {
      const is = now.get(page.id);
      const takesPath = page.active && !(is?.active && is.path === page.path);
      const takesHome = page.isHomePage && !is?.isHomePage;
      return [...now.values()].some(
        (other) =>
          other.id !== page.id &&
          !planned(other.id) &&
          ((takesPath && other.active && other.path === page.path) || (takesHome && other.isHomePage)),
      );
    });
    if (displacing.length === 0) return { state: next, skipped };
    for (const { id } of displacing) skipped.add(id);
  }
}

const paths = ['/a', '/b', '/c'] as const;
const which = fc.nat(30);
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), path: fc.constantFrom(...paths), isHomePage: fc.boolean() }),
  fc.record({ do: fc.constant('title' as const), which, title: fc.constantFrom('x', 'y', 'z') }),
  fc.record({ do: fc.constant('content' as const), which, content: fc.constantFrom('', 'short', 'l'.repeat(3_000)) }),
  fc.record({ do: fc.constant('path' as const), which, path: fc.constantFrom(...paths) }),
  fc.record({ do: fc.constant('home' as const), which }),
  fc.record({ do: fc.constant('active' as const), which, active: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), which }),
  fc.record({ do: fc.constant('restore' as const), which }),
  fc.record({ do: fc.constant('revert' as const), which }),
);

describe('snapshots', () => {
  it('are of every state there was, through any changes, restores and reverts', async () => {
    const projects: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        // A plan includes few projects.
        for (const id of projects.splice(0)) await done(app, 'site/deleteProject', { id });
        const { id: projectId } = await done(app, 'site/createProject', { name: 'Model' });
        projects.push(projectId);
        const site = (operation: string, body: object) => done(app, `site/${operation}`, { projectId, ...body });
        const update = (id: string, body: object) => done(app, 'site/updatePage', { id, ...body });
        const factsOf = (page: Page): Page =>
          Object.fromEntries(['id', ...facts].map((name) => [name, page[name as Fact]])) as unknown as Page;
        const read = async (snapshotId: string): Promise<State> => {
          const { pages } = await site('getSnapshotContent', { snapshotId });
          return new Map(pages.map((page: Page) => [page.id, factsOf(page)]));
        };
        const newest = async (): Promise<string> => (await site('listSnapshots', { limit: 1 })).snapshots[0].id;
        const first = await newest();
        const past: { readonly id: string; readonly state: State }[] = [{ id: first, state: await read(first) }];
        let state: State = past[0]?.state ?? new Map();

        for (const one of steps) {
          const before = state;
          const pages = [...state.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
          const page = 'which' in one ? pages[one.which % Math.max(1, pages.length)] : undefined;
          const nth = 'which' in one ? one.which % past.length : 0;
          const chosen = past[nth];
          const change = async (body: Partial<Page>) => {
            if (page === undefined) return;
            await update(page.id, body);
            const path = body.isHomePage === true ? '/' : (body.path ?? page.path);
            state = withPage(state, { ...page, ...body, path });
          };
          if (one.do === 'create') {
            const { path, isHomePage } = one;
            const { id } = await site('createPage', { name: 'Page', path, isHomePage });
            const made = { id, title: null, content: '', isHomePage, active: true };
            state = withPage(state, { ...made, path: isHomePage ? '/' : path });
          } else if (one.do === 'title') await change({ title: one.title });
          else if (one.do === 'content') await change({ content: one.content });
          else if (one.do === 'path') await change({ path: one.path });
          else if (one.do === 'home') await change({ isHomePage: true });
          else if (one.do === 'active' && page !== undefined) {
            await site('setPageActive', { pageId: page.id, active: one.active });
            state = withPage(state, { ...page, active: one.active });
          } else if (one.do === 'delete' && page !== undefined) {
            await done(app, 'site/deletePage', { id: page.id });
            state = new Map([...state].filter(([id]) => id !== page.id));
          } else if (one.do === 'restore' && chosen !== undefined) {
            await site('restoreSnapshot', { snapshotId: chosen.id });
            state = chosen.state;
          } else if (one.do === 'revert' && chosen !== undefined) {
            const { skipped } = await site('revertSnapshotChange', { snapshotId: chosen.id });
            const wanted = reverted(state, past[nth - 1]?.state ?? new Map(), chosen.state);
            expect(new Set(skipped.map(({ id }: Page) => id))).toEqual(wanted.skipped);
            state = wanted.state;
          }
          const isChanged = [...new Set([...before.keys(), ...state.keys()])].some(
            (id) => !same(before.get(id), state.get(id)),
          );
          if (isChanged) past.push({ id: await newest(), state });
        }

        const { snapshots } = await site('listSnapshots', { limit: 200 });
        expect(snapshots.map(({ id }: Page) => id)).toEqual(past.map(({ id }) => id).reverse());
        for (const { id, state: then } of past) expect(await read(id)).toEqual(then);
        const listed: readonly Page[] = await site('listPages', {});
        expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(state.keys()));
      }),
      { numRuns: runs(100) },
    );
  });
});
