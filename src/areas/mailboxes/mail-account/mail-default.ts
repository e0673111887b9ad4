import type { MailAccountEvent } from './mail-account.record.js';
import type { MailDefault, MailDefaultEvent } from './mail-default.record.js';

export interface MailboxEvent {
  readonly mailAccountId: string;
  readonly event: MailAccountEvent;
  readonly askedAt: string;
  /**
   * True if a saga handles the event later, not the call that recorded it. If somebody has chosen a default after the
   * event was recorded, the saga must not overwrite that choice.
   */
  readonly late: boolean;
}

/** If `isDefault` is omitted, a created mailbox becomes the default only if there is none (settled question Q-A52). */
export function followForDefault(now: MailDefault | undefined, happened: MailboxEvent): readonly MailDefaultEvent[] {
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
