import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { specActor, stateOf } from '../../../../test/support/given/given.js';
import { ownText } from '../../../../test/support/given/own-text.js';
import type { FunctionOwner } from '../../../kernel/callers/function-owner.js';
import type { LedFrom } from '../../access/policy/led-from.api.js';
import { formerBaseOf } from './cards/card-base.js';
import { createFunction } from './function.js';
import { accountFunctions, definitionOf, type FunctionEvent, siteFunctions, versionOf } from './function.record.js';
import { updateFunction } from './function-save.js';
import type { FunctionUpdateInput, Saving } from './save-input.js';

const [created] = createFunction({ name: 'Orders', code: 'return 1' }, undefined) as readonly [FunctionEvent];
const ofSite: FunctionOwner = { kind: 'project', projectId: 'prj_1' };
const full: FunctionEvent = { type: 'FunctionPowersGiven', data: { powers: ['service'] } };
const off: Saving = { by: specActor, versions: false, versionId: 'ver_2' };
const on: Saving = { ...off, versions: true };

describe('a save with Full data access', () => {
  const shown: readonly FunctionEvent[] = [
    created,
    { type: 'FunctionDetailsChanged', data: { exposed: true } },
    { type: 'FunctionActivated', data: {} },
    full,
  ];
  const asking = (events: readonly FunctionEvent[], input: FunctionUpdateInput, saving = off) =>
    updateFunction(stateOf(accountFunctions, events), input, saving, ownText);

  test.each<FunctionUpdateInput>([
    { name: 'Other' },
    { description: 'new' },
    { exposed: true },
    { isActive: true },
    { maxRetries: 1 },
    { toolSpec: { inputSchema: {} } },
    { summary: 'new', description: 'new' },
  ])('%j waits, as a whole', (input) => {
    expect(asking([created, full], input)).toMatchObject({ events: [], proposal: { kind: 'function-save' } });
    expect(asking([created, full], input, on).proposal).toBeUndefined();
  });

  test.each<FunctionUpdateInput>([{ isActive: false }, { exposed: false, isActive: false }, { summary: 'new' }])(
    '%j is immediate',
    (input) => {
      const { events, proposal } = asking(shown, input);
      expect([events.length > 0, proposal]).toEqual([true, undefined]);
    },
  );

  test('that removes and changes something waits, as a whole', () => {
    expect(asking(shown, { isActive: false, name: 'Other' }).events).toEqual([]);
  });

  test('a card of an old log has the same base as ever', () => {
    const fn = stateOf(accountFunctions, [created, full]);
    const definition = { code: 'return 2' };
    const { liveVersionId, capabilities, identityMode, secrets } = fn;
    const stood = { definition: definitionOf(fn), liveVersionId, capabilities, identityMode, secrets, draft: null };
    expect(formerBaseOf(fn, 'function-save', { definition })).toBe(hash('sha256', JSON.stringify(stood), 'hex'));
  });
});

describe('a save of a site function with Full data access, with versions on', () => {
  const begun = createFunction({ name: 'Orders', code: 'return 1' }, undefined, 'ver_1', ofSite);
  const asking = (input: FunctionUpdateInput, saving: Saving = on, ...events: readonly FunctionEvent[]) =>
    updateFunction(stateOf(siteFunctions, [...begun, full, ...events]), input, saving, ownText);
  const idle: FunctionEvent = { type: 'FunctionDeactivated', data: {} };
  const draft = { type: 'FunctionDraftSaved', data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 } };

  test.each<[FunctionUpdateInput, object]>([
    [{ name: 'Other' }, { details: { name: 'Other' } }],
    [{ description: 'new' }, { details: { description: 'new' } }],
    [{ exposed: true }, { details: { exposed: true } }],
    [{ isActive: true }, { isActive: true }],
    [
      { summary: 'new', description: 'new', isActive: true },
      { details: { description: 'new', summary: 'new' }, isActive: true },
    ],
  ])('%j waits, as a whole', (sent, input) => {
    expect(asking(sent, on, idle)).toMatchObject({ events: [], proposal: { kind: 'function-save', input } });
  });

  test('waits only for what is live at once: the rest is in the draft', () => {
    const { events, proposal } = asking({ code: 'return 2', description: 'new' });
    expect([events, proposal?.input, proposal?.changes]).toEqual([
      [draft],
      { details: { description: 'new' } },
      [{ path: 'description', from: '', to: 'new' }],
    ]);
  });

  test.each<FunctionUpdateInput>([{ isActive: false }, { summary: 'new' }, { code: 'return 2' }])(
    '%j does not wait',
    (input) => {
      const { events, proposal } = asking(input, { ...on, taking: { undoId: 'undo_1', now: 0 } });
      expect([events.length, proposal]).toEqual([1, undefined]);
    },
  );

  test('that removes and changes something waits, as a whole', () => {
    expect(asking({ isActive: false, name: 'Other' }).events).toEqual([]);
  });

  test('that gives Full data access waits with it, except for the draft', () => {
    const fn = stateOf(siteFunctions, begun);
    const input = { runAs: 'service' as const, seenVersion: versionOf(fn), description: 'new', code: 'return 2' };
    const { events, proposal } = updateFunction(fn, input, on, ownText);
    expect([events, proposal]).toMatchObject([
      [draft],
      { kind: 'function-save', input: { details: { description: 'new' }, powers: ['service'] } },
    ]);
    expect(updateFunction(fn, { ...input, description: '' }, on, ownText)).toMatchObject({
      events: [draft],
      proposal: { kind: 'function-capabilities' },
    });
  });

  test('does not wait for what the save itself takes away', () => {
    const { events, proposal } = asking(
      { runAs: 'member', description: 'new' },
      { ...on, takingPowers: { undoId: 'undo_2', now: 0 } },
    );
    expect([events.map(({ type }) => type), proposal]).toEqual([
      ['FunctionPowersTaken', 'FunctionDetailsChanged'],
      undefined,
    ]);
  });
});

describe('an Undo of a save', () => {
  const definition = { kind: 'list', table: 'posts' };
  const limited = { ...definition, limit: 1 };
  const taking = { taking: { undoId: 'undo_1', now: 0 }, takingPowers: { undoId: 'undo_2', now: 0 } };
  const [liveSaving, draftSaving]: readonly [Saving, Saving] = [
    { ...off, ...taking },
    { ...on, ...taking },
  ];
  const begun = [
    ...createFunction({ name: 'posts', definition, exposed: true }, undefined, 'ver_1', ofSite),
    { type: 'FunctionPowersGiven', data: { powers: ['service', 'email'] } },
  ] as const;
  const saved = (input: FunctionUpdateInput, saving: Saving) => {
    const { events, proposal } = updateFunction(stateOf(siteFunctions, begun), input, saving, ownText);
    const after = stateOf(siteFunctions, [...begun, ...events]);
    const undo = after.undo?.id;
    const back =
      undo === undefined
        ? after
        : stateOf(siteFunctions, [...begun, ...events, { type: 'FunctionUndone', data: { undo } }]);
    return { after, undo, proposal, back };
  };

  test('gives back Full data access beside a draft, which stays', () => {
    const { after, undo, back } = saved({ runAs: 'member', definition: limited }, draftSaving);
    expect([undo, after.capabilities]).toEqual(['undo_2', ['email']]);
    expect(back).toMatchObject({ capabilities: ['service', 'email'], definition, draft: { definition: limited } });
  });

  test.each<[string, FunctionUpdateInput, Saving]>([
    ['a description', { description: 'new' }, draftSaving],
    ['a description', { description: 'new' }, liveSaving],
    ['a definition', { definition: limited }, liveSaving],
    ['access rules', { accessRules: { execute: { type: 'authenticated' } } }, liveSaving],
  ])('never gives back Full data access beside %s that is live, because nobody approved it: %j', (_, more, saving) => {
    const { after, back } = saved({ runAs: 'member', ...more }, saving);
    expect([after.capabilities, back.capabilities]).toEqual([['email'], ['email']]);
  });

  test('gives back the definition that was live before it, also if it takes Full data access away', () => {
    const { after, undo, back } = saved({ runAs: 'member', definition: limited }, liveSaving);
    expect([undo, after.definition, back.definition]).toEqual(['undo_1', limited, definition]);
  });

  test('gives back Full data access beside what waits for approval', () => {
    const led: LedFrom = { guard: 'card', functions: [{ id: 'fn_2', name: 'pay', guard: 'card', rules: [] }] };
    const { undo, proposal, back } = saved({ runAs: 'member', definition: limited }, { ...liveSaving, led });
    expect([undo, proposal?.kind, back.capabilities]).toEqual(['undo_2', 'function-save', ['service', 'email']]);
  });

  test('gives back what it removed beside a draft, which stays', () => {
    const { after, undo, back } = saved({ exposed: false, timeout: 5_000 }, draftSaving);
    expect([undo, after.exposed]).toEqual(['undo_1', false]);
    expect(back).toMatchObject({ exposed: true, timeout: 30_000, draft: { timeout: 5_000 } });
  });
});
