import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { given, specActor, stateOf } from '../../../../test/support/given/given.js';
import { ownText } from '../../../../test/support/given/own-text.js';
import type { FunctionOwner } from '../../../kernel/callers/function-owner.js';
import type { LedFrom } from '../../access/policy/led-from.api.js';
import { formerBaseOf } from './cards/card-base.js';
import { createFunction, wholeGrants } from './function.js';
import {
  accountFunctions,
  definitionOf,
  type FunctionDocument,
  type FunctionEvent,
  siteFunctions,
  versionOf,
} from './function.record.js';
import { updateFunction } from './function-save.js';
import type { FunctionUpdateInput, Saving } from './save-input.js';

const [created] = createFunction({ name: 'Orders', code: 'return 1' }, undefined) as readonly [FunctionEvent];
const ofSite: FunctionOwner = { kind: 'project', projectId: 'prj_1' };
const full: FunctionEvent = { type: 'FunctionPowersGiven', data: { powers: ['service'] } };
const off: Saving = { by: specActor, versions: false, versionId: 'ver_2' };
const on: Saving = { ...off, versions: true };
const agent: Saving = { ...off, by: { kind: 'agent', id: 'agent_1', name: 'Bo' }, own: wholeGrants({}) };
const saved = (data: object, linesChanged = 0) => ({
  type: 'FunctionDefinitionChanged',
  data: { ...data, versionId: 'ver_2', linesChanged },
});

const save = (fn: FunctionDocument, input: FunctionUpdateInput, saving: Saving) =>
  updateFunction(fn, input, saving, ownText).events;

describe('things that other machines may not change', () => {
  const automation: Saving = { ...off, by: { kind: 'automation', id: 'key_1', name: 'CI' } };
  const active: FunctionEvent = { type: 'FunctionActivated', data: {} };
  const powerful: FunctionEvent = { type: 'FunctionPowersGiven', data: { powers: ['email'] } };
  const { updatedAt } = stateOf(accountFunctions, [created, powerful]);
  const code = { code: 'return 2', seenUpdatedAt: updatedAt };

  test.each(['agent', 'automation', 'flow', 'function'] as const)('%s: the name of an active function', (kind) => {
    const by: Saving = { ...agent, by: { ...agent.by, kind } };
    const refused = kind === 'agent' ? 'agent-may-not-change' : 'automation-may-not-change';
    given(accountFunctions, [created, active]).when(save, { name: 'Other' }, by).refuses(refused);
    given(accountFunctions, [created])
      .when(save, { name: 'Other' }, by)
      .emits({ type: 'FunctionDetailsChanged', data: { name: 'Other' } });
  });

  test('the code of a function that holds something, if it would be live at once', () => {
    given(accountFunctions, [created, powerful]).when(save, code, automation).refuses('automation-may-not-change');
    given(accountFunctions, [created, powerful])
      .when(save, code, { ...automation, versions: true })
      .emits({ type: 'FunctionDraftSaved', data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 } });
    given(accountFunctions, [created, powerful])
      .when(save, code, { ...automation, by: { ...automation.by, kind: 'connection' } })
      .emits(saved({ code: 'return 2' }, 1));
  });

  describe('running code', () => {
    const grants = wholeGrants({ bases: [{ projectId: 'prj_1' }], databaseIds: ['base_1'] });
    const having = (granted: object) => ({ ...created, data: { ...created.data, grants: granted } }) as FunctionEvent;
    const wider = having(grants);
    const { updatedAt: seenUpdatedAt } = stateOf(accountFunctions, [wider]);
    const running = (own: Saving['own'], saving: Saving = off): Saving => {
      return { ...saving, by: { kind: 'function', id: 'fn_2', name: 'Maker' }, own };
    };
    const less = { ...grants, bases: [{ projectId: 'prj_1', access: 'read' as const }] };

    test.each<FunctionUpdateInput>([
      { code: 'return 2', seenUpdatedAt },
      { grants: {}, seenUpdatedAt },
      { accessRules: { runBy: { pages: false, functions: [], agents: [] } }, seenUpdatedAt },
      { timeout: 2_000 },
      { isActive: true },
    ])('with less access than a function cannot save %j if it would be live at once', (input) => {
      for (const own of [wholeGrants({}), less, undefined]) {
        given(accountFunctions, [wider]).when(save, input, running(own)).refuses('automation-may-not-change');
      }
      expect(stateOf(accountFunctions, [wider]).grants).toEqual(grants);
      expect(save(stateOf(accountFunctions, [wider]), input, running(grants))).toHaveLength(1);
    });

    test('can save drafts of it, describe it and deactivate it, but never activate it', () => {
      const saving = running(less, on);
      given(accountFunctions, [wider])
        .when(save, { timeout: 2_000, description: 'x' }, saving)
        .emits(
          { type: 'FunctionDraftSaved', data: { timeout: 2_000, versionId: 'ver_2', linesChanged: 0 } },
          { type: 'FunctionDetailsChanged', data: { description: 'x' } },
        );
      given(accountFunctions, [wider, active])
        .when(save, { isActive: false }, running(less))
        .emits({ type: 'FunctionDeactivated', data: {} });
      given(accountFunctions, [wider]).when(save, { isActive: true }, saving).refuses('automation-may-not-change');
    });

    test('can ask for what waits for a card, and for nothing else', () => {
      const saving = running(less, { ...off, codeCards: 'all' });
      const asking = (events: readonly FunctionEvent[], input: FunctionUpdateInput) =>
        updateFunction(stateOf(accountFunctions, events), input, saving, ownText);
      const card = { events: [], proposal: { kind: 'function-save' } };
      expect(asking([wider], { code: 'return 2', isActive: true, seenUpdatedAt })).toMatchObject(card);
      expect(asking([wider, full], { isActive: true })).toMatchObject(card);
      given(accountFunctions, [wider]).when(save, { isActive: true }, saving).refuses('automation-may-not-change');
    });

    test('activates no function with a tool that it lacks', () => {
      const tools = wholeGrants({ serviceTools: ['automations_listFunctions'] });
      const activation = given(accountFunctions, [having(tools)]);
      activation.when(save, { isActive: true }, running(less, on)).refuses('automation-may-not-change');
      activation.when(save, { isActive: true }, running(tools, on)).emits(active);
    });
  });

  test('with Full data access the save waits instead', () => {
    const outcome = updateFunction(
      stateOf(accountFunctions, [created, full]),
      { ...code, description: 'new' },
      automation,
      ownText,
    );
    expect(outcome).toMatchObject({
      events: [],
      proposal: { kind: 'function-save', input: { definition: { code: 'return 2' }, details: { description: 'new' } } },
    });
  });

  test('a save that takes Full data access away is limited like any other', () => {
    const both = [created, powerful, full];
    const taking: Saving = { ...automation, takingPowers: { undoId: 'undo_1', now: 0 } };
    const less = save(stateOf(accountFunctions, both), { runAs: 'member' }, taking);
    expect(less).toMatchObject([{ type: 'FunctionPowersTaken', data: { powers: ['service'] } }]);
    const seen = { seenUpdatedAt: stateOf(accountFunctions, both).updatedAt, runAs: 'member' } as const;
    given(accountFunctions, both)
      .when(save, { code: 'return 2', ...seen }, taking)
      .refuses('automation-may-not-change');
    const ofOthers = createFunction({ name: 'Orders', code: 'return 1' }, undefined, 'ver_1', ofSite);
    const open: FunctionUpdateInput = { accessRules: { execute: { type: 'public', scope: 'everywhere' } } };
    const wider = given(siteFunctions, [...ofOthers, full]).when(save, { ...open, runAs: 'member' }, taking);
    wider.refuses('automation-may-not-change');
  });
});

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
