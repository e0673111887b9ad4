import { describe, expect, test } from '@jest/globals';
import { given, specActor, specAt, stateOf } from '../../../../test/support/given/given.js';
import { ownText } from '../../../../test/support/given/own-text.js';
import { createFunction, deleteFunction } from './function.js';
import { accountFunctions, type FunctionDocument, type FunctionEvent } from './function.record.js';
import { updateFunction } from './function-save.js';
import type { FunctionUpdateInput, Saving } from './save-input.js';

const grants = { bases: [], databaseIds: [], connections: [], serviceTools: [] };
const facts = {
  name: 'Orders',
  description: '',
  summary: '',
  exposed: false,
  code: 'return 1',
  grants,
  accessRules: { execute: null, runBy: null },
  toolSpec: null,
  timeout: 30_000,
  maxRetries: 0,
};
const created: FunctionEvent = { type: 'FunctionCreated', data: facts };
const seenUpdatedAt = specAt;

const off: Saving = { by: specActor, versions: false, versionId: 'ver_2' };
const on: Saving = { ...off, versions: true };
const agent: Saving = { ...off, by: { kind: 'agent', id: 'agent_1', name: 'Bo' }, own: grants };
const saved = (data: object, linesChanged = 0) => ({
  type: 'FunctionDefinitionChanged',
  data: { ...data, versionId: 'ver_2', linesChanged },
});

const save = (fn: FunctionDocument, input: FunctionUpdateInput, saving: Saving) =>
  updateFunction(fn, input, saving, ownText).events;

describe('creating a function', () => {
  test('sets the defaults of the contract', () => {
    given().when(createFunction, { name: 'Orders', code: 'return 1' }, undefined).emits(created);
  });

  test('begins inactive', () => {
    expect(stateOf(accountFunctions, [created]).isActive).toBe(false);
  });

  test('saves bases without access as read and write, and no powers', () => {
    const sent = {
      name: 'Orders',
      code: 'return 1',
      grants: { bases: [{ projectId: 'p' }], capabilities: ['service'] },
    };
    given()
      .when(createFunction, sent, undefined)
      .emits({
        type: 'FunctionCreated',
        data: { ...facts, grants: { ...grants, bases: [{ projectId: 'p', access: 'write' }] } },
      });
  });

  test('gives a function made by an agent the grants of the agent, whatever was sent', () => {
    const ofAgent = { ...grants, serviceTools: ['agents_own'] };
    given()
      .when(createFunction, { name: 'Orders', code: 'return 1', grants: { serviceTools: ['others'] } }, ofAgent)
      .emits({ type: 'FunctionCreated', data: { ...facts, grants: ofAgent } });
  });

  test('refuses import, with the line', () => {
    given().when(createFunction, { name: 'x', code: '\nimport "fs"' }, undefined).refuses('code-import', { line: 2 });
  });

  test('refuses code that does not parse, with the line', () => {
    given().when(createFunction, { name: 'x', code: 'a b' }, undefined).refuses('code-invalid', { line: 1 });
  });

  test('refuses more than 256 KB of code', () => {
    given()
      .when(createFunction, { name: 'x', code: `/*${'x'.repeat(262_144)}*/` }, undefined)
      .refuses('code-too-large');
  });
});

describe('changing a function', () => {
  const changing = (input: FunctionUpdateInput, by: Saving = off) =>
    given(accountFunctions, [created]).when(save, input, by);

  test('records only differences, with details apart from the definition', () => {
    changing({ name: 'Orders', description: 'new', maxRetries: 2, timeout: 30_000 }).emits(
      { type: 'FunctionDetailsChanged', data: { description: 'new' } },
      saved({ maxRetries: 2 }),
    );
  });

  test('records nothing without a change', () => {
    changing({ description: '', code: 'return 1', isActive: false, seenUpdatedAt }).emitsNothing();
  });

  test('inactive to active', () => {
    changing({ isActive: true }).emits({ type: 'FunctionActivated', data: {} });
  });

  test('active to inactive', () => {
    given(accountFunctions, [created, { type: 'FunctionActivated', data: {} }])
      .when(save, { isActive: false }, off)
      .emits({ type: 'FunctionDeactivated', data: {} });
  });

  test.each([{ code: 'return 2' }, { grants: {} }, { accessRules: {} }])('%j needs seenUpdatedAt', (input) => {
    changing(input).refuses('seen-updated-at-missing');
  });

  test('an outdated seenUpdatedAt is refused with the present one, even if it is not needed', () => {
    changing({ description: 'x', seenUpdatedAt: '2020-01-01T00:00:00Z' }).refuses('function-changed-since', {
      updatedAt: specAt,
    });
  });

  test('seenUpdatedAt is a time in any notation', () => {
    changing({ code: 'return 2', seenUpdatedAt: '2030-01-01T01:00:00+01:00' }).emits(saved({ code: 'return 2' }, 1));
  });

  test('grants are replaced as a whole', () => {
    given(accountFunctions, [{ ...created, data: { ...facts, grants: { ...grants, serviceTools: ['t'] } } }])
      .when(save, { grants: { databaseIds: ['d'] }, seenUpdatedAt }, off)
      .emits(saved({ grants: { ...grants, databaseIds: ['d'] } }));
  });

  test('accessRules are replaced key by key, so an omitted runBy remains', () => {
    const runBy = { pages: true, functions: [], agents: [] };
    given(accountFunctions, [{ ...created, data: { ...facts, accessRules: { execute: null, runBy } } }])
      .when(save, { accessRules: { execute: { type: 'authenticated' } }, seenUpdatedAt }, off)
      .emits(saved({ accessRules: { execute: { type: 'authenticated' }, runBy } }));
  });

  test('null removes the toolSpec', () => {
    given(accountFunctions, [{ ...created, data: { ...facts, toolSpec: { inputSchema: {} } } }])
      .when(save, { toolSpec: null }, off)
      .emits(saved({ toolSpec: null }));
  });

  test('an agent changes neither grants nor the declared kind', () => {
    changing({ grants: {}, seenUpdatedAt }, agent).refuses('agent-may-not-change');
    changing({ toolSpec: { inputSchema: {}, kind: 'write' } }, agent).refuses('agent-may-not-change');
    changing({ toolSpec: { inputSchema: {} } }, agent).emits(saved({ toolSpec: { inputSchema: {} } }));
  });

  test('updatedAt grows with each change, also within one millisecond', () => {
    const fn = stateOf(accountFunctions, [created, { type: 'FunctionActivated', data: {} }]);
    expect(fn.updatedAt).toBe('2030-01-01T00:00:00.001Z');
  });
});

describe('changing a function with versions switched on', () => {
  const draft = (code: string, versionId: string): FunctionEvent => ({
    type: 'FunctionDraftSaved',
    data: { code, versionId, linesChanged: 1 },
  });
  const drafted = stateOf(accountFunctions, [created, draft('return 2', 'ver_1')]);

  test('changes of a version go into a draft, and others are immediate', () => {
    given(accountFunctions, [created])
      .when(save, { code: 'return 2', isActive: true, seenUpdatedAt }, on)
      .emits(draft('return 2', 'ver_2'), { type: 'FunctionActivated', data: {} });
  });

  test('an unchanged draft is not saved again', () => {
    given(accountFunctions, [created, draft('return 2', 'ver_1')])
      .when(save, { code: 'return 2', seenUpdatedAt: drafted.updatedAt }, on)
      .emitsNothing();
  });

  test('the same author continues the open draft', () => {
    given(accountFunctions, [created, draft('return 2', 'ver_1')])
      .when(save, { maxRetries: 1 }, on)
      .emits({ type: 'FunctionDraftSaved', data: { maxRetries: 1, versionId: 'ver_1', linesChanged: 1 } });
  });

  test('another author begins a new draft on top of it', () => {
    given(accountFunctions, [created, draft('return 2', 'ver_1')])
      .when(save, { maxRetries: 1 }, { ...on, by: { kind: 'person', id: 'mem_2', name: 'Cy' } })
      .emits({ type: 'FunctionDraftSaved', data: { maxRetries: 1, versionId: 'ver_2', linesChanged: 0 } });
  });
});

describe('what an AI agent may never change (rule 6)', () => {
  const as = (own: Saving['own']): Saving => ({ ...agent, own });

  test.each<[string, FunctionEvent]>([
    ['secrets', { type: 'FunctionSecretsGiven', data: { secrets: [{ name: 'A', hosts: [] }] } }],
    ['a power', { type: 'FunctionPowersGiven', data: { powers: ['email'] } }],
  ])('the code of a function that holds %s', (_, event) => {
    const { updatedAt } = stateOf(accountFunctions, [created, event]);
    given(accountFunctions, [created, event])
      .when(save, { code: 'return 2', seenUpdatedAt: updatedAt }, agent)
      .refuses('agent-may-not-change');
  });

  test.each([{ connections: [{ id: 'app' }] }, { serviceTools: ['bases_listRows'] }])(
    'the code of a function with %j',
    (part) => {
      const all = { ...grants, ...part };
      given(accountFunctions, [{ ...created, data: { ...facts, grants: all } }])
        .when(save, { code: 'return 2', seenUpdatedAt }, as(all))
        .refuses('agent-may-not-change');
    },
  );

  test.each<[string, FunctionEvent]>([
    ['Full data access', { type: 'FunctionPowersGiven', data: { powers: ['service'] } }],
    ['the identity of the workspace', { type: 'FunctionIdentityModeSet', data: { mode: 'workspace' } }],
  ])('anything of a function with %s', (_, event) => {
    given(accountFunctions, [created, event]).when(save, { description: 'x' }, agent).refuses('agent-may-not-change');
  });

  test('a function that uses a site which the agent may not use, or may only read', () => {
    const ofFunction = { ...grants, bases: [{ projectId: 'p', access: 'write' as const }] };
    const changing = (own: Saving['own']) =>
      given(accountFunctions, [{ ...created, data: { ...facts, grants: ofFunction } }]).when(
        save,
        { timeout: 2_000 },
        as(own),
      );
    changing(grants).refuses('agent-may-not-change');
    changing({ ...grants, bases: [{ projectId: 'p', access: 'read' }] }).refuses('agent-may-not-change');
    changing(ofFunction).emits(saved({ timeout: 2_000 }));
  });
});

describe('deleting a function', () => {
  test('ends the record', () => {
    given().when(deleteFunction).emits({ type: 'FunctionDeleted', data: {} });
    expect(() => stateOf(accountFunctions, [created, { type: 'FunctionDeleted', data: {} }])).toThrow(
      'leave no function',
    );
  });
});
