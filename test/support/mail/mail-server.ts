import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { Authority, type Certificate } from '../egress/certificates.js';

/**
 * Certificate authority of the test's mail servers. It is stored outside this file, because services that several spec
 * files share trust it, and this file is loaded again for each spec file.
 */
const ofWorker = globalThis as { mailAuthority?: Authority };
ofWorker.mailAuthority ??= new Authority('Mail servers of tests');
export const { mailAuthority } = ofWorker;
const trusted: Certificate = mailAuthority.issue({ hosts: ['127.0.0.1', 'localhost'] });

export const username = 'robot@example.com';

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: ParsedMail;
  /** Whether the connection was encrypted. */
  readonly secure: boolean;
}

/** Response of the server if it refuses. `drop` closes the connection without a response; `stall` never responds. */
export type No = string | 'drop' | 'stall';

export interface MailServerWish {
  /** Default: STARTTLS. */
  readonly security?: 'tls' | 'starttls' | 'none';
  readonly certificate?: Certificate;
  readonly password: string;
  readonly options?: SMTPServerOptions;
}

interface Connection {
  connectionReady(): void;
}

/** Greets at once. The package waits 100 ms at each connection for clients that talk too early. */
class PromptServer extends SMTPServer {
  override connect(...given: Parameters<SMTPServer['connect']>): void {
    super.connect(...given);
    const connection = [...this.connections].at(-1) as Connection;
    const greet = connection.connectionReady.bind(connection);
    connection.connectionReady = () => undefined;
    setImmediate(greet);
  }
}

/** A mail server on loopback that records what it receives, and refuses when a test says so. */
export class MailServerForTests {
  readonly received: Received[] = [];
  /** Number of connections so far. */
  connections = 0;
  logins = 0;
  /** Number of requests that got no response, because of `stall`. */
  stalled = 0;
  /** All passwords that clients sent, right or wrong. */
  readonly passwords: string[] = [];
  atLogin: No | undefined;
  atSender: No | undefined;
  atRecipient: (address: string) => No | undefined = () => undefined;
  atMail: No | undefined;
  private readonly server: SMTPServer;

  private constructor(private readonly wish: MailServerWish) {
    const { security = 'starttls', certificate = trusted, options } = wish;
    this.server = new PromptServer({
      secure: security === 'tls',
      ...certificate,
      authMethods: ['PLAIN', 'LOGIN'],
      disabledCommands: security === 'none' ? ['STARTTLS'] : [],
      allowInsecureAuth: security === 'none',
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onAuth: (auth, session, done) => {
        this.passwords.push(auth.password ?? '');
        const taken = auth.username === username && auth.password === this.wish.password;
        const no = this.atLogin ?? (taken ? undefined : '535 5.7.8 no such user or password');
        this.answer(no, session, done, () => {
          this.logins += 1;
          done(null, { user: username });
        });
      },
      onMailFrom: (_address, session, done) => this.answer(this.atSender, session, done, () => done()),
      onRcptTo: ({ address }, session, done) => this.answer(this.atRecipient(address), session, done, () => done()),
      onData: (stream, session, done) => {
        const received = buffer(stream).then(async (content) => {
          if (this.atMail !== undefined) return this.answer(this.atMail, session, done, () => done());
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: content.toString('latin1'),
            mail: await simpleParser(content),
            secure: session.secure,
          });
          return done();
        });
        // The connection may have ended before the mail was complete.
        received.catch(() => undefined);
      },
      ...options,
    });
    // Errors of a client must not stop the server.
    this.server.on('error', () => undefined);
    this.server.server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(wish: MailServerWish): Promise<MailServerForTests> {
    const server = new MailServerForTests(wish);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (last === undefined) throw new Error('The mail server got no mail.');
    return last;
  }

  /** Lets the server accept everything again. */
  willing(): void {
    this.atLogin = undefined;
    this.atSender = undefined;
    this.atRecipient = () => undefined;
    this.atMail = undefined;
  }

  /** Returns the number of open connections, with or without TLS. */
  open(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** Closes every open connection, as servers do with idle ones. */
  hangUp(): void {
    for (const { _socket: socket } of this.server.connections as ReadonlySet<{ readonly _socket: Socket }>)
      socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUp();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private answer(
    no: No | undefined,
    _session: SMTPServerSession,
    done: (error?: Error | null) => void,
    yes: () => void,
  ) {
    if (no === undefined) yes();
    else if (no === 'drop') this.hangUp();
    else if (no === 'stall') this.stalled += 1;
    else {
      const [code, ...text] = no.split(' ');
      done(Object.assign(new Error(text.join(' ')), { responseCode: Number(code) }));
    }
  }
}
