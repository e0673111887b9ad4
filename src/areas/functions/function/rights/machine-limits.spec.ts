import { describe, expect, test } from '@jest/globals';
import { given, specActor, stateOf } from '../../../../../test/support/given/given.js';
import { ownText } from '../../../../../test/support/given/own-text.js';
import { createFunction, wholeGrants } from '../function.js';
import { accountFunctions, type FunctionDocument, type FunctionEvent, siteFunctions } from '../function.record.js';
import { updateFunction } from '../function-save.js';
import type { FunctionUpdateInput, Saving } from '../save-input.js';

const [created] = createFunction({ name: 'Orders', code: 'return 1' }, undefined) as readonly [FunctionEvent];
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
      const left = given(accountFunctions, [wider, full]);
      left.when(save, { isActive: true, runAs: 'member' }, saving).refuses('automation-may-not-change');
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
    const ofOthers = createFunction({ name: 'Orders', code: 'return 1' }, undefined, 'ver_1', {
      kind: 'project',
      projectId: 'prj_1',
    });
    const open: FunctionUpdateInput = { accessRules: { execute: { type: 'public', scope: 'everywhere' } } };
    const wider = given(siteFunctions, [...ofOthers, full]).when(save, { ...open, runAs: 'member' }, taking);
    wider.refuses('automation-may-not-change');
  });
});
