import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** The server's answer for one name. */
export type DnsAnswer =
  | { readonly texts: readonly string[] }
  | 'no such name'
  | 'no such record'
  | 'server failure'
  | 'refused'
  | 'silence';

export interface DnsServer {
  /** Value for DNS_SERVERS. */
  readonly address: string;
  /** Names that were looked up, oldest first, in lower case. */
  readonly asked: readonly string[];
  says(name: string, answer: DnsAnswer): void;
  close(): Promise<void>;
}

const codes = { 'no such record': 0, 'server failure': 2, 'no such name': 3, refused: 5 } as const;

/** Starts a DNS server on loopback that answers queries for TXT records. It has only the records that a test sets. */
export async function startDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, end } = questionOf(question);
    asked.push(name);
    const answer = answers.get(name) ?? 'no such name';
    if (answer !== 'silence') socket.send(replyOf(question.subarray(0, end), answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    says: (name, answer) => answers.set(name.toLowerCase(), answer),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/**
 * Parses the question of a query (RFC 1035): 12 octets of header, then labels with their lengths, a 0, and 4 octets of
 * type and class.
 */
function questionOf(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function replyOf(question: Buffer, answer: Exclude<DnsAnswer, 'silence'>): Buffer {
  const texts = typeof answer === 'string' ? [] : answer.texts;
  const header = Buffer.from(question.subarray(0, 12));
  // Flags of a response with recursion available, and the response code.
  header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2);
  for (const [at, count] of [1, texts.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at);
  return Buffer.concat([header, question.subarray(12), ...texts.map(recordOf)]);
}

/** Encodes a TXT record for the name in the question. Texts are split into parts of 255 octets. */
function recordOf(text: string): Buffer {
  const octets = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < octets.length; at += 255) {
    const part = octets.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(16, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
