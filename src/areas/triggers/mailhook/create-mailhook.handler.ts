import { CommandHandler } from '@nestjs/cqrs';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { targetKindOf } from '../../../kernel/callers/target.js';
import { Vault } from '../../../ports/vault.port.js';
import { createMailhook, localPartOf } from './mailhook.js';
import { CreateMailhook, type MailhookRecord, mailhookView } from './mailhook.operations.js';
import { mailhookAddressName, mailhookAddressText, mailhooks } from './mailhook.record.js';
import { MailhookTargets } from './mailhook-targets.js';

/** The address is stored in the vault before the event that needs it is recorded. */
@CommandHandler(CreateMailhook)
export class CreateMailhookHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: MailhookTargets,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  async execute(input: CreateMailhook): Promise<MailhookRecord> {
    const call = callOf(input);
    const { name, targetRef, projectId = null } = input;
    const targetKind = targetKindOf(input.targetKind);
    await this.targets.require(call, { kind: targetKind, ref: targetRef });
    if (projectId !== null) await this.targets.requireSite(call, projectId);
    const id = call.newId('mh');
    const localPart = localPartOf(call.newToken());
    await this.vault.seal(mailhookAddressName(call.workspaceId, id), Buffer.from(localPart));
    const addressHash = this.vault.derive(mailhookAddressText(localPart));
    const mailhook = await this.runner.change(call, {
      aggregate: mailhooks,
      id,
      begins: true,
      decide: () => createMailhook({ name, targetKind, targetRef, projectId, addressHash }),
    });
    if (mailhook === undefined) return mailhooks.missing();
    return { ...mailhookView(mailhook, undefined), address: `${localPart}@${this.environment.mailIn.domain}` };
  }
}
