import { Injectable } from '@nestjs/common';
import { type Webhook, webhooks, webhookTokenName } from '../areas/automations/webhook/webhook.events.js';
import { deleteWebhook } from '../areas/automations/webhook/webhook.js';
import { CommandRunner } from '../engine/command-runner.js';
import type { Call } from '../engine/operation/call.js';
import { Reads } from '../engine/reads.js';
import type { Saga } from '../engine/saga-runner.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';
import { Vault } from '../ports/vault.port.js';

/** A function's webhooks go with it (settled question Q-G26). */
@Injectable()
export class DeletedFunctionsTakeTheirWebhooks implements Saga {
  readonly name = 'deleted-functions-take-their-webhooks';
  readonly reads = ['FunctionDeleted'];

  constructor(
    private readonly reader: Reads,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
  ) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id: targetRef } = parseStream(event.stream);
    const left = await this.reader.find<Webhook>(workspaceId, 'webhooks', { where: { targetRef } });
    for (const { id } of left) {
      await this.runner.change(call(id), {
        aggregate: webhooks,
        id,
        decide: (webhook) => (webhook ? deleteWebhook(webhook, 'function-deleted') : []),
      });
      await this.vault.destroy(webhookTokenName(workspaceId, id));
    }
  }
}
