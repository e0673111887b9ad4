import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json/json.js';
import { MailError } from '../../../ports/mail.port.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { MailCause, WantedMail } from '../../mailboxes/mail/mail-request.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import type { Power } from '../function/function.record.js';
import { mustHold, refusedCall } from './capability-refusals.js';
import type { RunScope } from './capability-table.api.js';

/** A way out for mail: which power it needs, and for which site it looks mailboxes up (settled question Q-S129). */
export interface MailLane {
  readonly member: string;
  readonly power: Power;
  /** Null: mailboxes of no site. */
  siteOf(scope: RunScope): string | null;
}

/** The mailboxes of the function's site, and those of no site. */
export const ownLane: MailLane = {
  member: 'ctx.email',
  power: 'email',
  siteOf: ({ function: { projectId } }) => projectId ?? null,
};

/** The mailboxes of the account alone; for Full data access. */
export const serviceLane: MailLane = { member: 'ctx.service.email', power: 'service', siteOf: () => null };

/** Sends mail for code and reports the result as `message`, `code` and `status` (settled question Q-L02). */
@Injectable()
export class MailSending {
  constructor(private readonly mailboxes: Mailboxes) {}

  async send(scope: RunScope, lane: MailLane, mailbox: string | undefined, mail: Json | undefined): Promise<Json> {
    mustHold(scope, lane.power, lane.member);
    const { request, secrets } = scope;
    if (mail !== undefined && JSON.stringify(mail).includes(secrets.seal))
      throw new CapabilityRefused(
        'Nothing was sent: no secret goes into a mail, and a marker of one is no text.',
        'secret-in-mail',
        400,
      );
    try {
      // Code may pass anything. The mail builder checks every field.
      const wanted = mail as unknown as WantedMail;
      const { refused, ...sent } = await this.mailboxes.send(
        request.workspaceId,
        mailbox,
        wanted,
        causeOf(scope, lane),
      );
      const answer = { ...sent, ...(refused.length > 0 ? { refused } : {}) };
      return (await secrets.hiding.json(answer)).value;
    } catch (error) {
      const refused = refusedCall(error instanceof MailError ? troubled(error) : error);
      if (!(refused instanceof CapabilityRefused)) throw refused;
      throw new CapabilityRefused((await secrets.hiding.text(refused.message)).value, refused.code, refused.status);
    }
  }

  async sendVia(scope: RunScope, lane: MailLane, [mailbox, mail]: readonly Json[]): Promise<Json> {
    mustHold(scope, lane.power, lane.member);
    if (typeof mailbox === 'string') return this.send(scope, lane, mailbox, mail);
    throw new CapabilityRefused(
      `${lane.member}.sendVia takes the name of a mailbox, and a mail.`,
      'invalid-input',
      400,
    );
  }

  async accounts(scope: RunScope, lane: MailLane): Promise<Json> {
    mustHold(scope, lane.power, lane.member);
    const usable = await this.mailboxes.usable(scope.request.workspaceId, lane.siteOf(scope));
    return (await scope.secrets.hiding.json(usable.map((mailbox) => ({ ...mailbox })))).value;
  }
}

function causeOf(scope: RunScope, lane: MailLane): MailCause {
  const { request, function: fn } = scope;
  const { runId, correlationId } = request;
  return {
    actor: { kind: 'function', id: fn.id, name: fn.name },
    operation: `${lane.member}.send`,
    correlationId,
    causationId: runId,
    siteId: lane.siteOf(scope),
    run: { functionId: fn.id, runId },
  };
}

function troubled({ kind, message, serverSaid, surelyNotSent }: MailError): CapabilityRefused {
  const said = serverSaid === undefined ? '' : ` It said: ${serverSaid}`;
  const perhaps = surelyNotSent ? '' : ' The mail may have gone all the same.';
  return new CapabilityRefused(`${message}${said}${perhaps}`, `mail-${kind}`, statusOf(kind));
}

function statusOf(kind: MailError['kind']): number {
  switch (kind) {
    case 'address':
      return 403;
    case 'later':
      return 503;
    case 'timeout':
      return 504;
    case 'unreachable':
    case 'tls':
    case 'login':
    case 'recipients':
    case 'refused':
    case 'lost':
      return 502;
  }
}
