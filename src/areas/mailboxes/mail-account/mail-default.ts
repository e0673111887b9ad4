import type { MailAccountEvent } from './mail-account.record.js';
import type { MailDefault, MailDefaultEvent } from './mail-default.record.js';

/** An event of a mailbox, with the time at which the change was requested. */
export interface MailboxEvent {
  readonly mailAccountId: string;
  readonly event: MailAccountEvent;
  readonly askedAt: string;
  /**
   * True if a saga handles the event, some time after the call that recorded it. A change of the default that was
   * requested after the event is then not overwritten.
   */
  readonly late: boolean;
}

/**
 * Returns the events that change the default (settled question Q-A52). A created or changed mailbox becomes the default
 * if `isDefault` is true, and gives the default up if it is false. If `isDefault` is omitted, a created mailbox becomes
 * the default only if there is none. A deleted mailbox is no longer the default.
 */
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
