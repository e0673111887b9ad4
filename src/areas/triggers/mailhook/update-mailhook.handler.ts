import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Target, targetKindOf } from '../../../kernel/callers/target.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { MailhookUse } from './inbound-email.record.js';
import { changeMailhook } from './mailhook.js';
import { type MailhookView, mailhookView, UpdateMailhook } from './mailhook.operations.js';
import { type MailhookEvent, mailhooks } from './mailhook.record.js';
import { MailhookTargets } from './mailhook-targets.js';

@CommandHandler(UpdateMailhook)
export class UpdateMailhookHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: MailhookTargets,
    private readonly reads: Reads,
  ) {}

  async execute(input: UpdateMailhook): Promise<MailhookView> {
    const call = callOf(input);
    const { id, name, projectId, isActive } = input;
    const found = (await this.runner.find(mailhooks, call.workspaceId, id)) ?? mailhooks.missing();
    const target = targetOf(input);
    const isOther = target !== undefined && (target.kind !== found.targetKind || target.ref !== found.targetRef);
    if (isOther) await this.targets.require(call, target);
    const judge = await this.targets.judge(call, target ?? { kind: found.targetKind, ref: found.targetRef });
    if (typeof projectId === 'string') await this.targets.requireSite(call, projectId);
    const mailhook = await this.runner.change(call, {
      aggregate: mailhooks,
      id,
      decide: (before) => {
        const events = before ? changeMailhook(before, { name, target, projectId, isActive }) : [];
        if (events.some(({ type }) => starting.includes(type))) judge();
        return events;
      },
    });
    if (mailhook === undefined) return mailhooks.missing();
    return mailhookView(mailhook, await this.reads.get<MailhookUse>(call.workspaceId, 'mailhookUses', id));
  }
}

/**
 * After these events the mailhook starts a target it did not start before, so the caller must be allowed to start it.
 */
const starting: readonly MailhookEvent['type'][] = ['MailhookRetargeted', 'MailhookActivated'];

/** Kind and ref must be sent together: one alone would combine with the old other half into an unintended target. */
function targetOf({ targetKind: kind, targetRef: ref }: UpdateMailhook): Target | undefined {
  if (kind === undefined && ref === undefined) return undefined;
  if (kind === undefined) return refuse('mailhook-target-halved', undefined, { at: 'targetKind' });
  if (ref === undefined) return refuse('mailhook-target-halved', undefined, { at: 'targetRef' });
  return { kind: targetKindOf(kind), ref };
}
