import { QueryHandler } from '@nestjs/cqrs';
import type { MailhookUse } from '../../../../projections/triggers/inbound-email.projection.js';
import { Environment } from '../../../config/environment.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Vault } from '../../../ports/vault.port.js';
import { ListMailhooks, type MailhookRecord } from './mailhook.operations.js';
import { type Mailhook, mailhookAddressName } from './mailhook.record.js';
import { mailhookView } from './mailhook-view.js';

/** Shows addresses: it takes them out of the vault. */
@QueryHandler(ListMailhooks)
export class ListMailhooksHandler {
  constructor(
    private readonly reads: Reads,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  async execute(input: ListMailhooks): Promise<{ mailhooks: readonly MailhookRecord[] }> {
    const { workspaceId } = callOf(input);
    const found = await this.reads.find<Mailhook>(workspaceId, 'mailhooks', { sort: [['createdAt', 'asc']] });
    const uses = await this.reads.find<MailhookUse>(workspaceId, 'mailhookUses');
    const use = new Map(uses.map((one) => [one.id, one]));
    const wanted = found.filter(
      ({ projectId }) => input.projectId === undefined || projectId === null || projectId === input.projectId,
    );
    const mailhooks = await Promise.all(wanted.map((mailhook) => this.shown(mailhook, use.get(mailhook.id))));
    return { mailhooks };
  }

  private async shown(mailhook: Mailhook, use: MailhookUse | undefined): Promise<MailhookRecord> {
    const localPart = await this.vault.open(mailhookAddressName(mailhook.workspaceId, mailhook.id));
    const address = `${Buffer.from(localPart ?? []).toString()}@${this.environment.mailIn.domain}`;
    return { ...mailhookView(mailhook, use), address };
  }
}
