import type { MailAccountEvent } from './mail-account.record.js';
import type { MailDefault, MailDefaultEvent } from './mail-default.record.js';

/** What happened to a mailbox, and when. */
export interface Happened {
  readonly mailAccountId: string;
  readonly event: MailAccountEvent;
  readonly askedAt: string;
  /** It is followed up by somebody else than the call that recorded it: what was asked since then stays. */
  readonly late: boolean;
}

/**
 * What follows for the default (settled question Q-A52): the first mailbox becomes it, and so does one that is created
 * while there is none; a new default takes the place of the old; a deleted mailbox is none.
 */
export function followForDefault(now: MailDefault | undefined, happened: Happened): readonly MailDefaultEvent[] {
  const { mailAccountId, event, askedAt, late } = happened;
  const isDefault = now !== undefined && now.mailAccountId === mailAccountId;
  const choose = (chosen: string | null): readonly MailDefaultEvent[] => {
    if (chosen === (now?.mailAccountId ?? null) || (late && now !== undefined && now.askedAt >= askedAt)) return [];
    return [{ type: 'DefaultMailboxChosen', data: { mailAccountId: chosen, askedAt } }];
  };
  switch (event.type) {
    case 'MailAccountCreated':
    case 'MailAccountChanged': {
      const becomesFirst = event.type === 'MailAccountCreated' && (now?.mailAccountId ?? null) === null;
      const asked = event.data.isDefault ?? (becomesFirst ? true : undefined);
      if (asked === true) return choose(mailAccountId);
      return asked === false && isDefault ? choose(null) : [];
    }
    case 'MailAccountDeleted':
      return isDefault ? [{ type: 'DefaultMailboxChosen', data: { mailAccountId: null, askedAt } }] : [];
    case 'MailAccountActivated':
    case 'MailAccountDeactivated':
    case 'MailAccountTested':
      return [];
  }
}
