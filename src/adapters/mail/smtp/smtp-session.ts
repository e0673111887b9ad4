import type { Socket } from 'node:net';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { canonicalHost } from '../../../kernel/text/host-name.js';
import type { Egress } from '../../../ports/network/egress.port.js';
import type { MailServer } from '../../../ports/network/mail.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { ByteSource } from './message-text.js';
import { mailErrorOf, wasOver } from './smtp-errors.js';

export interface SmtpSessionOptions {
  readonly egress: Egress;
  /** The list SMTP_PLAINTEXT_ALLOW: hosts as returned by `canonicalHost`. */
  readonly plaintextAllow: readonly string[];
  /** Certificates of issuers that are trusted instead of the usual ones. */
  readonly ca?: readonly string[];
  readonly limits: SmtpSessionLimits;
}

export interface SmtpSessionLimits {
  /** Time limit for DNS and connecting. */
  readonly connectMs: number;
  /** Time limit for the greeting and the TLS handshake. */
  readonly greetingMs: number;
  readonly silenceMs: number;
}

type Done<T> = (error: Error | null, value?: T) => void;

/**
 * Minimum length of a password that can be hidden in quoted replies. With a shorter password, errors quote no replies
 * of the server.
 */
const shortestHidden = 4;

const largestAnswer = 64 * 1024;

export class SmtpSession {
  mails = 0;
  private over = false;

  private constructor(
    readonly server: MailServer,
    private readonly connection: SMTPConnection,
    private readonly redactor: Redactor | undefined,
  ) {
    // Always listens, because an error event without a listener, even between two mails, would end the process.
    connection.on('error', () => {
      this.over = true;
    });
    connection.on('end', () => {
      this.over = true;
    });
  }

  /** @throws MailError, and errors of `password` */
  static async open(server: MailServer, options: SmtpSessionOptions, signal: AbortSignal): Promise<SmtpSession> {
    const { host, port, username } = server;
    const { egress, limits } = options;
    // Imported before connecting. During a later import, the connected socket would have no listener for errors.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const password = await server.password();
    const redactor = password.length < shortestHidden ? undefined : new Redactor([password]);
    const about = { host, redactor, begun: false };
    const socket = await untilConnected(signal, (connecting) =>
      egress.connect({ host, port, connectMs: limits.connectMs, signal: connecting }),
    ).catch((error: unknown) => {
      throw mailErrorOf(error, about);
    });
    const connection = new Connection(settings(server, options, socket));
    const conversation = new SmtpSession(server, connection, redactor);
    try {
      await conversation.settled<void>((done) => connection.connect((error) => done(error ?? null)), signal);
      // A server that offers no login is accepted: its certificate has identified it, or the operator allows plain text
      // for it.
      if (connection.allowsAuth && username !== '') {
        const credentials = { user: username, pass: password };
        await conversation.settled((done) => connection.login({ credentials }, done), signal);
      }
      return conversation;
    } catch (error) {
      conversation.close();
      throw mailErrorOf(error, about);
    }
  }

  get isOpen(): boolean {
    return !this.over && !this.connection.destroyed;
  }

  /**
   * Resolves to the recipients that were refused while others were accepted, or to `over` if the server closed a reused
   * connection before any of this mail was sent. Closes the connection after any failure.
   * @throws MailError
   */
  async deliver(
    from: string,
    to: readonly string[],
    message: Buffer,
    signal: AbortSignal,
  ): Promise<{ readonly refused: readonly string[] } | 'over'> {
    const source = new ByteSource(message);
    const envelope = { from, to: [...to], size: message.length };
    try {
      const info = await this.settled<{ readonly rejected: readonly string[] }>(
        (done) => this.connection.send(envelope, source, done),
        signal,
      );
      this.mails += 1;
      return { refused: info.rejected };
    } catch (error) {
      this.close();
      if (this.mails > 0 && !source.begun && wasOver(error)) return 'over';
      throw mailErrorOf(error, { host: this.server.host, redactor: this.redactor, begun: source.begun });
    }
  }

  /** Does not wait for the server's reply to QUIT. */
  quit(): void {
    if (this.isOpen) this.connection.quit();
    this.close();
  }

  close(): void {
    this.over = true;
    this.connection.close();
  }

  private settled<T>(begin: (done: Done<T>) => void, signal: AbortSignal): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const ended = () => reject(Object.assign(new Error('The connection ended.'), { code: 'ECONNECTION' }));
    const late = () => reject(Object.assign(new Error('The time limit has passed.'), { code: 'ETIMEDOUT' }));
    // The connection emits `error` just before `end`. The delay lets the promise reject with that error.
    const endedSoon = () => setImmediate(ended);
    this.connection.once('error', reject).once('end', endedSoon);
    signal.addEventListener('abort', late);
    if (signal.aborted) late();
    else begin((error, value) => (error ? reject(error) : resolve(value as T)));
    return promise.finally(() => {
      this.connection.off('error', reject).off('end', endedSoon);
      signal.removeEventListener('abort', late);
    });
  }
}

/**
 * `signal` can close the socket only until it is connected. Afterwards, a TLS socket can wrap it, and then the TLS
 * socket must be closed instead.
 */
async function untilConnected(signal: AbortSignal, connect: (signal: AbortSignal) => Promise<Socket>): Promise<Socket> {
  const connecting = new AbortController();
  const callOff = () => connecting.abort();
  signal.addEventListener('abort', callOff);
  if (signal.aborted) callOff();
  return await connect(connecting.signal).finally(() => signal.removeEventListener('abort', callOff));
}

function settings({ host, port, secure }: MailServer, options: SmtpSessionOptions, connection: Socket) {
  const { plaintextAllow, ca, limits } = options;
  const name = canonicalHost(host) ?? host;
  return {
    connection,
    host: name,
    port,
    secure,
    // nodemailer uses STARTTLS whenever the server offers it, even if the operator allows plain text.
    requireTLS: !secure && !plaintextAllow.includes(name),
    tls: {
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could turn the check off.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca: [...ca] }),
    },
    connectionTimeout: limits.greetingMs,
    greetingTimeout: limits.greetingMs,
    socketTimeout: limits.silenceMs,
    socketCloseTimeout: 1_000,
    maxResponseSize: largestAnswer,
    logger: false,
  };
}
