// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordCategories, recordKind } from '../../../src/kernel/record/record.js';
import { done } from '../../support/people.js';
import { app, type Kind, kinds, startSite } from '../../support/random-commands/changed-kinds.js';
import { liveAnswer } from '../../support/random-commands/live-answers.js';
import type { Thing } from '../../support/random-commands/world.js';

beforeAll(startSite, 60_000);
afterAll(() => app?.close());

const last = async (kind: string, id: string) =>
  (await done(app, 'audit/getHistory', { kind, id, limit: 200 })).events.at(-1);
const asked = new Set<string>();
const undone = async (kind: string, id: string) => {
  const { operation } = await done(app, 'audit/undoChange', { position: (await last(kind, id)).position });
  asked.add(operation);
};

/** The state from the operation if it shows one, otherwise from the audit, without the fields about the last change. */
async function stateOf(kind: string, one: Thing): Promise<object | null> {
  const { position } = await last(kind, one.id);
  const answer = kind === 'workspace' ? undefined : await liveAnswer(app, kind, one);
  const { state } = await done(app, 'audit/getStateAt', { kind, id: one.id, position });
  const { updatedAt: _, version: __, ...rest } = answer ?? state ?? {};
  return answer === null || state === null ? null : rest;
}

const changed = kinds.flatMap((one) =>
  one.changes.map((change, at) => ({ ...one, change, of: `${one.kind}, ${change[0]} ${at}` })),
);
const returning = kinds.flatMap(({ ends, ...one }) =>
  ends === undefined ? [] : [{ ...one, ends, of: `${one.kind}, ${ends[0]}` }],
);
const made = new Map<string, Promise<Thing>>();
/** One record of a kind is enough for all its changes, because each change is undone. */
function shared({ make, of }: Kind & { readonly of: string }): Promise<Thing> {
  const name = kinds.findIndex((kind) => kind.make === make).toString();
  const one = made.get(name) ?? make();
  made.set(name, one);
  expect(of).not.toBe('');
  return one;
}

const endedByUndo = kinds.filter(({ kind }) => !['workspace', 'base', 'table', 'project', 'appUser'].includes(kind));

describe('the creation of each kind that its undo deletes', () => {
  it.each(endedByUndo)('is undone: $kind', async ({ kind, make }) => {
    const thing = await make();
    expect(await stateOf(kind, thing)).not.toBeNull();
    await undone(kind, thing.id);
    expect(await stateOf(kind, thing)).toBeNull();
  });
});

describe('a change of each kind', () => {
  it.each(changed)('is undone, and redone: $of', async (one) => {
    const { kind, change } = one;
    const thing = await shared(one);
    const before = await stateOf(kind, thing);
    await done(app, change[0], change[1](thing));
    const after = await stateOf(kind, thing);
    expect(after).not.toEqual(before);
    await undone(kind, thing.id);
    expect(await stateOf(kind, thing)).toEqual(before);
    await undone(kind, thing.id);
    expect(await stateOf(kind, thing)).toEqual(after);
    await undone(kind, thing.id);
  });
});

// The token and address are destroyed with the record, and the answer does not show new ones.
const shownAgain = (state: object | null) => ({ ...state, token: null, address: null });

describe('the deletion of each kind that can be restored', () => {
  it.each(returning)('is undone under the same id, and the record works: $of', async (one) => {
    const { kind, ends, works } = one;
    const thing = await shared(one);
    const before = await stateOf(kind, thing);
    expect(before).not.toBeNull();
    await done(app, ends[0], ends[1](thing));
    expect(await stateOf(kind, thing)).toBeNull();
    const { position } = await last(kind, thing.id);
    expect(await done(app, 'audit/undoChange', { position })).toMatchObject({ operation: 'audit/undoChange' });
    expect(shownAgain(await stateOf(kind, thing))).toEqual(shownAgain(before));
    await works?.(thing);
  });
});

/** Operations with specs of their own, because they need more preparation. */
const elsewhere = [
  'automations/updateFunction',
  'automations/deleteFunction',
  'automations/rollBackFunction',
  'site/deleteCampaign',
  'site/updateGitPermissions',
  'site/rollBackBackendFunction',
  'site/updateDataFunction',
  'site/setBackendFunctionAccessRules',
  'bases/deleteRow',
  'bases/undoRow',
  'automations/setFunctionSecrets',
  'flows/setFlowSecrets',
  'site/setFunctionSecrets',
  'site/setPageAccessRules',
  // Can only narrow permissions. A person restores what it removed.
  'site/updateAiPermissions',
];

describe('each operation that undoes changes', () => {
  it('is tested above', () => {
    const named = recordCategories().flatMap((category) => {
      const { undoing = '' } = recordKind(category) ?? {};
      if (typeof undoing === 'string') return [];
      const sets = (undoing.sets ?? []).map((setter) => (typeof setter === 'string' ? setter : setter.operation));
      return [...sets, undoing.ends ?? [], undoing.restores ?? []].flat();
    });
    expect(named.filter((operation) => !asked.has(operation) && !elsewhere.includes(operation))).toEqual([]);
  });
});
