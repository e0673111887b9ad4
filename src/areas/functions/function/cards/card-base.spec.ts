import { describe, expect, test } from '@jest/globals';
import { stateOf } from '../../../../../test/support/given/given.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { createFunction } from '../function.js';
import { type AccessRules, accountFunctions, definitionOf, type FunctionEvent } from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';
import { cardBaseOf } from './card-base.js';

const [created] = createFunction({ name: 'Orders', code: 'return 1' }, undefined) as readonly [FunctionEvent];
const nobody: AccessRules = { execute: [], runBy: null };
const undo = { id: 'undo_1', summary: '', targetName: 'Orders', expiresAt: '2030-01-02T00:00:00.000Z' };
const draft: FunctionEvent = {
  type: 'FunctionDraftSaved',
  data: { code: 'return 2', versionId: 'ver_2', linesChanged: 1 },
};
const before: readonly FunctionEvent[] = [
  created,
  { type: 'FunctionPowersGiven', data: { powers: ['env'] } },
  { type: 'FunctionSecretsGiven', data: { secrets: [{ name: 'KEY', hosts: [] }] } },
  draft,
];
const was = stateOf(accountFunctions, before);

const cards = {
  power: ['function-capabilities', { powers: ['email'] }],
  'Full data access': ['function-capabilities', { powers: ['service'] }],
  'the identity mode on': ['function-identity-mode', { mode: 'workspace' }],
  'the identity mode off': ['function-identity-mode', { mode: 'as_set_up' }],
  secret: ['function-secrets', { secrets: [] }],
  'access rules': ['function-access-rules', { accessRules: nobody as unknown as JsonObject }],
  publication: ['function-publish', { versionId: 'ver_2' }],
  'roll-back': ['function-roll-back', { versionId: 'x', definition: { ...definitionOf(was), code: 'return 0' } }],
  'save of the code': ['function-save', { definition: { code: 'return 3' } }],
  'save of the name': ['function-save', { details: { name: 'New' } }],
  'save that gives Full data access': ['function-save', { details: { name: 'New' }, powers: ['service'] }],
} as unknown as Readonly<Record<string, readonly [FunctionCardKind, JsonObject]>>;

/** Each entry: a name, an event, and the cards (changes that wait for approval) that the event makes void. */
const changes: readonly (readonly [string, FunctionEvent, readonly string[]])[] = [
  [
    'a power is given',
    { type: 'FunctionPowersGiven', data: { powers: ['email'] } },
    ['power', 'Full data access', 'save that gives Full data access'],
  ],
  [
    'a power is taken',
    { type: 'FunctionPowersTaken', data: { powers: ['env'], undo } },
    ['power', 'Full data access', 'save that gives Full data access'],
  ],
  ['a secret is given', { type: 'FunctionSecretsGiven', data: { secrets: [] } }, ['secret']],
  [
    'Full data access is given',
    { type: 'FunctionPowersGiven', data: { powers: ['service'] } },
    [
      'power',
      'Full data access',
      'publication',
      'roll-back',
      'save of the code',
      'save of the name',
      'save that gives Full data access',
    ],
  ],
  [
    'the identity mode is switched on',
    { type: 'FunctionIdentityModeSet', data: { mode: 'workspace' } },
    [
      'the identity mode on',
      'the identity mode off',
      'publication',
      'roll-back',
      'save of the code',
      'save of the name',
      'save that gives Full data access',
    ],
  ],
  [
    'the draft is published',
    { type: 'FunctionPublished', data: { versionId: 'ver_2' } },
    [
      'Full data access',
      'the identity mode on',
      'publication',
      'roll-back',
      'save of the code',
      'save that gives Full data access',
    ],
  ],
  [
    'the draft is saved again',
    { type: 'FunctionDraftSaved', data: { code: 'return 4', versionId: 'ver_2', linesChanged: 1 } },
    ['publication'],
  ],
  [
    'somebody else begins the same draft',
    { type: 'FunctionDraftSaved', data: { code: 'return 2', versionId: 'ver_3', linesChanged: 1 } },
    ['publication'],
  ],
  [
    'its access rules are set',
    { type: 'FunctionAccessRulesSet', data: { accessRules: nobody } },
    [
      'Full data access',
      'the identity mode on',
      'access rules',
      // A rollback replaces the access rules, so its approval would undo this change.
      'roll-back',
      'save that gives Full data access',
    ],
  ],
  [
    'it is renamed',
    { type: 'FunctionDetailsChanged', data: { name: 'Other' } },
    ['save of the name', 'save that gives Full data access'],
  ],
  ['it is activated', { type: 'FunctionActivated', data: {} }, []],
];

describe('a card depends on what it changes', () => {
  test.each(changes)('if %s, only such cards are void', (_, event, voided) => {
    const is = stateOf(accountFunctions, [...before, event]);
    const moved = Object.entries(cards).filter(
      ([, [kind, input]]) => cardBaseOf(was, kind, input) !== cardBaseOf(is, kind, input),
    );
    expect(moved.map(([name]) => name)).toEqual(Object.keys(cards).filter((name) => voided.includes(name)));
  });

  test('a save depends on whether the function is active if it changes that', () => {
    const is = stateOf(accountFunctions, [...before, { type: 'FunctionActivated', data: {} }]);
    const input = { isActive: true };
    expect(cardBaseOf(was, 'function-save', input)).not.toBe(cardBaseOf(is, 'function-save', input));
  });
});
