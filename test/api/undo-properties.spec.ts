import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.js';
import { done } from '../support/people.js';

let app: TestApp;
let projectId: string;
let number = 0;
beforeAll(async () => {
  app = await startApp();
  projectId = (await done(app, 'site/createProject', { name: 'Undo properties' })).id;
}, 60_000);
afterAll(() => app?.close());

// biome-ignore lint/suspicious/noExplicitAny: states of every kind are looked into.
type State = any;
type Step = readonly [operation: string, sent: (id: string, state: State) => object];

interface Kind {
  readonly kind: string;
  make(name: string): Promise<{ readonly id: string }>;
  readonly steps: readonly Step[];
  /** The steps that come first, so that there is something of interest to undo. */
  readonly begins?: readonly number[];
}

const byId = (id: string) => ({ id });
const named = (functionId: string) => ({ projectId, functionId });
const seen = ({ updatedAt: seenUpdatedAt }: State) => ({ seenUpdatedAt });
const former = ({ versions, liveVersionId }: State) =>
  versions?.find(({ id }: State) => id !== liveVersionId)?.id ?? liveVersionId;
const draftOf = ({ draft }: State) => draft?.versionId ?? 'none';
const set =
  (sent: object, who: (id: string) => object = byId) =>
  (id: string) => ({ ...who(id), ...sent });
const save =
  (sent: object, who: (id: string) => object = byId) =>
  (id: string, state: State) => ({ ...who(id), ...seen(state), ...sent });
const settings = (versions: boolean): Step => ['workspace/updateSettings', () => ({ versions })];
const rules = (scope: string) => ({ execute: { type: 'public', scope } });
const made = (operation: string, sent: (name: string) => object) => (name: string) => done(app, operation, sent(name));
const inProject = (more: object) => (name: string) => ({ projectId, name, ...more });

const kinds: readonly Kind[] = [
  {
    kind: 'function',
    begins: [9, 0, 5],
    make: made('automations/createFunction', (name) => ({ name, code: 'return 1' })),
    steps: [
      ['automations/updateFunction', save({ code: 'return 2' })],
      ['automations/updateFunction', save({ code: 'return 3', timeout: 5_000 })],
      ['automations/updateFunction', save({ description: 'said' })],
      ['automations/updateFunction', save({ isActive: true })],
      ['automations/updateFunction', save({ isActive: false, summary: 'short' })],
      ['automations/publishFunction', (id, state) => ({ id, versionId: draftOf(state) })],
      ['automations/publishFunction', (id, state) => ({ id, versionId: draftOf(state) })],
      ['automations/rollBackFunction', (id, state) => ({ id, versionId: former(state) })],
      settings(false),
      settings(true),
    ],
  },
  {
    kind: 'siteFunction',
    begins: [9, 0, 4],
    make: made('site/createBackendFunction', (name) => ({
      projectId,
      name: name.replaceAll(' ', '_'),
      code: 'return 1',
    })),
    steps: [
      ['site/updateBackendFunction', save({ code: 'return 2' }, named)],
      ['site/updateBackendFunction', save({ accessRules: rules('site') }, named)],
      ['site/updateBackendFunction', save({ exposed: true }, named)],
      ['site/updateBackendFunction', save({ isActive: false }, named)],
      ['site/publishBackendFunction', (id, state) => ({ ...named(id), versionId: draftOf(state) })],
      ['site/publishBackendFunction', (id, state) => ({ ...named(id), versionId: draftOf(state) })],
      ['site/setBackendFunctionAccessRules', (functionId) => ({ functionId, accessRules: rules('everywhere') })],
      ['site/setBackendFunctionAccessRules', (functionId) => ({ functionId, accessRules: { execute: null } })],
      settings(false),
      settings(true),
    ],
  },
  {
    kind: 'flow',
    make: made('flows/createFlow', (name) => ({ name, steps: [] })),
    steps: [
      ['flows/updateFlow', set({ description: 'said' })],
      ['flows/updateFlow', set({ description: 'more', isActive: true })],
      ['flows/updateFlow', set({ isActive: false })],
      ['flows/updateFlow', set({ steps: [{ id: 'pause', kind: 'wait', settings: { seconds: 0 } }] })],
    ],
  },
  {
    kind: 'page',
    make: (name) =>
      done(app, 'site/createPage', { projectId, name, path: `/${number}`, content: 'export default () => <p>a</p>;' }),
    steps: [
      ['site/updatePage', set({ sortOrder: 4 })],
      ['site/updatePage', set({ sortOrder: 5, content: 'export default () => <p>b</p>;' })],
      ['site/setPageActive', (pageId) => ({ projectId, pageId, active: false })],
      ['site/setPageActive', (pageId) => ({ projectId, pageId, active: true })],
      ['site/setPageAccessRules', (pageId) => ({ pageId, accessRules: { read: { type: 'authenticated' } } })],
    ],
  },
  {
    kind: 'project',
    make: made('site/createProject', (name) => ({ name })),
    steps: [
      ['site/updateProject', set({ description: 'said', color: '#a0b0c0' })],
      ['site/updateProject', set({ description: 'more' })],
      ['site/updateProjectAuth', set({ authEnabled: true, authSessionHours: 4 })],
      ['site/updateProjectAuth', set({ authPaths: { login: '/in' } })],
      ['site/updateProjectAuth', set({ authPaths: { login: '/come', signup: '/up' } })],
    ],
  },
  {
    kind: 'agent',
    make: made('workspace/addAgent', (name) => ({ name, instructions: 'Help.' })),
    steps: [
      ['workspace/updateAgent', set({ instructions: 'Look.' })],
      ['workspace/updateAgent', set({ isActive: false, canCreateFunctions: true })],
      ['workspace/updateAgent', set({ isActive: true, instructions: 'Go.' })],
    ],
  },
  {
    kind: 'siteRole',
    make: made('site/createProjectRole', inProject({})),
    steps: [
      ['site/updateProjectRole', (roleId) => ({ roleId, color: '#445566' })],
      ['site/updateProjectRole', (roleId) => ({ roleId, color: '#112233', description: 'said' })],
    ],
  },
  {
    kind: 'emailTemplate',
    make: (name) =>
      done(app, 'site/createEmailTemplate', {
        projectId,
        name,
        slug: `s${number}`,
        subject: 'About',
        content: '<p>a</p>',
      }),
    steps: [
      ['site/updateEmailTemplate', set({ subject: 'Other' })],
      ['site/updateEmailTemplate', set({ subject: 'Third', content: '<p>b</p>' })],
      ['site/editEmailTemplate', set({ oldString: '<p>', newString: '<p> more' })],
    ],
  },
  {
    kind: 'workspace',
    make: async () => ({ id: (await done(app, 'workspace/getWorkspace')).id }),
    steps: [
      ['workspace/updateWorkspace', () => ({ name: 'One' })],
      ['workspace/updateWorkspace', () => ({ name: 'Two' })],
      ['workspace/updateSettings', () => ({ runsTab: false })],
      ['workspace/updateSettings', () => ({ runsTab: true, functionLogs: false })],
    ],
  },
];

/** Fields that every event changes, or that are computed from other fields. */
const beside = ['updatedAt', 'version', 'versions'];
const eventsOf = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events as readonly State[];
const stateAt = async (kind: string, id: string, position: number): Promise<State> =>
  (await done(app, 'audit/getStateAt', { kind, id, position })).state ?? {};

/** Field by field, as an undo promises it: what the event touched is as before, and the rest as it just was. */
function expected(event: State, before: State, after: State, prior: State, now: State) {
  // A roll back opens no draft again; a save with versions off makes a version of its own.
  const own = event.type === 'FunctionPublished' ? ['draft'] : [];
  const isSaved = now.liveVersionId !== before.liveVersionId && isDeepStrictEqual(now.code, before.code);
  const left = [...beside, ...own, ...(isSaved ? ['liveVersionId'] : [])];
  const fields = [...new Set([...Object.keys(prior), ...Object.keys(before)])].filter((name) => !left.includes(name));
  return Object.fromEntries(fields.map((name) => [name, membersOf(before[name], after[name], prior[name])]));
}

/** Settings and the like are set member by member. */
function membersOf(before: State, after: State, prior: State): State {
  if (isDeepStrictEqual(before, after)) return prior;
  const isSettings = [before, after, prior].every(
    (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
  if (!isSettings) return before;
  const names = [...new Set([...Object.keys(before), ...Object.keys(prior)])];
  const members = names.map((name) => [name, membersOf(before[name], after[name], prior[name])]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

describe('after an undo', () => {
  it.each(kinds)(
    'what the change touched is as before it, and nothing else has moved: $kind',
    async (one) => {
      const { kind, make, steps, begins = [] } = one;
      let undone = 0;
      const chosen = fc.array(fc.nat(steps.length - 1), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(chosen, fc.nat(), async (order, pick) => {
          number += 1;
          const { id } = await make(`Undo ${kind} ${number}`);
          const first = (await eventsOf(kind, id)).length;
          for (const [operation, sent] of [...begins, ...order].map((at) => steps[at] as Step)) {
            const { position } = (await eventsOf(kind, id)).at(-1);
            const { status } = await app.call(operation, sent(id, await live(kind, id, position)));
            expect([operation, status < 500]).toEqual([operation, true]);
          }
          const events = await eventsOf(kind, id);
          const changes = events.slice(first);
          const event = changes[pick % Math.max(changes.length, 1)];
          if (event === undefined) return;
          const at = (position: number) => stateAt(kind, id, position);
          const { position: last } = events.at(-1);
          const [before, after, prior] = [await at(event.position - 1), await at(event.position), await at(last)];
          const { status, body } = await app.call('audit/undoChange', { position: event.position });
          const { position: end } = (await eventsOf(kind, id)).at(-1);
          const now = await at(end);
          if (status === 409) return expect([body.code, now]).toEqual([expect.stringMatching(/^undo-/), prior]);
          expect([status, body.detail]).toEqual([200, undefined]);
          undone += 1;
          const wanted = expected(event, before, after, prior, now);
          const held = Object.fromEntries(Object.keys(wanted).map((name) => [name, now[name]]));
          expect({ event: event.type, ...held }).toEqual({ event: event.type, ...wanted });
        }),
        { numRuns: 25, endOnFailure: true },
      );
      expect(undone).toBeGreaterThan(4);
    },
    120_000,
  );
});

/** With the versions that only the kind's own operation lists. */
async function live(kind: string, id: string, position: number): Promise<State> {
  const state = await stateAt(kind, id, position);
  if (kind !== 'function') return state;
  const { versions } = await done(app, 'automations/listFunctionVersions', { functionId: id });
  return { ...state, versions };
}
