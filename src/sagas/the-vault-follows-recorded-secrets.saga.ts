import { Injectable } from '@nestjs/common';
import type { EnvVarEvent } from '../areas/automations/env-var/env-var.events.js';
import { EnvVarValues } from '../areas/automations/env-var/env-var-values.js';
import { type WebhookEvent, webhooks } from '../areas/automations/webhook/webhook.events.js';
import { WebhookSecrets } from '../areas/automations/webhook/webhook-secrets.js';
import type { Saga } from '../engine/saga-runner.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

/** Finishes what a call did not live to do: secrets that were recorded are kept, those no longer referred to destroyed. */
@Injectable()
export class TheVaultFollowsRecordedSecrets implements Saga {
  readonly name = 'the-vault-follows-recorded-secrets';
  readonly reads = [
    'EnvVarSet',
    'EnvVarDeleted',
    'WebhookVerificationSet',
    'WebhookVerificationRemoved',
    'WebhookDeleted',
  ];

  constructor(
    private readonly values: EnvVarValues,
    private readonly secrets: WebhookSecrets,
  ) {}

  async react(event: RecordedEvent): Promise<void> {
    const { category, workspaceId } = parseStream(event.stream);
    if (category === webhooks.category) return this.secrets.follow(workspaceId, event as WebhookEvent & RecordedEvent);
    return this.values.follow(workspaceId, event as EnvVarEvent & RecordedEvent);
  }
}
