import { firstOf, readHeaders } from './header-fields.js';
import { MailLines } from './mail-lines.js';

/** Maximum number of relays between the sender and this server. More relays mean a mail loop. */
const mostHops = 50;

/** Reason why the mail is stored and listed but starts no run. */
export type MailSkipReason = 'mailhook-inactive' | 'automatic' | 'own-address' | 'too-many-hops';

export interface MailFacts {
  readonly messageId: string | undefined;
  readonly skip: MailSkipReason | null;
}

/** Reads only the envelope and the first headers. `from` is the sender in the envelope, which is empty for a bounce. */
export function factsOf(raw: Uint8Array, from: string, ownDomain: string): MailFacts {
  const { fields } = readHeaders(new MailLines(raw));
  const messageId = firstOf(fields, 'message-id');
  return { messageId: messageId === '' ? undefined : messageId?.slice(0, 2_000), skip: skipOf() };

  function skipOf(): MailSkipReason | null {
    const senders = [from, firstOf(fields, 'from') ?? '', firstOf(fields, 'sender') ?? ''];
    if (senders.some((sender) => isOf(sender, ownDomain))) return 'own-address';
    if (fields.filter(({ name }) => name === 'received').length > mostHops) return 'too-many-hops';
    const submitted = firstOf(fields, 'auto-submitted')?.toLowerCase() ?? 'no';
    const isAnswer = /^auto[_-]reply\b/i.test(firstOf(fields, 'precedence') ?? '');
    return from === '' || isAnswer || !/^no\b/.test(submitted) ? 'automatic' : null;
  }
}

function isOf(sender: string, domain: string): boolean {
  const lower = sender.toLowerCase();
  for (let at = lower.indexOf(`@${domain}`); at !== -1; at = lower.indexOf(`@${domain}`, at + 1)) {
    if (!/^[a-z0-9.-]/.test(lower.slice(at + domain.length + 1))) return true;
  }
  return false;
}
