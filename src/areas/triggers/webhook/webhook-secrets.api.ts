import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { draftKeptMs, Vault } from '../../../ports/vault.port.js';
import { type WebhookEvent, webhookSecretName } from './webhook.record.js';

/**
 * Webhook secrets in the vault. A secret is sealed before the event that refers to it, so that no event refers to a
 * missing secret. Until that event is recorded the secret is a draft, which expires if its call dies in between.
 */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** May be repeated: an existing secret is left as it is. */
  async draft(workspaceId: string, secretId: string, secret: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    const name = webhookSecretName(workspaceId, secretId);
    await this.vault.seal(name, Buffer.from(secret, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Only for secrets that no event refers to. */
  async discard(workspaceId: string, secretId: string): Promise<void> {
    await this.vault.destroy(webhookSecretName(workspaceId, secretId));
  }

  /** Carries out a recorded event: keeps the secrets it refers to and destroys those it drops. May be repeated. */
  async follow(workspaceId: string, { type, data }: WebhookEvent): Promise<void> {
    switch (type) {
      case 'WebhookVerificationSet':
        await this.vault.keep(webhookSecretName(workspaceId, data.secretId));
        if (data.previous !== null) await this.end(workspaceId, data.previous);
        return this.drop(workspaceId, data.drops);
      case 'WebhookVerificationRemoved':
        return this.drop(workspaceId, data.drops);
      case 'WebhookDeleted':
        return this.drop(workspaceId, data.drops ?? []);
      case 'WebhookCreated':
      case 'WebhookActivated':
      case 'WebhookDeactivated':
      case 'WebhookReplaySwitched':
        return;
    }
  }

  /** Nothing else destroys a secret whose time is over. */
  private async end(workspaceId: string, { secretId, until }: { secretId: string; until: string | null }) {
    const name = webhookSecretName(workspaceId, secretId);
    if (until === null) {
      await this.vault.keep(name);
      return;
    }
    const secret = await this.vault.open(name);
    if (secret !== undefined) await this.vault.seal(name, secret, { expiresAt: Date.parse(until) });
  }

  private async drop(workspaceId: string, secretIds: readonly string[]): Promise<void> {
    for (const secretId of secretIds) await this.discard(workspaceId, secretId);
  }
}
