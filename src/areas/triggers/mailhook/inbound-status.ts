import type { MailSkipReason } from '../../../kernel/mail/envelope-facts.js';
import type { InboundEmail } from './inbound-email.record.js';

export type InboundStatus = 'received' | 'ok' | 'failed' | 'duplicate' | 'skipped';

type Judged = Pick<InboundEmail, 'outcome' | 'runs' | 'skip' | 'error'>;

/** Returns a mail's status. If it has runs, this is the status of the latest one (settled question Q-L11). */
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

/** Returns the reason, in one sentence, why the mail failed or was skipped. */
export function errorOf(mail: Judged): string | null {
  const last = mail.runs.at(-1);
  if (last !== undefined) return last.error;
  return mail.outcome === 'skipped' ? skipped(mail.skip) : mail.error;
}

function skipped(reason: MailSkipReason | null): string {
  switch (reason) {
    case 'automatic':
      return 'It is a bounce or an automatic answer, so nothing was run: that could go round for ever.';
    case 'own-address':
      return 'It says that it comes from a mailhook address, so nothing was run: that could go round for ever.';
    case 'too-many-hops':
      return 'It went through more than 50 mail servers, so nothing was run: it goes round.';
    case 'mailhook-inactive':
    case null:
      return 'The mailhook was inactive, so nothing was run.';
  }
}
