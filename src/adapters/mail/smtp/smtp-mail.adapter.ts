import type { Clock } from '../../../ports/clock.port.js';
import type { Egress } from '../../../ports/network/egress.port.js';
import { Mail, MailError, type MailMessage, type MailServer } from '../../../ports/network/mail.port.js';
import { messageText, recipientsOf } from './message-text.js';
import { SmtpPool, type SmtpPoolLimits } from './smtp-pool.js';
import { SmtpSession, type SmtpSessionLimits, type SmtpSessionOptions } from './smtp-session.js';

export interface SmtpLimits extends SmtpSessionLimits, SmtpPoolLimits {
  /** Time limit for a delivery, including the wait for a connection. */
  readonly mailMs: number;
}

export const smtpLimits: SmtpLimits = {
  connectMs: 10_000,
  greetingMs: 15_000,
  silenceMs: 30_000,
  mailMs: 60_000,
  ofMailbox: 5,
  ofAll: 200,
  idleMs: 20_000,
  mails: 100,
};

export interface SmtpOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  /** The list SMTP_PLAINTEXT_ALLOW: hosts as returned by `canonicalHost`. */
  readonly plaintextAllow: readonly string[];
  /** Certificates of issuers that are trusted instead of the usual ones. */
  readonly ca?: readonly string[];
  readonly limits?: Partial<SmtpLimits>;
}

export class SmtpMail extends Mail {
  private readonly limits: SmtpLimits;
  private readonly opening: SmtpSessionOptions;
  private readonly pool: SmtpPool;

  constructor(private readonly options: SmtpOptions) {
    super();
    this.limits = { ...smtpLimits, ...options.limits };
    this.opening = { ...options, limits: this.limits };
    this.pool = new SmtpPool(options.clock, this.limits, (server, signal) =>
      SmtpSession.open(server, this.opening, signal),
    );
  }

  override async verify(server: MailServer): Promise<void> {
    await this.within(async (signal) => (await SmtpSession.open(server, this.opening, signal)).quit());
  }

  override async send(server: MailServer, message: MailMessage): Promise<{ readonly refused: readonly string[] }> {
    const text = await messageText(message);
    const recipients = recipientsOf(message);
    const once = (signal: AbortSignal) =>
      this.pool.with(server, signal, (one) => one.deliver(message.from.address, recipients, text, signal));
    return await this.within(async (signal) => {
      // An attempt results in `over` if the server has closed the idle connection that the attempt used. The mailbox
      // has at most `ofMailbox` idle connections, so the last attempt opens a new one.
      for (let reused = 0; reused <= this.limits.ofMailbox; reused += 1) {
        const outcome = await once(signal);
        if (outcome !== 'over') return outcome;
      }
      const sentence = `The mail server '${server.host}' closes every connection; try again later.`;
      throw new MailError('lost', sentence, true);
    });
  }

  override async close(): Promise<void> {
    this.pool.close();
  }

  private async within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const callOff = this.options.clock.after(this.limits.mailMs, () => late.abort());
    try {
      return await work(late.signal);
    } finally {
      callOff();
    }
  }
}
