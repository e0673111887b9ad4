import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Journal } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import { Clock } from '../../../ports/clock.port.js';
import type { Run } from '../../functions/run/run.record.js';
import { type InboundEmailEvent, inboundStream, type MailRunBefore } from './inbound-email.record.js';
import { mailhooks } from './mailhook.record.js';

const dayMs = 24 * 3_600_000;
const actor = systemActor('run-retention');

/**
 * Records in the journals of mailhooks how runs ended that are about to be removed. Otherwise a rebuilt read model would
 * show their mails as waiting for a run, and the mails would run again.
 */
@Injectable()
export class ForgottenMailRuns {
  constructor(
    private readonly journal: Journal,
    private readonly runner: CommandRunner,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  async keep(workspaceId: string, runs: readonly Run[]): Promise<void> {
    const young = new Date(this.clock.now() - this.environment.runRetentionDays * dayMs).toISOString();
    // The mails of older runs have been removed.
    const ofMails = runs.filter(({ createdAt }) => createdAt >= young);
    for (const [mailhookId, some] of Map.groupBy(ofMails, ({ starter }) => ('id' in starter ? starter.id : ''))) {
      const ended = some.flatMap(endOf);
      if (ended.length > 0) while (!(await this.record(workspaceId, mailhookId, ended)));
    }
  }

  /**
   * Records nothing for a deleted mailhook, whose journal must stay empty. Returns false if another writer has appended
   * to the journal in the meantime.
   */
  private async record(workspaceId: string, mailhookId: string, runs: readonly MailRunBefore[]): Promise<boolean> {
    const stream = inboundStream(workspaceId, mailhookId);
    const last = await this.journal.last(stream);
    if (last === undefined || (await this.runner.find(mailhooks, workspaceId, mailhookId)) === undefined) return true;
    const event = { type: 'InboundEmailRunsForgotten', data: { runs } } satisfies InboundEmailEvent;
    const by = { workspaceId, actor, operation: 'automations/inboundMail' };
    return (await this.journal.appendIfFirst({ stream, by, events: [event], expected: last.revision })) !== undefined;
  }
}

function endOf({ id: runId, causationId: mailId, attempts }: Run): readonly MailRunBefore[] {
  if (mailId === null) return [];
  return [{ mailId, runId, error: attempts.at(-1)?.error ?? null, over: attempts.map(({ number }) => number) }];
}
