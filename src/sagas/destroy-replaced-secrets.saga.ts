import { Injectable } from '@nestjs/common';
import { appUsers } from '../areas/app-users/app-user/app-user.record.js';
import { UserPasswords } from '../areas/app-users/app-user/user-passwords.api.js';
import { type MailAccountEvent, mailAccounts } from '../areas/mailboxes/mail-account/mail-account.record.js';
import { MailPasswords } from '../areas/mailboxes/mail-account/mail-passwords.api.js';
import {
  type ProcessorConnectionEvent,
  processorConnections,
} from '../areas/payments/processor/processor-connection.record.js';
import { ProcessorSecrets } from '../areas/payments/processor/processor-secrets.api.js';
import { type EnvVarEvent, envVars } from '../areas/secrets/env-var/env-var.record.js';
import { EnvVarValues } from '../areas/secrets/env-var/env-var-values.api.js';
import { siteEnvVars } from '../areas/sites/env-var/site-env-var.record.js';
import { type WebhookEvent, webhooks } from '../areas/triggers/webhook/webhook.record.js';
import { WebhookSecrets } from '../areas/triggers/webhook/webhook-secrets.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const types = {
  [appUsers.category]: ['AppUserCreated', 'AppUserPasswordSet', 'AppUserDeleted'],
  [envVars.category]: ['EnvVarSet', 'EnvVarDeleted'],
  [siteEnvVars.category]: ['EnvVarSet', 'EnvVarDeleted'],
  [webhooks.category]: ['WebhookVerificationSet', 'WebhookVerificationRemoved', 'WebhookDeleted'],
  [mailAccounts.category]: ['MailAccountCreated', 'MailAccountChanged', 'MailAccountDeleted'],
  [processorConnections.category]: ['ProcessorWebhookRegistered', 'ProcessorConnectionRemoved'],
};

type Follow = (workspaceId: string, event: RecordedEvent) => Promise<void>;

/** Finishes what an interrupted call left undone: keeps recorded secrets, and destroys those no longer referred to. */
@Injectable()
export class DestroyReplacedSecrets implements Saga {
  readonly name = 'the-vault-follows-recorded-secrets';
  readonly reads = [...new Set(Object.values(types).flat())];

  private readonly follows: Readonly<Record<string, Follow>>;

  constructor(
    values: EnvVarValues,
    secrets: WebhookSecrets,
    passwords: MailPasswords,
    users: UserPasswords,
    processor: ProcessorSecrets,
  ) {
    const followValues: Follow = (workspaceId, event) =>
      values.follow(workspaceId, event as EnvVarEvent & RecordedEvent);
    this.follows = {
      [appUsers.category]: (workspaceId, event) => users.follow(workspaceId, event),
      [envVars.category]: followValues,
      [siteEnvVars.category]: followValues,
      [webhooks.category]: (workspaceId, event) => secrets.follow(workspaceId, event as WebhookEvent & RecordedEvent),
      [mailAccounts.category]: (workspaceId, event) =>
        passwords.follow(workspaceId, event as MailAccountEvent & RecordedEvent),
      [processorConnections.category]: (workspaceId, event) =>
        processor.follow(workspaceId, event as ProcessorConnectionEvent & RecordedEvent),
    };
  }

  async react(event: RecordedEvent): Promise<void> {
    const { category, workspaceId } = parseStream(event.stream);
    await this.follows[category]?.(workspaceId, event);
  }
}
