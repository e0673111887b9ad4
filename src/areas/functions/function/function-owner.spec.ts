import { describe, expect, test } from '@jest/globals';
import { functionsProjection } from '../../../../projections/functions/function.projection.js';
import { given, recorded, specActor, specAt, specWorkspace, stateOf } from '../../../../test/support/given/given.js';
import { ownText } from '../../../../test/support/given/own-text.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { FunctionOwner } from '../../../kernel/callers/function-owner.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { mayRun } from '../run/run.js';
import { gatedFunctionsOf, secretsKnownTo } from './cards/gated-functions.js';
import { createFunction, type FunctionInput } from './function.js';
import { accountFunctions, type FunctionDocument, type FunctionEvent, siteFunctions } from './function.record.js';
import { publish, setCapabilities } from './function-changes.js';
import { functionNameRequest } from './function-name.js';
import { ownerRules } from './function-owner.api.js';
import { updateFunction } from './function-save.js';
import { setSecrets } from './rights/function-secrets.js';
import type { FunctionUpdateInput, Saving } from './save-input.js';

const site: FunctionOwner = { kind: 'project', projectId: 'prj_1' };

const owners = [
  { owner: { kind: 'workspace' } satisfies FunctionOwner as FunctionOwner, functions: accountFunctions },
  { owner: site, functions: siteFunctions },
];
const create = (owner: FunctionOwner, more: object = {}) =>
  createFunction({ name: 'Orders', code: 'return 1', ...more }, undefined, 'ver_1', owner);
const full: FunctionEvent = { type: 'FunctionPowersGiven', data: { powers: ['service'] } };
const off: Saving = { by: specActor, versions: false, versionId: 'ver_2' };
const on: Saving = { ...off, versions: true };
const save = (fn: FunctionDocument, input: FunctionUpdateInput, saving: Saving) =>
  updateFunction(fn, input, saving, ownText).events;
const taking = { undoId: 'undo_1', now: Date.parse(specAt) };
const around = { ...taking, workspaceSwitch: false };

describe.each(owners)('a function that a $owner.kind owns', ({ owner, functions }) => {
  const begun = create(owner);

  test('has its code checked, and saves it live if versions are off', () => {
    given(functions, begun)
      .when(save, { code: 'return 2', seenUpdatedAt: specAt }, off)
      .emits({ type: 'FunctionDefinitionChanged', data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 } });
    given(functions, begun)
      .when(save, { code: 'a b', seenUpdatedAt: specAt }, off)
      .refuses('code-invalid', { line: 1 });
  });

  test('stores drafts if versions are on, and publishes them', () => {
    const draft = {
      type: 'FunctionDraftSaved',
      data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 },
    } as const;
    given(functions, begun).when(save, { code: 'return 2', seenUpdatedAt: specAt }, on).emits(draft);
    expect(publish(stateOf(functions, [...begun, draft]), 'ver_2', { by: on.by }).events).toEqual([
      { type: 'FunctionPublished', data: { versionId: 'ver_2' } },
    ]);
  });

  test('with Full data access waits for a person as a whole', () => {
    const fn = stateOf(functions, [...begun, full]);
    const outcome = updateFunction(fn, { code: 'return 2', seenUpdatedAt: fn.updatedAt }, off, ownText);
    expect(outcome).toMatchObject({ events: [], proposal: { kind: 'function-save' } });
  });

  test('gets powers from a person, and loses them at once', () => {
    const fn = stateOf(functions, [...begun, full]);
    expect(setCapabilities(fn, { capabilities: ['service', 'email'] }, around)).toMatchObject({
      events: [],
      proposal: { kind: 'function-capabilities', input: { powers: ['email'] } },
    });
    expect(setCapabilities(fn, { remove: ['service'] }, around).events).toMatchObject([
      { type: 'FunctionPowersTaken', data: { powers: ['service'] } },
    ]);
  });

  test('gets secrets from a person', () => {
    const wanted = [{ name: 'KEY', hosts: ['api.example.com'] }];
    expect(setSecrets(stateOf(functions, begun), wanted, taking)).toMatchObject({
      events: [],
      proposal: { kind: 'function-secrets' },
    });
  });

  test('refuses a save based on an older version', () => {
    const seenUpdatedAt = '2020-01-01T00:00:00.000Z';
    given(functions, begun).when(save, { code: 'return 2', seenUpdatedAt }, off).refuses('function-changed-since');
  });
});

describe('differences by owner', () => {
  const [account, ofSite] = [
    stateOf(accountFunctions, create({ kind: 'workspace' })),
    stateOf(siteFunctions, create(site)),
  ];

  test('the events: those of the workspace name no owner', () => {
    const [first] = create({ kind: 'workspace' });
    expect(first?.data).not.toHaveProperty('projectId');
    expect(account).not.toHaveProperty('projectId');
    expect(ofSite.projectId).toBe('prj_1');
  });

  test('streams and read models: neither finds a function of the other', () => {
    expect(accountFunctions.category).toBe('function');
    const of = (key: 'category' | 'collection' | 'names' | 'targetKind' | 'envVars') =>
      new Set([ownerRules.workspace[key], ownerRules.project[key]]).size;
    expect([of('category'), of('collection'), of('names'), of('targetKind'), of('envVars')]).toEqual([2, 2, 2, 2, 2]);
  });

  test('the content of their read models: equal events in the other streams are ignored', () => {
    const [event] = create(site) as readonly [FunctionEvent];
    const shown = (category: string) =>
      functionsProjection.changes(recorded(category, event) as unknown as RecordedEvent);
    expect(shown('function')).toMatchObject([{ kind: 'put', collection: 'functions' }]);
    expect(shown('siteFunction')).toEqual([]);
  });

  test('whether it begins active', () => {
    expect([account.isActive, ofSite.isActive]).toEqual([false, true]);
  });

  test('who may start it by default', () => {
    expect(account.accessRules.runBy).toBeNull();
    expect(ofSite.accessRules.runBy).toEqual({ pages: 'any', functions: [], agents: [] });
    const said = { pages: false, functions: 'any' as const, agents: [] };
    const [event] = create(site, { accessRules: { runBy: said } });
    expect(event?.data).toMatchObject({ accessRules: { execute: null, runBy: said } });
  });

  test('the accepted conditions', () => {
    const everywhere: FunctionInput = { accessRules: { execute: { type: 'public', scope: 'everywhere' } } };
    expect(() => create({ kind: 'workspace' }, everywhere)).toThrow(Refusal);
    expect(create(site, everywhere)).toHaveLength(1);
  });

  test('whether a save has to name the version it saw', () => {
    const code = { code: 'return 2' };
    given(accountFunctions, create({ kind: 'workspace' }))
      .when(save, code, off)
      .refuses('seen-updated-at-missing');
    expect(save(ofSite, code, off)).toHaveLength(1);
  });

  test('whether a member may run it while it is inactive', () => {
    const member = { kind: 'member', id: 'mem_1', name: 'Ada', role: 'owner', email: 'a@example.com' } as const;
    const idle = (fn: FunctionDocument) => mayRun({ ...fn, isActive: false }, member);
    expect([idle(account), idle(ofSite)]).toEqual([true, false]);
    expect([mayRun(ofSite, member), mayRun({ ...account, isActive: false }, { kind: 'webhook', id: 'w' })]).toEqual([
      true,
      false,
    ]);
  });

  test('the scope of its name', () => {
    const asking = { workspaceId: specWorkspace, actor: specActor };
    const account = functionNameRequest('Orders', 'fn_1', asking).reservation;
    const first = functionNameRequest('Orders', 'fn_2', asking, { projectId: 'prj_1' }).reservation;
    const second = functionNameRequest('Orders', 'fn_3', asking, { projectId: 'prj_2' }).reservation;
    expect([account.category, account.name]).toEqual(['functionName', 'Orders']);
    expect(new Set([account, first, second].map(({ category, name }) => `${category}:${name}`)).size).toBe(3);
    expect(first.holder).toBe(`siteFunction-${specWorkspace}.fn_2`);
    expect(first.nameOf(ofSite)).toBe(first.name);
  });

  test('the scope of its secrets', async () => {
    const asked: unknown[] = [];
    const reads = {
      find: async (...of: unknown[]) => {
        asked.push(of);
        return [];
      },
    } as unknown as Reads;
    await secretsKnownTo(reads, 'ws', account);
    await secretsKnownTo(reads, 'ws', ofSite);
    expect(asked).toEqual([
      ['ws', 'envVars', { where: {} }],
      ['ws', 'siteEnvVars', { where: { projectId: 'prj_1' } }],
    ]);
  });

  test('the targets of its cards', async () => {
    const gate = gatedFunctionsOf('project');
    const call = { workspaceId: specWorkspace, actor: specActor, newId: () => 'ver_2' } as unknown as OperationContext;
    const change = { kind: 'function-save', base: '', input: { details: { name: 'New' } }, targetId: 'fn_2' };
    const { reserves = [], decide } = await gate.application(call, change, {} as Reads, ofSite);
    expect(reserves.map(({ reservation: { category, name } }) => [category, name])).toEqual([
      ['siteFunctionName', 'prj_1/New'],
    ]);
    expect(decide(ofSite, ownText)).toEqual([{ type: 'FunctionDetailsChanged', data: { name: 'New' } }]);
  });
});
