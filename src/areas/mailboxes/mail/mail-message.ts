import type { MailMessage } from '../../../ports/network/mail.port.js';
import type { MailAccount } from '../mail-account/mail-account.record.js';
import type { JudgedMail } from './mail-validation.js';

/** The Message-ID is derived from `key`. */
export function messageOf(
  { fromAddress, fromName: ownName, replyTo }: MailAccount,
  { size: _, fromName, ...judged }: JudgedMail,
  key: string,
): MailMessage {
  const name = fromName === '' ? ownName : fromName;
  return {
    ...judged,
    messageId: `<${key}@${fromAddress.slice(fromAddress.lastIndexOf('@') + 1)}>`,
    from: name === '' ? { address: fromAddress } : { address: fromAddress, name },
    replyTo: judged.replyTo ?? (replyTo === '' ? undefined : { address: replyTo }),
  };
}
