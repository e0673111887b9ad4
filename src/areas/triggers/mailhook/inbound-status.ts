import type { MailSkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { InboundEmail } from './inbound-email.record.js';

export type InboundStatus = 'received' | 'ok' | 'failed' | 'duplicate' | 'skipped';

type Judged = Pick<InboundEmail, 'outcome' | 'runs' | 'skip' | 'error'>;

/** If the mail has started runs, its status is that of the latest run (settled question Q-L11). */
export function inboundStatusOf({ outcome, runs }: Judged): InboundStatus {
  const last = runs.at(-1);
  if (last !== undefined) return last.end ?? 'received';
  switch (outcome) {
    case 'received':
    case 'started':
      return 'received';
    case 'skipped':
    case 'duplicate':
      return outcome;
    case 'unparsable':
    case 'not-kept':
    case 'target':
      return 'failed';
  }
}

export function errorOf(mail: Judged): string | null {
  const last = mail.runs.at(-1);
  if (last !== undefined) return last.error;
  return mail.outcome === 'skipped' ? skipped(mail.skip) : mail.error;
}

function skipped(reason: MailSkipReason | null): string {
  switch (reason) {
    case 'automatic':
      return 'The mail is a bounce or an automatic reply, so nothing was run, to prevent a mail loop.';
    case 'own-address':
      return 'The sender is the address of a mailhook, so nothing was run, to prevent a mail loop.';
    case 'too-many-hops':
      return 'The mail passed through more than 50 mail servers, which indicates a mail loop, so nothing was run.';
    case 'mailhook-inactive':
    case null:
      return 'The mailhook was inactive, so nothing was run.';
  }
}
