import { Injectable, Logger } from '@nestjs/common';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { Environment } from '../config/environment.js';
import { type Worker, WorkerSource } from '../engine/cluster/worker.js';
import { Metrics } from '../engine/health/metrics.js';
import { Readiness } from '../engine/health/readiness.js';
import { RateLimit } from '../engine/quotas/rate-limit.js';
import { reasonOf } from '../kernel/reason.js';
import { Clock } from '../ports/clock.port.js';
import { MailIngress } from './mail-ingress.js';
import { MailIntake } from './mail-intake.js';
import { MailSessions } from './mail-sessions.js';
import { MailRecipients } from './mailhook-addresses.js';
import { mailServerOptions } from './server-options.js';
import {
  addressTooBusy,
  guessedTooOften,
  mailUnavailable,
  noSuchAddress,
  SmtpRefusal,
  tooManyConnections,
  tooManyMails,
} from './smtp-refusal.js';

/** Time limit for receiving one mail, in milliseconds. `longestSessionMs` is the limit for a whole connection. */
const longestMailMs = 10 * 60_000;
const longestSessionMs = 60 * 60_000;

/** Accepts only mail to mailhooks. Addresses of mailhooks are secret, so they must never be logged. */
@Injectable()
export class MailIn extends WorkerSource {
  private readonly log = new Logger('Mail');
  private readonly intake: MailIntake;
  private readonly clientLimit: RateLimit;
  private readonly hookLimit: RateLimit;
  private readonly sessions = new MailSessions();
  private readonly receiving = new Set<string>();
  private server: SMTPServer | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly addresses: MailRecipients,
    private readonly ingress: MailIngress,
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    clock: Clock,
  ) {
    super();
    const { maxBytes, clientRate, hookRate } = environment.mailIn;
    this.intake = new MailIntake(maxBytes);
    this.clientLimit = new RateLimit({ burst: clientRate, fillMs: 60_000 }, clock);
    this.hookLimit = new RateLimit({ burst: hookRate, fillMs: 60_000 }, clock);
  }

  override workers(): readonly Worker[] {
    return [{ kind: 'entrance', name: 'mail-in', start: () => this.start(), stop: () => this.stop() }];
  }

  /** @throws Error that names the settings, if the server cannot listen */
  private async start(): Promise<void> {
    const { host, port } = this.environment.mailIn;
    if (port === undefined) return;
    const server = new SMTPServer({
      ...mailServerOptions(this.environment.mailIn),
      onConnect: (session, done) => this.answer(done, async () => this.connected(session)),
      onMailFrom: (_address, session, done) => this.answer(done, async () => this.mayBegin(session)),
      onRcptTo: ({ address }, session, done) => this.answer(done, () => this.mayReceive(address, session)),
      onData: (stream, session, done) => this.answer(done, () => this.take(stream, session)),
      onClose: ({ id }) => this.sessions.end(id),
    });
    await listening(server, port, host);
    server.on('error', (error) => this.log.debug(`A connection ended: ${reasonOf(error)}`));
    this.server = server;
    this.readiness.also('mailIn', () => this.check());
  }

  /**
   * Connections without a mail in progress are closed at once; mails that are being received have `closeTimeout` to
   * arrive completely.
   */
  private async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of server.connections) {
      if (!this.receiving.has(connection.id)) connection.send(421, 'The server is stopping');
    }
    await closed;
  }

  private async check(): Promise<void> {
    if (this.server?.server.listening !== true)
      throw new Error('No mail is received, because the mail server does not listen.');
  }

  private connected({ id, remoteAddress }: SMTPServerSession): void {
    const end = () => this.leave(id, 'The connection was open for too long');
    if (!this.sessions.begin(id, remoteAddress, longestSessionMs, end)) throw tooManyConnections();
  }

  private mayBegin({ remoteAddress }: SMTPServerSession): void {
    if (this.clientLimit.consume(remoteAddress) > 0) throw tooManyMails();
  }

  private async mayReceive(address: string, { id }: SMTPServerSession): Promise<void> {
    const mailhook = await this.addresses.find(address);
    if (mailhook === undefined) throw this.sessions.guessed(id) ? noSuchAddress() : guessedTooOften();
    if (this.hookLimit.consume(mailhook.id) > 0) throw addressTooBusy();
    await this.ingress.mustHaveRoom(mailhook);
  }

  private async take(stream: SMTPServerDataStream, { id, envelope }: SMTPServerSession): Promise<string> {
    this.receiving.add(id);
    try {
      return await this.received(stream, { id, envelope });
    } finally {
      this.receiving.delete(id);
    }
  }

  private async received(stream: SMTPServerDataStream, { id, envelope }: Pick<SMTPServerSession, 'id' | 'envelope'>) {
    const late = setTimeout(() => this.leave(id, 'The mail took too long to arrive'), longestMailMs);
    const { raw, done } = await this.intake
      .read(stream, () => this.leave(id, 'The mail is far too large'))
      .finally(() => clearTimeout(late));
    try {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const mailIds = await this.ingress.receive({
        from,
        recipients: envelope.rcptTo.map(({ address }) => address),
        raw,
      });
      this.metrics.mail('taken');
      return `Accepted as ${mailIds.join(', ')}`;
    } finally {
      done();
    }
  }

  private answer<Done>(done: (error?: Error | null, value?: Done) => void, work: () => Promise<Done>): void {
    work().then(
      (value) => done(null, value),
      (error: unknown) => {
        const isOurs = error instanceof SmtpRefusal;
        if (!isOurs) this.log.warn(`A mail was not accepted; its sender will try again: ${reasonOf(error)}`);
        this.metrics.mail(isOurs && error.responseCode >= 500 ? 'refused' : 'put off');
        done(isOurs ? error : mailUnavailable());
      },
    );
  }

  private leave(id: string, why: string): void {
    for (const connection of this.server?.connections ?? []) if (connection.id === id) connection.send(421, why);
  }
}

async function listening(server: SMTPServer, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      const mend = 'choose another SMTP_IN_PORT or SMTP_IN_HOST, or 0 as the port for no mail.';
      reject(new Error(`it cannot listen for mail on ${host}:${port} (${code}); ${mend}`));
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}
