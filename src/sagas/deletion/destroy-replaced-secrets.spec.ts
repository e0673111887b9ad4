import { beforeEach, describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { appUsers } from '../../areas/app-users/app-user/app-user.record.js';
import { mcpConnections } from '../../areas/connections/mcp-connection/mcp-connection.record.js';
import { mailAccounts } from '../../areas/mailboxes/mail-account/mail-account.record.js';
import { processorConnections } from '../../areas/payments/processor/processor-connection.record.js';
import { envVars } from '../../areas/secrets/env-var/env-var.record.js';
import { siteEnvVars } from '../../areas/sites/env-var/site-env-var.record.js';
import { gitRepositories } from '../../areas/sites/source-control/git-repository.record.js';
import { webhooks } from '../../areas/triggers/webhook/webhook.record.js';
import { RecordedSecrets } from '../../engine/records/recorded-secrets.js';
import type { Clock } from '../../ports/clock.port.js';
import type { Vault } from '../../ports/vault.port.js';
import { DestroyReplacedSecrets } from './destroy-replaced-secrets.saga.js';

let stage: Stage;
let saga: DestroyReplacedSecrets;
beforeEach(() => {
  stage = new Stage();
  const vault = stage.noting<Vault>(
    { makePermanent: 'keeps', destroy: 'destroys', seal: 'seals', open: 'opens' },
    'sealed',
  );
  saga = new DestroyReplacedSecrets(new RecordedSecrets(vault, {} as Clock, stage.runner));
});

const until = '2030-01-01T00:00:00.000Z';
const set = (until: string | null) => ({ secretId: 's2', previous: { secretId: 's1', until }, drops: ['s0'] });

it('reads the events that name secrets, and no others', () => {
  const sites = [appUsers, siteEnvVars, processorConnections, gitRepositories];
  const kinds = [...sites, envVars, webhooks, mailAccounts, mcpConnections];
  expect(new Set(saga.reads)).toEqual(new Set(kinds.flatMap(({ secrets }) => secrets?.types ?? [])));
  expect([...saga.reads].sort()).toEqual([
    'AppUserCreated',
    'AppUserDeleted',
    'AppUserPasswordSet',
    'EnvVarDeleted',
    'EnvVarSet',
    'GitHostConnected',
    'GitHostDisconnected',
    'GitRepositoryEnded',
    'MailAccountChanged',
    'MailAccountCreated',
    'MailAccountDeleted',
    'McpConnectionAdded',
    'McpConnectionChanged',
    'McpConnectionRemoved',
    'ProcessorConnectionRemoved',
    'ProcessorWebhookRegistered',
    'WebhookDeleted',
    'WebhookVerificationRemoved',
    'WebhookVerificationSet',
  ]);
});

describe('the vault', () => {
  it.each([
    ['appUser', 'AppUserCreated', { passwordId: 'p1' }, ['keeps', 'app-user-password/ws_spec/p1']],
    ['appUser', 'AppUserCreated', { passwordId: null }],
    [
      'appUser',
      'AppUserPasswordSet',
      { passwordId: 'p2', replaces: 'p1' },
      ['keeps', 'app-user-password/ws_spec/p2'],
      ['destroys', 'app-user-password/ws_spec/p1'],
    ],
    ['appUser', 'AppUserPasswordSet', { passwordId: 'p1', replaces: null }, ['keeps', 'app-user-password/ws_spec/p1']],
    ['appUser', 'AppUserDeleted', { passwordId: 'p1' }, ['destroys', 'app-user-password/ws_spec/p1']],
    ['envVar', 'EnvVarSet', { valueId: 'v1', replaces: null }, ['keeps', 'env-var/ws_spec/v1']],
    ['envVar', 'EnvVarDeleted', { valueId: 'v1' }, ['destroys', 'env-var/ws_spec/v1']],
    [
      'siteEnvVar',
      'EnvVarSet',
      { valueId: 'v2', replaces: 'v1' },
      ['keeps', 'env-var/ws_spec/v2'],
      ['destroys', 'env-var/ws_spec/v1'],
    ],
    ['siteEnvVar', 'EnvVarDeleted', { valueId: 'v1' }, ['destroys', 'env-var/ws_spec/v1']],
    [
      'webhook',
      'WebhookVerificationSet',
      set(null),
      ['keeps', 'webhook-secret/ws_spec/s2'],
      ['keeps', 'webhook-secret/ws_spec/s1'],
      ['destroys', 'webhook-secret/ws_spec/s0'],
    ],
    [
      'webhook',
      'WebhookVerificationSet',
      set(until),
      ['keeps', 'webhook-secret/ws_spec/s2'],
      ['opens', 'webhook-secret/ws_spec/s1'],
      ['seals', 'webhook-secret/ws_spec/s1', 'sealed', { expiresAt: Date.parse(until) }],
      ['destroys', 'webhook-secret/ws_spec/s0'],
    ],
    ['webhook', 'WebhookVerificationRemoved', { drops: ['s1'] }, ['destroys', 'webhook-secret/ws_spec/s1']],
    ['webhook', 'WebhookDeleted', { reason: 'asked', drops: ['s1'] }, ['destroys', 'webhook-secret/ws_spec/s1']],
    ['webhook', 'WebhookDeleted', { reason: 'asked' }],
    ['mailAccount', 'MailAccountCreated', { passwordId: 'p1' }, ['keeps', 'mail-password/ws_spec/p1']],
    [
      'mailAccount',
      'MailAccountChanged',
      { passwordId: 'p2', replaces: 'p1' },
      ['keeps', 'mail-password/ws_spec/p2'],
      ['destroys', 'mail-password/ws_spec/p1'],
    ],
    ['mailAccount', 'MailAccountChanged', { name: 'Office' }],
    ['mailAccount', 'MailAccountDeleted', { passwordId: 'p1' }, ['destroys', 'mail-password/ws_spec/p1']],
    [
      'processorConnection',
      'ProcessorWebhookRegistered',
      { secretId: 's2', replaces: { endpointId: 'e1', secretId: 's1' } },
      ['keeps', 'processor-webhook/ws_spec/s2'],
      ['destroys', 'processor-webhook/ws_spec/s1'],
    ],
    [
      'processorConnection',
      'ProcessorConnectionRemoved',
      { secretIds: ['s1', 's2'] },
      ['destroys', 'processor-webhook/ws_spec/s1'],
      ['destroys', 'processor-webhook/ws_spec/s2'],
    ],
  ] as readonly (readonly [string, string, object, ...(readonly unknown[])[]])[])(
    'follows an event of a %s, %s %j',
    (category, type, data, ...deeds) =>
      givenSaga(saga, stage)
        .gets(of(category, 'one', { type, data }))
        .does(...deeds),
  );
});
