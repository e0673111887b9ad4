import { deserialize, Long, serialize } from 'bson';

/** MongoDB's wire protocol, as far as a driver needs it: OP_MSG, and OP_QUERY for the first greeting. */
const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;
const headerBytes = 16;
const checksumPresent = 1;
const moreToCome = 2;
const exhaustAllowed = 1 << 16;

export type Fields = Record<string, unknown>;

export interface Request {
  readonly id: number;
  readonly command: Fields;
  /** Whether the client accepts several responses to the request. */
  readonly exhaust: boolean;
  /** Whether the client expects no response. */
  readonly unanswered: boolean;
  readonly legacy: boolean;
}

let lastId = 0;

/** Splits the received bytes into complete messages and the rest. */
export function cut(arrived: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = arrived;
  while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
    messages.push(rest.subarray(0, rest.readInt32LE(0)));
    rest = rest.subarray(rest.readInt32LE(0));
  }
  return { messages, rest };
}

export function requestOf(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  if (operation === opQuery) {
    const start = message.indexOf(0, headerBytes + 4) + 1 + 8;
    const command = documentAt(message, start);
    return { id, command, exhaust: false, unanswered: false, legacy: true };
  }
  if (operation !== opMessage) throw new Error(`Operation ${operation} of the wire protocol is not spoken here.`);
  const flags = message.readUInt32LE(headerBytes);
  const end = message.length - ((flags & checksumPresent) === 0 ? 0 : 4);
  const command = sections(message, headerBytes + 4, end);
  return {
    id,
    command,
    exhaust: (flags & exhaustAllowed) !== 0,
    unanswered: (flags & moreToCome) !== 0,
    legacy: false,
  };
}

function sections(message: Buffer, start: number, end: number): Fields {
  const command: Fields = {};
  for (let at = start; at < end; ) {
    const kind = message[at];
    const size = message.readInt32LE(at + 1);
    if (kind === 0) Object.assign(command, documentAt(message, at + 1));
    else if (kind === 1) Object.assign(command, sequence(message.subarray(at + 1, at + 1 + size)));
    else throw new Error(`There is no section of kind ${kind}.`);
    at += 1 + size;
  }
  return command;
}

/** Parses a list of documents that is sent outside the command, and returns it under its name in the command. */
function sequence(section: Buffer): Fields {
  const nameEnd = section.indexOf(0, 4);
  const documents: Fields[] = [];
  for (let at = nameEnd + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(documentAt(section, at));
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

function documentAt(message: Buffer, at: number): Fields {
  return deserialize(message.subarray(at, at + message.readInt32LE(at)));
}

export function answer(to: Request, document: Fields, more = false): { readonly id: number; readonly bytes: Buffer } {
  lastId += 1;
  const body = Buffer.from(serialize(document, { ignoreUndefined: true }));
  const prefix = Buffer.alloc(to.legacy ? 20 : 5);
  if (to.legacy) {
    prefix.writeInt32LE(8, 0);
    prefix.writeBigInt64LE(0n, 4);
    prefix.writeInt32LE(1, 16);
  } else prefix.writeUInt32LE(more ? moreToCome : 0, 0);
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + prefix.length + body.length, 0);
  header.writeInt32LE(lastId, 4);
  header.writeInt32LE(to.id, 8);
  header.writeInt32LE(to.legacy ? opReply : opMessage, 12);
  return { id: lastId, bytes: Buffer.concat([header, prefix, body]) };
}

export const zero = Long.fromNumber(0);
