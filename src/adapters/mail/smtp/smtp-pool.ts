import type { Clock } from '../../../ports/clock.port.js';
import { MailError, type MailServer } from '../../../ports/network/mail.port.js';
import type { SmtpSession } from './smtp-session.js';

export interface SmtpPoolLimits {
  readonly ofMailbox: number;
  readonly ofAll: number;
  readonly idleMs: number;
  /** Maximum number of mails per connection. Servers limit this number too. */
  readonly mails: number;
}

interface Waiting {
  readonly mailbox: string;
  readonly go: () => void;
}

interface IdleConnection {
  readonly conversation: SmtpSession;
  readonly callOff: () => void;
}

/**
 * If a limit is reached, senders wait. When a mailbox sends with changed settings, its idle connections with the old
 * settings are closed.
 */
export class SmtpPool {
  private idle: IdleConnection[] = [];
  private readonly busy = new Map<string, number>();
  private busyOfAll = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly limits: SmtpPoolLimits,
    private readonly open: (server: MailServer, signal: AbortSignal) => Promise<SmtpSession>,
  ) {}

  /** @throws MailError, and errors of the work */
  async with<T>(server: MailServer, signal: AbortSignal, work: (conversation: SmtpSession) => Promise<T>): Promise<T> {
    await this.waitForTurn(server, signal);
    let conversation: SmtpSession | undefined;
    try {
      conversation = this.takeIdle(server) ?? (await this.open(server, signal));
      return await work(conversation);
    } finally {
      this.release(server.mailbox, conversation);
    }
  }

  close(): void {
    for (const one of this.idle.splice(0)) this.end(one);
  }

  private async waitForTurn({ mailbox, host }: MailServer, signal: AbortSignal): Promise<void> {
    if (!this.hasRoom(mailbox)) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const one: Waiting = { mailbox, go: resolve };
      const late = () => {
        this.waiting = this.waiting.filter((other) => other !== one);
        const sentence = `The mail server '${host}' is too slow for the amount of mail; send less at once, or try again later.`;
        reject(new MailError('timeout', sentence, true));
      };
      this.waiting.push(one);
      signal.addEventListener('abort', late);
      await promise.finally(() => signal.removeEventListener('abort', late));
      return;
    }
    this.count(mailbox, 1);
  }

  private hasRoom(mailbox: string): boolean {
    return (this.busy.get(mailbox) ?? 0) < this.limits.ofMailbox && this.busyOfAll < this.limits.ofAll;
  }

  private count(mailbox: string, by: 1 | -1): void {
    const now = (this.busy.get(mailbox) ?? 0) + by;
    if (now === 0) this.busy.delete(mailbox);
    else this.busy.set(mailbox, now);
    this.busyOfAll += by;
  }

  private takeIdle(server: MailServer): SmtpSession | undefined {
    const own = this.idle.filter(({ conversation }) => conversation.server.mailbox === server.mailbox);
    for (const one of own) {
      this.idle = this.idle.filter((other) => other !== one);
      one.callOff();
      if (one.conversation.isOpen && isSame(one.conversation.server, server)) return one.conversation;
      one.conversation.quit();
    }
    if (this.busyOfAll + this.idle.length > this.limits.ofAll) {
      const [oldest] = this.idle.splice(0, 1);
      if (oldest) this.end(oldest);
    }
    return undefined;
  }

  private release(mailbox: string, conversation: SmtpSession | undefined): void {
    this.count(mailbox, -1);
    if (conversation?.isOpen) this.addIdle(conversation);
    const next = this.waiting.find((one) => this.hasRoom(one.mailbox));
    if (next === undefined) return;
    this.waiting = this.waiting.filter((one) => one !== next);
    this.count(next.mailbox, 1);
    next.go();
  }

  private addIdle(conversation: SmtpSession): void {
    if (conversation.mails >= this.limits.mails) {
      conversation.quit();
      return;
    }
    const callOff = this.clock.after(this.limits.idleMs, () => {
      this.idle = this.idle.filter((one) => one.conversation !== conversation);
      conversation.quit();
    });
    this.idle.push({ conversation, callOff });
  }

  private end({ conversation, callOff }: IdleConnection): void {
    callOff();
    conversation.quit();
  }
}

function isSame(a: MailServer, b: MailServer): boolean {
  const same = a.host === b.host && a.port === b.port && a.secure === b.secure;
  return same && a.username === b.username && a.passwordId === b.passwordId;
}
