import { describe, expect, it } from '@jest/globals';
import '../../../app.module.js';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { risksOf } from './card-risks.js';

const card = (kind: string, targetKind: string, changes: PendingChangeCard['changes'] = []) =>
  risksOf({ kind, target: { kind: targetKind, id: 'x', name: 'X' }, changes } as unknown as PendingChangeCard);
const powers = (from: readonly string[], to: readonly string[]) => [{ path: 'capabilities', from, to }];

describe('the risk of a card', () => {
  it.each([
    ['Full data access, given', 'function-capabilities', 'function', powers([], ['service']), ['full-data-access']],
    ['Full data access, given with a save', 'function-save', 'function', powers([], ['service']), ['full-data-access']],
    ['a policy of a function with it', 'access-policy', 'accessPolicies', [], ['full-data-access']],
    ['the identity mode', 'function-identity-mode', 'function', [], ['identity-mode']],
    ['a function of the workspace, deleted', 'automations/deleteFunction', 'function', [], ['workspace-deletion']],
    ['a member, removed', 'workspace/removeMember', 'member', [], ['workspace-deletion']],
    ['a whole site, deleted', 'site/deleteProject', 'project', [], ['workspace-deletion']],
    ['a table, deleted', 'bases/deleteTable', 'table', [], ['deletion']],
    ['a row, deleted', 'bases/deleteRow', 'row', [], ['deletion']],
  ])('is recognised: %s', (_, kind, targetKind, changes, risks) => {
    expect(card(kind, targetKind, changes)).toEqual(risks);
  });

  it('is not in a power beside Full data access, a secret, or a coupon', () => {
    expect(card('function-capabilities', 'function', powers(['service'], ['service', 'email']))).toEqual([]);
    expect(card('function-secrets', 'function')).toEqual([]);
    expect(card('site/createCoupon', 'coupon')).toEqual([]);
  });
});
