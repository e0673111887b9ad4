import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../../kernel/json/json.js';
import { functionMeans } from './function-means.api.js';

const means = (kind: string, path: string, from: Json, to: Json) =>
  functionMeans({ kind, target: { name: 'Refund customers' }, changes: [{ path, from, to }] });

describe('the consequences of a card', () => {
  const stripe = { name: 'STRIPE_KEY', hosts: ['api.stripe.com'] };

  it('name each secret with each new host', () => {
    const more = { name: 'STRIPE_KEY', hosts: ['api.stripe.com', 'eu.stripe.com'] };
    expect(means('function-secrets', 'secrets', [], [stripe])).toEqual([
      "'Refund customers' may send STRIPE_KEY to api.stripe.com.",
    ]);
    expect(means('function-secrets', 'secrets', [stripe], [more])).toEqual([
      "'Refund customers' may send STRIPE_KEY to eu.stripe.com.",
    ]);
  });

  it('state that a host was opened, that a secret only checks signatures, and how its key is read', () => {
    expect(means('function-secrets', 'secrets', [], [{ ...stripe, opened: true }])).toEqual([
      "'Refund customers' may send STRIPE_KEY to api.stripe.com, which the secret itself does not name.",
    ]);
    const signing = { name: 'HOOK', hosts: [], keyFormat: { encoding: 'base64' } };
    expect(means('function-secrets', 'secrets', [], [signing])).toEqual([
      "'Refund customers' may check signatures with HOOK.",
      "'Refund customers' reads the key in HOOK as base64.",
    ]);
    expect(means('function-secrets', 'secrets', [signing], [signing])).toEqual([]);
  });

  it('state what a new power permits, and nothing of held ones', () => {
    expect(means('function-capabilities', 'capabilities', ['env'], ['env', 'email'])).toEqual([
      "'Refund customers' may send mail from the workspace's mailboxes to anyone.",
    ]);
    expect(means('function-save', 'capabilities', [], ['service'])).toEqual([
      expect.stringMatching(/may read and change every row/),
    ]);
  });

  it('state whose rows the identity mode opens, and that code runs', () => {
    expect(means('function-identity-mode', 'identityMode', 'as_set_up', 'workspace')).toEqual([
      expect.stringMatching(/^When a visitor's page starts 'Refund customers'/),
    ]);
    expect(means('function-publish', 'code', 'return 1', 'return 2')).toHaveLength(1);
    expect(means('bases/deleteTable', 'name', 'a', null)).toEqual([]);
  });
});
