// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.
import { connect, type Socket } from 'node:net';

/** A mail client that sends exactly the bytes that a test passes. */
export class SmtpClient {
  private held = '';
  private over = false;
  private wake: () => void = () => {};

  private readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      this.held += text;
      this.wake();
    });
    const end = () => {
      this.over = true;
      this.wake();
    };
    socket.on('close', end).on('error', end);
  }

  /** Connects, and waits for the greeting. */
  static async to(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(connect(port, '127.0.0.1'));
    const greeting = await client.reply();
    if (!greeting.startsWith('220')) throw new Error(greeting);
    return client;
  }

  /** Returns the next complete reply, or '' if the connection has ended. */
  async reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3}(?: [^\r\n]*)?\r\n/.exec(this.held)?.[0];
      if (whole !== undefined) {
        this.held = this.held.slice(whole.length);
        return whole.trimEnd();
      }
      if (this.over) return '';
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  send(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  async says(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.reply();
  }

  /** Resolves when the server has closed the connection. */
  async ended(): Promise<void> {
    while (!this.over) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Sends the commands from EHLO to DATA. Returns the reply to DATA, or the first refusal. */
  async upToText(to: readonly string[], from = 'ada@example.com'): Promise<string> {
    for (const line of ['EHLO client.example', `MAIL FROM:<${from}>`, ...to.map((one) => `RCPT TO:<${one}>`)]) {
      const reply = await this.says(line);
      if (!reply.startsWith('2')) return reply;
    }
    return this.says('DATA');
  }

  /** Delivers a mail. Returns the final reply, or the first refusal. */
  async deliver(to: readonly string[], raw: Uint8Array | string, from?: string): Promise<string> {
    const reply = await this.upToText(to, from);
    if (!reply.startsWith('354')) return reply;
    this.send(stuffed(Buffer.from(raw)));
    return this.says('.');
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Doubles dots at the beginning of lines, and ends the text with a line end. */
export function stuffed(raw: Buffer): Buffer {
  const text = raw.toString('latin1').replace(/^\./gm, '..');
  return Buffer.from(text.endsWith('\r\n') || text === '' ? text : `${text}\r\n`, 'latin1');
}

/** Delivers one mail over a connection of its own. Returns the final reply, or the first refusal. */
export async function deliver(
  port: number,
  to: string | readonly string[],
  raw: Uint8Array | string,
  from?: string,
): Promise<string> {
  const client = await SmtpClient.to(port);
  try {
    return await client.deliver(typeof to === 'string' ? [to] : to, raw, from);
  } finally {
    client.close();
  }
}

export const oneMail = (name: string): Buffer =>
  Buffer.from(
    `From: Ada <ada@example.com>\r\nTo: orders@example.org\r\nSubject: ${name}\r\nMessage-ID: <${name}@example.com>\r\n\r\n` +
      `Two boxes, please.\r\n`,
  );

/**
 * Sends the mails over this many connections, until all are sent or the service is gone. Returns the names of the
 * acknowledged ones.
 */
export async function sendMails(port: number, address: string, names: readonly string[], connections: number) {
  const acknowledged = new Set<string>();
  const left = [...names];
  const worker = async () => {
    const client = await SmtpClient.to(port).catch(() => undefined);
    if (client === undefined || !(await client.says('EHLO bench.example')).startsWith('250')) return;
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const reply = await oneDelivery(client, address, oneMail(name));
      if (reply === '') break;
      if (!reply.startsWith('250')) throw new Error(`A mail was answered ${reply}`);
      acknowledged.add(name);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return acknowledged;
}

/** Sends the commands together, as clients that support PIPELINING do. */
async function oneDelivery(client: SmtpClient, address: string, raw: Uint8Array): Promise<string> {
  client.send(`MAIL FROM:<ada@example.com>\r\nRCPT TO:<${address}>\r\nDATA\r\n`);
  for (const code of ['250', '250', '354']) {
    const reply = await client.reply();
    if (!reply.startsWith(code)) return reply;
  }
  client.send(raw);
  return client.says('.');
}
