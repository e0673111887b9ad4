import { crc32 } from 'node:zlib';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { SealedBlob } from '../../ports/blobs.port.js';
import type { StoredText } from '../../ports/texts.port.js';
import type { SealedEntry } from '../../ports/vault.port.js';

/** The number at the end must be increased with every change to the form of the lines. */
export const logFormat = 'countersign-log-3';
/**
 * The previous format. Large texts were part of the events, so its files have no lines for texts, and the last line has
 * no count of them.
 */
export const logFormatWithoutTexts = 'countersign-log-2';
export type LogFormat = typeof logFormat | typeof logFormatWithoutTexts;

export interface HeaderLine {
  readonly line: 'header';
  readonly format: LogFormat;
  readonly workspaceId: string | null;
  /** ISO 8601, in UTC with milliseconds. */
  readonly exportedAt: string;
  /** Position of the last event in the source. Positions in other logs differ. */
  readonly upTo: number;
  /**
   * Keyed check value, with which an import verifies that the target has the same master key. It reveals nothing about
   * the key.
   */
  readonly keyCheck: string;
}

/** `keptFrom` is the first remaining revision of a stream whose beginning was pruned. An import must preserve it. */
export interface PrunedLine {
  readonly line: 'pruned';
  readonly stream: string;
  readonly keptFrom: number;
}

/** The position is omitted, because it is different in every log. */
export interface EventLine extends Omit<RecordedEvent, 'position' | 'metadata'> {
  readonly line: 'event';
  readonly metadata: object;
}

/** Encrypted, as in the vault. Bytes are in base64. */
export interface EntryLine {
  readonly line: 'entry';
  readonly name: string;
  readonly sealedKey: string;
  readonly sealedValue: string;
  readonly expiresAt: number | null;
}

/** Encrypted, as in the blob store. Bytes are in base64. */
export interface BlobLine {
  readonly line: 'blob';
  readonly name: string;
  readonly putAt: number;
  readonly sealed: string;
}

/**
 * A large text as it is stored, with bytes in base64. It may be compressed relative to another text, its `base`, which
 * then comes before it in the file.
 */
export interface TextLine {
  readonly line: 'text';
  readonly workspaceId: string;
  readonly digest: string;
  readonly base: string | null;
  /** Compressed with Zstandard. The base, if there is one, is the dictionary. */
  readonly packed: string;
}

export interface EndLine {
  readonly line: 'end';
  readonly pruned: number;
  readonly events: number;
  readonly entries: number;
  readonly blobs: number;
  /** Omitted in files of the previous format. */
  readonly texts?: number;
  /** SHA-256 of the JSON of all events, in hex. It depends on the events and their order, not on the store. */
  readonly eventsDigest: string;
  /** SHA-256 of all previous lines, in hex. */
  readonly digest: string;
}

export type LogFileLine = HeaderLine | PrunedLine | EventLine | EntryLine | BlobLine | TextLine | EndLine;
export type LineOf<Kind extends LogFileLine['line']> = Extract<LogFileLine, { line: Kind }>;

/** An import accepts the members of a line only in the order in which the functions of this file create them. */
export const headerLine = ({
  workspaceId,
  exportedAt,
  upTo,
  keyCheck,
  format = logFormat,
}: Omit<HeaderLine, 'line' | 'format'> & { readonly format?: LogFormat }): HeaderLine => ({
  line: 'header',
  format,
  workspaceId,
  exportedAt,
  upTo,
  keyCheck,
});

export const prunedLine = (stream: string, keptFrom: number): PrunedLine => ({ line: 'pruned', stream, keptFrom });

export const logEventLine = ({ stream, revision, id, type, data, metadata }: Omit<EventLine, 'line'>): EventLine => ({
  line: 'event',
  stream,
  revision,
  id,
  type,
  data,
  metadata,
});

export const entryLine = ({ name, sealedKey, sealedValue, expiresAt }: SealedEntry): EntryLine => ({
  line: 'entry',
  name,
  sealedKey: Buffer.from(sealedKey).toString('base64'),
  sealedValue: Buffer.from(sealedValue).toString('base64'),
  expiresAt: expiresAt ?? null,
});

export const sealedEntry = ({ name, sealedKey, sealedValue, expiresAt }: EntryLine): SealedEntry => ({
  name,
  sealedKey: Buffer.from(sealedKey, 'base64'),
  sealedValue: Buffer.from(sealedValue, 'base64'),
  ...(expiresAt === null ? {} : { expiresAt }),
});

export const blobLine = ({ name, sealed, putAt }: SealedBlob): BlobLine => ({
  line: 'blob',
  name,
  putAt,
  sealed: Buffer.from(sealed).toString('base64'),
});

export const sealedBlob = ({ name, sealed, putAt }: BlobLine): SealedBlob => ({
  name,
  sealed: Buffer.from(sealed, 'base64'),
  putAt,
});

export const textLine = ({ workspaceId, digest, base, packed }: StoredText): TextLine => ({
  line: 'text',
  workspaceId,
  digest,
  base,
  packed: Buffer.from(packed).toString('base64'),
});

export const storedText = ({ workspaceId, digest, base, packed }: TextLine): StoredText => ({
  workspaceId,
  digest,
  base,
  packed: Buffer.from(packed, 'base64'),
});

export const logLineText = (line: LogFileLine): string => JSON.stringify(line);

const guardBytes = ',"check":"00000000"}'.length;
const guarded = /^,"check":"([0-9a-f]{8})"}$/;
const brace = '}';

/** The checksum lets an import detect changed lines. */
export function guard(text: string): string {
  return `${text.slice(0, -1)},"check":"${hex(crc32(text))}"}`;
}

export function unguard(bytes: Buffer): string | undefined {
  const inside = bytes.subarray(0, -guardBytes);
  const check = guarded.exec(bytes.subarray(-guardBytes).toString('latin1'))?.[1];
  return check === hex(crc32(brace, crc32(inside))) ? inside.toString('utf8') + brace : undefined;
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');
