import { Injectable } from '@nestjs/common';
import type { Json } from '../../../kernel/json.js';
import { MailError } from '../../../ports/mail.port.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { MailCause, WantedMail } from '../../mailboxes/mail/mail-request.api.js';
import { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { mustHold, refusedCall } from './capability-refusals.js';
import type { RunScope } from './capability-table.api.js';

/** Sends mail for code and reports the result as `message`, `code` and `status` (settled question Q-L02). */
@Injectable()
export class MailSending {
  constructor(private readonly mailboxes: Mailboxes) {}

  async send(scope: RunScope, mailbox: string | undefined, mail: Json | undefined): Promise<Json> {
    mustHold(scope, 'email', 'ctx.email');
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
      const { refused, ...sent } = await this.mailboxes.send(request.workspaceId, mailbox, wanted, causeOf(scope));
      const answer = { ...sent, ...(refused.length > 0 ? { refused } : {}) };
      return (await secrets.hiding.json(answer)).value;
    } catch (error) {
      const refused = refusedCall(error instanceof MailError ? troubled(error) : error);
      if (!(refused instanceof CapabilityRefused)) throw refused;
      throw new CapabilityRefused((await secrets.hiding.text(refused.message)).value, refused.code, refused.status);
    }
  }
}

/** Pages cannot start functions yet, so no run acts for a site (settled question Q-A57). */
export const siteOf = (_scope: RunScope): string | null => null;

function causeOf(scope: RunScope): MailCause {
  const { request, function: fn } = scope;
  const { runId, correlationId } = request;
  return {
    actor: { kind: 'function', id: fn.id, name: fn.name },
    operation: 'ctx.email.send',
    correlationId,
    causationId: runId,
    siteId: siteOf(scope),
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
