import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { done } from '../../support/people.js';
import {
  type Facts,
  file,
  isRefused,
  type Kind,
  reverted,
  type State,
  same,
  updated,
  withFile,
} from '../../support/random-commands/content-model.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const members = { pages: 'page', components: 'component', emailTemplates: 'emailTemplate' } as const;
const operations = { page: 'Page', component: 'Component', emailTemplate: 'EmailTemplate' } as const;
/** Values of a new file for fields that are not sent. */
const defaults: Readonly<Record<Kind, Facts>> = {
  page: { title: null, content: '', isHomePage: false, active: true },
  component: { content: '', isGlobal: false },
  emailTemplate: { subject: null, content: '', variables: [] },
};

const kind = fc.constantFrom<Kind>('page', 'component', 'emailTemplate');
const which = fc.nat(30);
const content = fc.constantFrom('', 'short', 'l'.repeat(3_000));
/** Random fields to send for each kind. The choice is small, so that files compete for names and paths. */
const sent: Readonly<Record<Kind, fc.Arbitrary<Facts>>> = {
  page: fc.oneof(
    fc.record({ path: fc.constantFrom('/a', '/b', '/c', '/') }),
    fc.record({ title: fc.constantFrom('x', 'y', 'z') }),
    fc.record({ content }),
    fc.record({ isHomePage: fc.boolean() }),
    fc.record({ path: fc.constantFrom('/a', '/'), isHomePage: fc.boolean() }),
  ),
  component: fc.oneof(
    fc.record({ name: fc.constantFrom('Hero', 'Card', 'Menu') }),
    fc.record({ content }),
    fc.record({ isGlobal: fc.boolean() }),
  ),
  emailTemplate: fc.oneof(
    fc.record({ slug: fc.constantFrom('welcome', 'goodbye') }),
    fc.record({ subject: fc.constantFrom('Hello', 'Bye') }),
    fc.record({ content }),
    fc.record({ variables: fc.constantFrom([], [{ name: 'name', default: 'you' }]) }),
  ),
};
const created: Readonly<Record<Kind, fc.Arbitrary<Facts>>> = {
  page: fc.record({ path: fc.constantFrom('/a', '/b', '/'), isHomePage: fc.boolean() }),
  component: fc.record({ name: fc.constantFrom('Hero', 'Card', 'Menu'), content }),
  emailTemplate: fc.record({ slug: fc.constantFrom('welcome', 'goodbye'), content }),
};
const step = fc.oneof(
  kind.chain((of) => fc.record({ do: fc.constant('create' as const), kind: fc.constant(of), body: created[of] })),
  kind.chain((of) => fc.record({ do: fc.constant('update' as const), kind: fc.constant(of), which, body: sent[of] })),
  fc.record({ do: fc.constant('active' as const), which, active: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), kind, which }),
  fc.record({ do: fc.constant('restore' as const), which }),
  fc.record({ do: fc.constant('revert' as const), which }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface Past {
  readonly id: string;
  readonly state: State;
}

/** A project that the steps change, and the state that the model expects. */
class Scene {
  state: State = new Map();
  readonly past: Past[] = [];

  constructor(private readonly projectId: string) {}

  async begin(): Promise<void> {
    const id = await this.newest();
    this.state = await this.content(id);
    this.past.push({ id, state: this.state });
  }

  site(operation: string, body: object) {
    return done(app, `site/${operation}`, { projectId: this.projectId, ...body });
  }

  async content(snapshotId: string): Promise<State> {
    const answer = await this.site('getSnapshotContent', { snapshotId });
    const files = Object.entries(members).flatMap(([member, of]) => answer[member].map((one: Facts) => file(of, one)));
    return new Map(files.map((one) => [one.id, one]));
  }

  async take(one: Step): Promise<void> {
    const before = this.state;
    await this.change(one);
    const ids = new Set([...before.keys(), ...this.state.keys()]);
    const isChanged = [...ids].some((id) => !same(before.get(id), this.state.get(id)));
    if (isChanged) this.past.push({ id: await this.newest(), state: this.state });
  }

  private async change(one: Step): Promise<void> {
    if (one.do === 'create') return this.create(one.kind, one.body);
    const nth = one.which % this.past.length;
    const chosen = this.past[nth];
    if (one.do === 'restore' && chosen !== undefined) {
      await this.site('restoreSnapshot', { snapshotId: chosen.id });
      this.state = chosen.state;
    } else if (one.do === 'revert' && chosen !== undefined) {
      const wanted = reverted(this.state, this.past[nth - 1]?.state ?? new Map(), chosen.state);
      const { skipped } = await this.site('revertSnapshotChange', { snapshotId: chosen.id });
      expect(new Set(skipped.map(({ id }: { id: string }) => id))).toEqual(wanted.skipped);
      this.state = wanted.state;
    } else if (one.do === 'active') {
      const page = this.pick('page', one.which);
      if (page === undefined) return;
      await this.site('setPageActive', { pageId: page.id, active: one.active });
      this.state = withFile(this.state, updated(page, { active: one.active }));
    } else if (one.do === 'update') {
      const found = this.pick(one.kind, one.which);
      if (found !== undefined) await this.set(`update${operations[one.kind]}`, updated(found, one.body), one.body);
    } else if (one.do === 'delete') {
      const found = this.pick(one.kind, one.which);
      if (found === undefined) return;
      await done(app, `site/delete${operations[one.kind]}`, { id: found.id });
      this.state = new Map([...this.state].filter(([id]) => id !== found.id));
    }
  }

  private async create(of: Kind, body: Facts): Promise<void> {
    const made = updated({ id: 'new', kind: of, facts: { ...defaults[of], ...body } }, body);
    await this.set(`create${operations[of]}`, made, { name: 'Named', projectId: this.projectId, ...body });
  }

  /** Expects a refusal without changes if another file has the name. */
  private async set(operation: string, next: ReturnType<typeof updated>, body: object): Promise<void> {
    const isTaken = isRefused(this.state, next);
    const answer = await app.call(`site/${operation}`, next.id === 'new' ? body : { id: next.id, ...body });
    expect([operation, answer.status]).toEqual([operation, isTaken ? 409 : 200]);
    if (!isTaken) this.state = withFile(this.state, { ...next, id: answer.body.id });
  }

  private pick(of: Kind, nth: number) {
    const files = [...this.state.values()].filter((one) => one.kind === of).sort((a, b) => (a.id < b.id ? -1 : 1));
    return files[nth % Math.max(1, files.length)];
  }

  private async newest(): Promise<string> {
    return (await this.site('listSnapshots', { limit: 1 })).snapshots[0].id;
  }
}

describe('snapshots', () => {
  it('contain every former state, through any changes, restores and reverts', async () => {
    const projects: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 16 }), async (steps) => {
        // A plan includes few projects, so earlier ones are deleted.
        for (const id of projects.splice(0)) await done(app, 'site/deleteProject', { id });
        const { id } = await done(app, 'site/createProject', { name: 'Model' });
        projects.push(id);
        const scene = new Scene(id);
        await scene.begin();
        for (const one of steps) await scene.take(one);

        const { snapshots } = await scene.site('listSnapshots', { limit: 200 });
        expect(snapshots.map((one: { id: string }) => one.id)).toEqual(scene.past.map((one) => one.id).reverse());
        for (const { id: then, state } of scene.past) expect(await scene.content(then)).toEqual(state);
        for (const noun of ['page', 'component', 'emailTemplate'] as const) {
          const listed: readonly { readonly id: string }[] = await scene.site(`list${operations[noun]}s`, {});
          const wanted = [...scene.state.values()].filter((one) => one.kind === noun);
          expect(new Set(listed.map((one) => one.id))).toEqual(new Set(wanted.map((one) => one.id)));
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
