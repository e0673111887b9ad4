import { crc32 } from 'node:zlib';
import type { RecordedEvent } from '../../kernel/event.js';
import type { SealedBlob } from '../../ports/blobs.port.js';
import type { SealedEntry } from '../../ports/vault.port.js';

/** Raised with every change of the lines. */
export const logFormat = 'countersign-log-2';

export interface HeaderLine {
  readonly line: 'header';
  readonly format: typeof logFormat;
  /** Null: all workspaces. */
  readonly workspaceId: string | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly exportedAt: string;
  /** Position of the source's last event by then; in another log it means nothing. */
  readonly upTo: number;
  /** Tells whether the target has the same master key, and nothing about the key. */
  readonly keyCheck: string;
}

/** A stream whose events below `keptFrom` were pruned: those that are kept have to keep their revisions. */
export interface PrunedLine {
  readonly line: 'pruned';
  readonly stream: string;
  readonly keptFrom: number;
}

/** All of an event but its position, which every log counts for itself. */
export interface EventLine extends Omit<RecordedEvent, 'position' | 'metadata'> {
  readonly line: 'event';
  readonly metadata: object;
}

/** An entry of the vault as it lies there; bytes in base64. */
export interface EntryLine {
  readonly line: 'entry';
  readonly name: string;
  readonly sealedKey: string;
  readonly sealedValue: string;
  readonly expiresAt: number | null;
}

/** A blob as it lies there; bytes in base64. */
export interface BlobLine {
  readonly line: 'blob';
  readonly name: string;
  readonly putAt: number;
  readonly sealed: string;
}

export interface EndLine {
  readonly line: 'end';
  readonly pruned: number;
  readonly events: number;
  readonly entries: number;
  readonly blobs: number;
  /** SHA-256 (hex) over the texts of all events in their order: the same for the same events in whatever store. */
  readonly eventsDigest: string;
  /** SHA-256 (hex) over all lines before this one. */
  readonly digest: string;
}

export type LogLine = HeaderLine | PrunedLine | EventLine | EntryLine | BlobLine | EndLine;
export type LineOf<Kind extends LogLine['line']> = Extract<LogLine, { line: Kind }>;

/** Lines are made here alone, so that their members have one order: a text is read back only when it is to the letter. */
export const headerLine = ({
  workspaceId,
  exportedAt,
  upTo,
  keyCheck,
}: Omit<HeaderLine, 'line' | 'format'>): HeaderLine => ({
  line: 'header',
  format: logFormat,
  workspaceId,
  exportedAt,
  upTo,
  keyCheck,
});

export const prunedLine = (stream: string, keptFrom: number): PrunedLine => ({ line: 'pruned', stream, keptFrom });

export const eventLine = ({ stream, revision, id, type, data, metadata }: Omit<EventLine, 'line'>): EventLine => ({
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

/** What a line says, without what guards it. */
export const textOf = (line: LogLine): string => JSON.stringify(line);

const guardBytes = ',"check":"00000000"}'.length;
const guarded = /^,"check":"([0-9a-f]{8})"}$/;
const brace = '}';

/** A line's text with its checksum as a last member: a changed line can be told from all others. */
export function guard(text: string): string {
  return `${text.slice(0, -1)},"check":"${hex(crc32(text))}"}`;
}

/** The text of a guarded line; undefined when it is not as it was written. */
export function unguard(bytes: Buffer): string | undefined {
  const inside = bytes.subarray(0, -guardBytes);
  const check = guarded.exec(bytes.subarray(-guardBytes).toString('latin1'))?.[1];
  return check === hex(crc32(brace, crc32(inside))) ? inside.toString('utf8') + brace : undefined;
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');
