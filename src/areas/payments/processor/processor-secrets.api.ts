import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { draftKeptMs, Vault } from '../../../ports/vault.port.js';
import type { ProcessorConnectionEvent } from './processor-connection.record.js';

const nameOf = (workspaceId: string, secretId: string) => `processor-webhook/${workspaceId}/${secretId}`;

/** The secrets that sign a processor's events, in the vault. One that no event refers to yet is a draft, which expires. */
@Injectable()
export class ProcessorSecrets {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  async draft(workspaceId: string, secretId: string, secret: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    await this.vault.seal(nameOf(workspaceId, secretId), Buffer.from(secret, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Undefined: it was replaced meanwhile. */
  async open(workspaceId: string, secretId: string): Promise<string | undefined> {
    const secret = await this.vault.open(nameOf(workspaceId, secretId));
    return secret && Buffer.from(secret).toString('utf8');
  }

  /** Only for secrets that no event refers to. */
  async discard(workspaceId: string, secretId: string): Promise<void> {
    await this.vault.destroy(nameOf(workspaceId, secretId));
  }

  /** Carries out a recorded event: keeps the secret it refers to and destroys the one it replaces. May be repeated. */
  async follow(workspaceId: string, { type, data }: ProcessorConnectionEvent): Promise<void> {
    switch (type) {
      case 'ProcessorWebhookRegistered':
        await this.vault.keep(nameOf(workspaceId, data.secretId));
        if (data.replaces !== null) await this.discard(workspaceId, data.replaces.secretId);
        return;
      case 'ProcessorConnectionRemoved':
        for (const secretId of data.secretIds) await this.discard(workspaceId, secretId);
        return;
      case 'ProcessorConnectionBegun':
      case 'ProcessorModeSet':
      case 'ManualPaymentsSet':
      case 'ProcessorTroubleNoted':
        return;
    }
  }
}
