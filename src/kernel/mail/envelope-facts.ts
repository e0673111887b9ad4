import { firstOf, readHeaders } from './header-fields.js';
import { MailLines } from './mail-lines.js';

/** Relays between the sender and here; more are a mail that goes round (as mail servers count). */
const mostHops = 50;

/** Why a mail is kept and listed and nothing is run. */
export type SkipReason = 'mailhook-inactive' | 'automatic' | 'own-address' | 'too-many-hops';

export interface MailFacts {
  /** As it was sent; undefined where there is none. */
  readonly messageId: string | undefined;
  readonly skip: SkipReason | null;
}

/** What its first headers and its envelope tell of a mail before it is parsed. `from` is empty for a bounce. */
export function factsOf(raw: Uint8Array, from: string, ownDomain: string): MailFacts {
  const { fields } = readHeaders(new MailLines(raw));
  const messageId = firstOf(fields, 'message-id');
  return { messageId: messageId === '' ? undefined : messageId?.slice(0, 2_000), skip: skipOf() };

  function skipOf(): SkipReason | null {
    const senders = [from, firstOf(fields, 'from') ?? '', firstOf(fields, 'sender') ?? ''];
    if (senders.some((sender) => isOf(sender, ownDomain))) return 'own-address';
    if (fields.filter(({ name }) => name === 'received').length > mostHops) return 'too-many-hops';
    const submitted = firstOf(fields, 'auto-submitted')?.toLowerCase() ?? 'no';
    const isAnswer = /^auto[_-]reply\b/i.test(firstOf(fields, 'precedence') ?? '');
    return from === '' || isAnswer || !/^no\b/.test(submitted) ? 'automatic' : null;
  }
}

/** Whether an address of the domain stands in it. */
function isOf(sender: string, domain: string): boolean {
  const lower = sender.toLowerCase();
  for (let at = lower.indexOf(`@${domain}`); at !== -1; at = lower.indexOf(`@${domain}`, at + 1)) {
    if (!/^[a-z0-9.-]/.test(lower.slice(at + domain.length + 1))) return true;
  }
  return false;
}
