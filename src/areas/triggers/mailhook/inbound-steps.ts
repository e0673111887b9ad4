import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Targets } from '../../../engine/scopes/targets.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { MailParser, MailUnparsable, type ParsedMail } from '../../../ports/offloaded/mail-parser.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { refuse } from '../triggers.refusals.js';
import {
  firstRunOf,
  type InboundEmail,
  type InboundEmailEvent,
  inboundEmailName,
  type MailRun,
  rawMailName,
} from './inbound-email.record.js';
import { type InboundEntry, InboundJournal } from './inbound-journal.api.js';
import { mailInput, mailShown } from './mail-input.js';
import type { Mailhook } from './mailhook.record.js';

const dayMs = 24 * 3_600_000;
const actor = systemActor('inbound-mail');

type Start = Pick<MailRun, 'runId' | 'target'> & Partial<Pick<MailRun, 'neverDeletes'>>;
type MailStarted = Extract<InboundEmailEvent, { type: 'InboundEmailStarted' }>;
type Failure = { readonly why: 'unparsable' | 'not-kept'; readonly error: string };

/**
 * Parses a received mail, records what is done with it, and starts its target. A step that is repeated after a crash
 * does not record its result again.
 */
@Injectable()
export class InboundSteps {
  constructor(
    private readonly reads: Reads,
    private readonly journal: InboundJournal,
    private readonly targets: Targets,
    private readonly parser: MailParser,
    private readonly blobs: Blobs,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  async settle(mail: InboundEmail, mailhook: Mailhook): Promise<void> {
    const parsed = await this.parsed(mail);
    if ('why' in parsed) return this.record(mail, failedWith(mail, null, parsed.why, parsed.error));
    const run = await this.decided(mail, mailhook);
    // Storing the mail's content and starting the run both write to the vault, so they run in parallel to save time.
    // Lists may therefore show the mail's outcome shortly before its content.
    await Promise.all([this.sealShownParts(mail, parsed), run && this.startWith(mail, mailhook, run, parsed)]);
  }

  /** Starts a recorded run that was not started yet: a user requested the run, or a crash interrupted its start. */
  async start(mail: InboundEmail, mailhook: Mailhook, run: MailRun): Promise<void> {
    const parsed = await this.parsed(mail);
    if ('why' in parsed) return this.record(mail, failedWith(mail, run.runId, parsed.why, parsed.error), run.runId);
    await Promise.all([this.sealShownParts(mail, parsed), this.startWith(mail, mailhook, run, parsed)]);
  }

  /** Records that a run has perhaps ended already, and can no longer be found. */
  async giveUp(mail: InboundEmail, { runId }: MailRun): Promise<void> {
    const error = 'The record of this run was removed with older runs of the function, so it was not started again.';
    await this.record(mail, failedWith(mail, runId, 'target', error), runId);
  }

  private async decided(mail: InboundEmail, mailhook: Mailhook): Promise<Start | undefined> {
    const { id: mailId } = mail;
    if (mail.skip !== null) {
      await this.record(mail, { type: 'InboundEmailSkipped', data: { mailId } });
      return undefined;
    }
    const first = await this.firstOf(mail);
    if (first !== mailId) {
      await this.record(mail, { type: 'InboundEmailDuplicated', data: { mailId, of: first } });
      return undefined;
    }
    const { targetKind, targetRef } = mailhook;
    const runId = firstRunOf(mailId);
    // The target is recorded before it is started, so a repeated start uses the same target.
    const decision = { mailId, runId, targetKind, targetRef, rerun: false };
    const { targetKind: kind, targetRef: ref } = await this.recordStart(mail, decision);
    return { runId, target: { kind, ref } };
  }

  /** Returns what is recorded: if a crash interrupted an earlier step, that step's decision, which is not replaced. */
  private async recordStart(mail: InboundEmail, data: MailStarted['data']): Promise<MailStarted['data']> {
    const [written] = await this.journal.write(entryOf(mail, { type: 'InboundEmailStarted', data }));
    const recorded = written && (await this.journal.at(mail.workspaceId, mail.mailhookId, written.revision));
    return recorded?.type === 'InboundEmailStarted' && recorded.data.runId === data.runId ? recorded.data : data;
  }

  private async startWith(
    mail: InboundEmail,
    { name, keepInput }: Mailhook,
    { runId, target, neverDeletes }: Start,
    parsed: ParsedMail,
  ): Promise<void> {
    const { id: mailId, workspaceId, mailhookId, receivedAt } = mail;
    try {
      if (!(await this.targets.isOn(workspaceId, target.kind))) refuse('site-targets-off');
      await this.targets.start([
        {
          workspaceId,
          target,
          runId,
          input: mailInput(mailId, receivedAt, parsed),
          source: 'event',
          starter: { kind: 'mailhook', id: mailhookId, name },
          actor: { kind: 'mailhook', id: mailhookId, name },
          correlationId: mailId,
          causationId: mailId,
          eventDepth: 0,
          neverDeletes,
          keepInput,
        },
      ]);
    } catch (error) {
      // If a store is unavailable, the mail is retried. Other refusals, such as a missing target, are final.
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      await this.record(mail, failedWith(mail, runId, 'target', error.message), runId);
    }
  }

  private async parsed({ id, workspaceId, mailhookId }: InboundEmail): Promise<ParsedMail | Failure> {
    const raw = await this.blobs.open(rawMailName(workspaceId, mailhookId, id));
    if (raw === undefined) return { why: 'not-kept', error: 'The mail is no longer stored, so nothing was run.' };
    try {
      return await this.parser.parse({ workspaceId, raw });
    } catch (error) {
      if (!(error instanceof MailUnparsable)) throw error;
      return { why: 'unparsable', error: error.message };
    }
  }

  /** The vault deletes the content when the mail's retention ends, even if other steps fail. */
  private async sealShownParts({ id, workspaceId, receivedAt }: InboundEmail, mail: ParsedMail): Promise<void> {
    const expiresAt = Date.parse(receivedAt) + this.environment.runRetentionDays * dayMs;
    const shown = Buffer.from(JSON.stringify(mailShown(id, receivedAt, mail)));
    await this.vault.seal(inboundEmailName(workspaceId, id), shown, { expiresAt });
  }

  private async firstOf({ id, workspaceId, mailhookId, messageKey }: InboundEmail): Promise<string> {
    const [first] = await this.reads.find<InboundEmail>(workspaceId, 'inboundEmails', {
      where: { mailhookId, messageKey, skip: null },
      sort: [['position', 'asc']],
      limit: 1,
    });
    return first?.id ?? id;
  }

  private async record(mail: InboundEmail, event: InboundEmailEvent, runId?: string): Promise<void> {
    await this.journal.write(entryOf(mail, event, runId));
  }
}

function entryOf(mail: InboundEmail, event: InboundEmailEvent, runId = 'first'): InboundEntry {
  const { id, workspaceId, mailhookId } = mail;
  return { workspaceId, mailhookId, actor, event, once: `${id}/${runId}`, correlationId: id };
}

function failedWith(
  { id: mailId }: InboundEmail,
  runId: string | null,
  why: Failure['why'] | 'target',
  error: string,
): InboundEmailEvent {
  return { type: 'InboundEmailFailed', data: { mailId, runId, why, error } };
}
