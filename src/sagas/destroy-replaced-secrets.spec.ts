import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { UserPasswords } from '../areas/app-users/app-user/user-passwords.api.js';
import type { MailPasswords } from '../areas/mailboxes/mail-account/mail-passwords.api.js';
import type { ProcessorSecrets } from '../areas/payments/processor/processor-secrets.api.js';
import type { EnvVarValues } from '../areas/secrets/env-var/env-var-values.api.js';
import type { WebhookSecrets } from '../areas/triggers/webhook/webhook-secrets.api.js';
import { DestroyReplacedSecrets } from './destroy-replaced-secrets.saga.js';

let stage: Stage;
let saga: DestroyReplacedSecrets;
beforeEach(() => {
  stage = new Stage();
  saga = new DestroyReplacedSecrets(
    stage.noting<EnvVarValues>({ follow: 'secrets follow' }),
    stage.noting<WebhookSecrets>({ follow: 'webhooks follow' }),
    stage.noting<MailPasswords>({ follow: 'mailboxes follow' }),
    stage.noting<UserPasswords>({ follow: 'users follow' }),
    stage.noting<ProcessorSecrets>({ follow: 'processor follows' }),
  );
});

describe('the vault', () => {
  it.each([
    ['appUser', 'AppUserCreated', 'users follow'],
    ['appUser', 'AppUserPasswordSet', 'users follow'],
    ['appUser', 'AppUserDeleted', 'users follow'],
    ['envVar', 'EnvVarSet', 'secrets follow'],
    ['envVar', 'EnvVarDeleted', 'secrets follow'],
    ['siteEnvVar', 'EnvVarSet', 'secrets follow'],
    ['siteEnvVar', 'EnvVarDeleted', 'secrets follow'],
    ['webhook', 'WebhookVerificationSet', 'webhooks follow'],
    ['webhook', 'WebhookVerificationRemoved', 'webhooks follow'],
    ['webhook', 'WebhookDeleted', 'webhooks follow'],
    ['mailAccount', 'MailAccountCreated', 'mailboxes follow'],
    ['mailAccount', 'MailAccountChanged', 'mailboxes follow'],
    ['mailAccount', 'MailAccountDeleted', 'mailboxes follow'],
    ['processorConnection', 'ProcessorWebhookRegistered', 'processor follows'],
    ['processorConnection', 'ProcessorConnectionRemoved', 'processor follows'],
  ])('follows an event of a %s, %s, in its own area and no other', (category, type, verb) => {
    const event = of(category, 'one', { type, data: {} });
    return givenSaga(saga, stage).gets(event).does([verb, 'ws_spec', event]);
  });
});
