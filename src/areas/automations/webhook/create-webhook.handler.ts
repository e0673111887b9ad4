import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import { Vault } from '../../../ports/vault.port.js';
import type { Workspace } from '../../workspace/workspace/workspace.events.js';
import { type AccountFunction, accountFunctions } from '../function/function.events.js';
import { webhooks, webhookTokenName, webhookTokenText } from './webhook.events.js';
import { createWebhook } from './webhook.js';
import { CreateWebhook } from './webhook.operations.js';

/** The function has to be there and active; the token goes to the vault before the event that needs it. */
@CommandHandler(CreateWebhook)
export class CreateWebhookHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly vault: Vault,
  ) {}

  async execute(input: CreateWebhook): Promise<{ id: string; token: string }> {
    const call = callOf(input);
    if (input.kind === 'site') await this.refuseSite(call.workspaceId);
    const fn = await this.reads.get<AccountFunction>(call.workspaceId, 'functions', input.functionId);
    if (fn === undefined) return accountFunctions.missing();
    if (!fn.isActive) return refuse('target-inactive', { name: fn.name });
    const id = call.newId('wh');
    const token = call.newToken();
    await this.vault.seal(webhookTokenName(call.workspaceId, id), Buffer.from(token));
    await this.runner.change(call, {
      aggregate: webhooks,
      id,
      begins: true,
      decide: () => createWebhook(fn.id, this.vault.derive(webhookTokenText(token))),
    });
    return { id, token };
  }

  /** No site functions are kept yet: where the switch is on, the id names none. */
  private async refuseSite(workspaceId: string): Promise<never> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    return workspace?.settings.siteFunctionWebhooks ? accountFunctions.missing() : refuse('site-webhooks-off');
  }
}
