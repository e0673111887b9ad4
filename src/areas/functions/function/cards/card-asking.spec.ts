import { describe, expect, test } from '@jest/globals';
import { stateOf } from '../../../../../test/support/given/given.js';
import type { CardRequest } from '../../../../engine/approvals/gated-kind.js';
import type { FunctionOwner } from '../../../../kernel/callers/function-owner.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { createFunction } from '../function.js';
import { accountFunctions, type FunctionEvent, siteFunctions, versionOf } from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';
import { askingOf } from './card-asking.js';

const begun = (owner: FunctionOwner) =>
  createFunction({ name: 'Orders', code: 'return 1' }, undefined, 'ver_1', owner) as readonly FunctionEvent[];
const fn = stateOf(accountFunctions, begun({ kind: 'workspace' }));
const ofSite = stateOf(siteFunctions, begun({ kind: 'project', projectId: 'prj_1' }));
const { id } = fn;
const site = { projectId: 'prj_1', functionId: id };
const card = (kind: FunctionCardKind, input: object, changes: object[] = []) =>
  ({ kind, input: input as JsonObject, changes }) as unknown as CardRequest;
const rules = { execute: { type: 'authenticated' }, runBy: null };
const grants = { bases: [], databaseIds: [], connections: [], serviceTools: [] };

describe('the operation that asks for a card again', () => {
  test.each([
    [
      card('function-capabilities', { powers: ['email'] }),
      'setFunctionCapabilities',
      { add: ['email'], seenVersion: versionOf(fn) },
    ],
    [
      card('function-identity-mode', { mode: 'workspace' }),
      'setFunctionIdentityMode',
      { mode: 'workspace', seenVersion: versionOf(fn) },
    ],
    [card('function-publish', { versionId: 'ver_2' }), 'publishFunction', { versionId: 'ver_2' }],
    [card('function-roll-back', { versionId: 'ver_1', definition: {} }), 'rollBackFunction', { versionId: 'ver_1' }],
    [
      card('function-secrets', {}, [{ path: 'secrets', from: [], to: [{ name: 'KEY', hosts: [] }] }]),
      'setFunctionSecrets',
      { secrets: [{ name: 'KEY', hosts: [] }], keepUntilApproved: true },
    ],
    [
      card('function-save', {
        details: { name: 'New' },
        definition: { code: 'return 2', accessRules: rules, grants },
        isActive: true,
      }),
      'updateFunction',
      {
        name: 'New',
        code: 'return 2',
        accessRules: { execute: rules.execute },
        grants,
        isActive: true,
        seenUpdatedAt: fn.updatedAt,
      },
    ],
  ])('of a function of the workspace: %j', (asked, operation, input) => {
    expect(askingOf(fn, asked)).toEqual({ operation: `automations/${operation}`, input: { id, ...input } });
  });

  test.each([
    [
      card('function-capabilities', { powers: ['email'] }),
      'setFunctionCapabilities',
      { ...site, add: ['email'], seenVersion: versionOf(ofSite) },
    ],
    [card('function-publish', { versionId: 'ver_2' }), 'publishBackendFunction', { ...site, versionId: 'ver_2' }],
    [card('function-roll-back', { versionId: 'ver_1' }), 'rollBackBackendFunction', { ...site, versionId: 'ver_1' }],
    [
      card('function-access-rules', { accessRules: rules }),
      'setBackendFunctionAccessRules',
      { functionId: id, accessRules: { execute: rules.execute } },
    ],
    [
      card('function-save', { definition: { grants, timeout: 5_000 } }),
      'updateBackendFunction',
      { ...site, connections: [], timeout: 5_000, seenUpdatedAt: ofSite.updatedAt },
    ],
    [
      card('function-save', { definition: { definition: { kind: 'list', table: 'posts' } }, powers: ['service'] }),
      'updateDataFunction',
      { ...site, definition: { kind: 'list', table: 'posts' }, runAs: 'service', seenVersion: versionOf(ofSite) },
    ],
  ])('of a function of a site: %j', (asked, operation, input) => {
    expect(askingOf(ofSite, asked)).toEqual({ operation: `site/${operation}`, input });
  });
});
