import { Injectable } from '@nestjs/common';
import { deleteMailhook } from '../areas/triggers/mailhook/mailhook.js';
import { type Mailhook, mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { deleteSchedule } from '../areas/triggers/schedule/schedule.js';
import { type Schedule, schedules } from '../areas/triggers/schedule/schedule.record.js';
import { deleteWebhook } from '../areas/triggers/webhook/webhook.js';
import { type Webhook, webhooks, webhookTokenName } from '../areas/triggers/webhook/webhook.record.js';
import { CommandRunner } from '../engine/command-runner.js';
import type { Call } from '../engine/operation/call.js';
import { Reads } from '../engine/reads.js';
import type { Saga } from '../engine/saga-runner.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';
import { Vault } from '../ports/vault.port.js';

type Step = (step: string) => Call;

/** Deletes the webhooks, schedules and mailhooks of a deleted function, flow or agent. Event triggers stay. */
@Injectable()
export class DeleteTriggersOfDeletedTargets implements Saga {
  readonly name = 'deleted-targets-take-their-triggers';
  readonly reads = ['FunctionDeleted', 'FlowDeleted', 'AgentRemoved'];

  constructor(
    private readonly reader: Reads,
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
  ) {}

  async react(event: RecordedEvent, call: Step): Promise<void> {
    const { workspaceId, id: targetRef } = parseStream(event.stream);
    const reason = event.type === 'FunctionDeleted' ? 'function-deleted' : 'target-gone';
    for (const { id } of await this.reader.find<Webhook>(workspaceId, 'webhooks', { where: { targetRef } })) {
      await this.runner.change(call(id), {
        aggregate: webhooks,
        id,
        decide: (webhook) => (webhook ? deleteWebhook(webhook, reason) : []),
      });
      await this.vault.destroy(webhookTokenName(workspaceId, id));
    }
    for (const { id } of await this.reader.find<Schedule>(workspaceId, 'schedules', { where: { targetRef } })) {
      await this.runner.change(call(id), { aggregate: schedules, id, decide: () => deleteSchedule(reason) });
    }
    for (const { id } of await this.reader.find<Mailhook>(workspaceId, 'mailhooks', { where: { targetRef } })) {
      await this.runner.change(call(id), { aggregate: mailhooks, id, decide: () => deleteMailhook(reason) });
    }
  }
}
