import { describe, expect, test } from '@jest/globals';
import { refusalOf, stateOf } from '../../../../../test/support/given/given.js';
import { createFunction } from '../function.js';
import { accountFunctions, type FunctionEvent, versionOf } from '../function.record.js';
import { setCapabilities } from '../function-changes.js';
import { setSecrets } from './function-secrets.js';

const [created] = createFunction({ name: 'Orders', code: 'return 1' }, undefined) as readonly [FunctionEvent];
const held: FunctionEvent = {
  type: 'FunctionSecretsGiven',
  data: {
    secrets: [
      { name: 'KEY', hosts: ['a.example', 'old.example'] },
      { name: 'OTHER', hosts: [] },
    ],
  },
};
const fn = stateOf(accountFunctions, [created, { type: 'FunctionPowersGiven', data: { powers: ['env'] } }, held]);
const taking = { undoId: 'undo_1', now: 0 };
const around = { ...taking, workspaceSwitch: false };
const waiting = { id: 'change_1', powers: ['users'] } as const;

describe('powers that are added', () => {
  test('are requested together with held and waiting ones', () => {
    expect(setCapabilities(fn, { add: ['email'] }, { ...around, waiting })).toMatchObject({
      events: [],
      proposal: {
        changes: [{ path: 'capabilities', from: ['env'], to: ['email', 'env', 'users'] }],
        input: { powers: ['email', 'users'] },
        composes: 'change_1',
      },
    });
  });

  test('request only themselves if nothing waits', () => {
    const { proposal } = setCapabilities(fn, { add: ['email'] }, around);
    expect(proposal).toMatchObject({ input: { powers: ['email'] } });
    expect(proposal).not.toHaveProperty('composes');
  });

  test('that are held already request nothing, and do not affect waiting ones', () => {
    expect(setCapabilities(fn, { add: ['env'] }, { ...around, waiting })).toEqual({ events: [] });
  });

  test('with a removal: it is immediate, and removed ones of a waiting card are not requested again', () => {
    const outcome = setCapabilities(fn, { add: ['email'], remove: ['env', 'users'] }, { ...around, waiting });
    expect(outcome).toMatchObject({
      events: [{ type: 'FunctionPowersTaken', data: { powers: ['env'] } }],
      proposal: { changes: [{ from: [], to: ['email'] }] },
    });
  });

  test('to a whole list do not restore waiting ones, because the list is complete', () => {
    const { proposal } = setCapabilities(fn, { capabilities: ['env'], add: ['email'] }, { ...around, waiting });
    expect(proposal?.input).toEqual({ powers: ['email'] });
  });

  test('need the version that was seen if Full data access waits', () => {
    const full = { id: 'change_1', powers: ['service'] } as const;
    const add = (seenVersion: { seenVersion?: string }) =>
      setCapabilities(fn, { add: ['email'], ...seenVersion }, { ...around, waiting: full });
    expect(refusalOf(() => add({}).events).code).toBe('seen-version-missing');
    expect(add({ seenVersion: versionOf(fn) }).proposal?.input).toEqual({ powers: ['service', 'email'] });
  });
});

describe('secrets that remain until the card is approved', () => {
  const moved = [{ name: 'KEY', hosts: ['a.example', 'new.example'] }];

  test('are removed with the additions: nothing is immediate, and the card contains both', () => {
    expect(setSecrets(fn, moved, { ...taking, removalsWait: true })).toMatchObject({
      events: [],
      proposal: {
        summary:
          "Let the function 'Orders' use KEY for a.example, new.example, and no longer KEY for old.example and OTHER for signatures.",
        changes: [{ path: 'secrets', from: fn.secrets, to: moved }],
        input: { secrets: moved },
      },
    });
  });

  test('are removed at once if nothing is added, because nobody has to approve that', () => {
    const { events, proposal } = setSecrets(fn, [], { ...taking, removalsWait: true });
    expect([events.map(({ type }) => type), proposal]).toEqual([['FunctionSecretsTaken'], undefined]);
  });

  test('without it: removals are immediate', () => {
    const { events, proposal } = setSecrets(fn, moved, taking);
    expect([events.map(({ type }) => type), proposal?.changes]).toMatchObject([
      ['FunctionSecretsTaken'],
      [{ from: [{ name: 'KEY', hosts: ['a.example'] }], to: moved }],
    ]);
  });
});
