import { QueryHandler } from '@nestjs/cqrs';
import { Environment } from '../../../config/environment.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { Vault } from '../../../ports/vault.port.js';
import type { MailhookUse } from './inbound-email.record.js';
import { type ListedMailhook, ListMailhooks, mailhookView } from './mailhook.operations.js';
import { type Mailhook, mailhookAddressName } from './mailhook.record.js';

/** Shows addresses, which it reads from the vault. */
@QueryHandler(ListMailhooks)
export class ListMailhooksHandler {
  constructor(
    private readonly reads: Reads,
    private readonly vault: Vault,
    private readonly targets: StartableTargets,
    private readonly environment: Environment,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListMailhooks): Promise<{ mailhooks: readonly ListedMailhook[] }> {
    const call = callOf(input);
    const { workspaceId } = call;
    const all = await this.reads.find<Mailhook>(workspaceId, 'mailhooks', { sort: [['createdAt', 'asc']] });
    const found = await this.scopes.allowed(call, all);
    const uses = await this.reads.find<MailhookUse>(workspaceId, 'mailhookUses');
    const use = new Map(uses.map((one) => [one.id, one]));
    const wanted = found.filter(
      ({ projectId }) => input.projectId === undefined || projectId === null || projectId === input.projectId,
    );
    const mailhooks = await Promise.all(wanted.map((mailhook) => this.shown(call, mailhook, use.get(mailhook.id))));
    return { mailhooks };
  }

  /** Mail to the address starts the target, so it is shown only to callers who may do that themselves. */
  private async shown(call: Call, mailhook: Mailhook, use: MailhookUse | undefined): Promise<ListedMailhook> {
    const { targetKind: kind, targetRef: ref } = mailhook;
    if (!(await this.targets.mayStart(call, { kind, ref }))) return { ...mailhookView(mailhook, use), address: null };
    const localPart = await this.vault.open(mailhookAddressName(mailhook.workspaceId, mailhook.id));
    // Destroyed when the mailhook was deleted; it came back, and mail to the address it had starts its target again.
    if (localPart === undefined) return { ...mailhookView(mailhook, use), address: null };
    const address = `${Buffer.from(localPart).toString()}@${this.environment.mailIn.domain}`;
    return { ...mailhookView(mailhook, use), address };
  }
}
