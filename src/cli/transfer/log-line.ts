import { crc32 } from 'node:zlib';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { SealedBlob } from '../../ports/blobs.port.js';
import type { StoredText } from '../../ports/texts.port.js';
import type { SealedEntry } from '../../ports/vault.port.js';

/** Format of written files. Its number is increased with every change of the lines. */
export const logFormat = 'countersign-log-3';
/** The format before texts were stored separately. Such a file contains no text lines and no count of them. */
export const logFormatWithoutTexts = 'countersign-log-2';
export type LogFormat = typeof logFormat | typeof logFormatWithoutTexts;

export interface HeaderLine {
  readonly line: 'header';
  readonly format: LogFormat;
  /** Null means all workspaces. */
  readonly workspaceId: string | null;
  /** Time in ISO 8601 UTC with milliseconds. */
  readonly exportedAt: string;
  /** Position of the source's last event at that time. It has no meaning in another log. */
  readonly upTo: number;
  /** Shows whether the target has the same master key, without revealing anything about the key. */
  readonly keyCheck: string;
}

/** A stream whose events below `keptFrom` were pruned. The remaining events must retain their revisions. */
export interface PrunedLine {
  readonly line: 'pruned';
  readonly stream: string;
  readonly keptFrom: number;
}

/** An event without its position, because every log assigns positions itself. */
export interface EventLine extends Omit<RecordedEvent, 'position' | 'metadata'> {
  readonly line: 'event';
  readonly metadata: object;
}

/** A vault entry as stored, with bytes in base64. */
export interface EntryLine {
  readonly line: 'entry';
  readonly name: string;
  readonly sealedKey: string;
  readonly sealedValue: string;
  readonly expiresAt: number | null;
}

/** A blob as stored, with bytes in base64. */
export interface BlobLine {
  readonly line: 'blob';
  readonly name: string;
  readonly putAt: number;
  readonly sealed: string;
}

/** A large text as stored, after the text that is its base, with bytes in base64. */
export interface TextLine {
  readonly line: 'text';
  readonly workspaceId: string;
  /** Digest of the text, SHA-256 (hex); see `TextRef`. */
  readonly digest: string;
  readonly base: string | null;
  /** The text compressed with Zstandard, with the base as the dictionary. */
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
  /** SHA-256 (hex) of the JSON of all events in order. It is the same for the same events in any store. */
  readonly eventsDigest: string;
  /** SHA-256 (hex) of all lines before this one. */
  readonly digest: string;
}

export type LogFileLine = HeaderLine | PrunedLine | EventLine | EntryLine | BlobLine | TextLine | EndLine;
export type LineOf<Kind extends LogFileLine['line']> = Extract<LogFileLine, { line: Kind }>;

/**
 * Makes a header line. Lines are made only in this file, so that their members have a single order: a text is accepted
 * only if it matches exactly.
 */
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

/** Adds a checksum to a line's text as the last member, so that a changed line is detected. */
export function guard(text: string): string {
  return `${text.slice(0, -1)},"check":"${hex(crc32(text))}"}`;
}

/** Returns the text of a guarded line, or undefined if it was changed. */
export function unguard(bytes: Buffer): string | undefined {
  const inside = bytes.subarray(0, -guardBytes);
  const check = guarded.exec(bytes.subarray(-guardBytes).toString('latin1'))?.[1];
  return check === hex(crc32(brace, crc32(inside))) ? inside.toString('utf8') + brace : undefined;
}

const hex = (checksum: number) => checksum.toString(16).padStart(8, '0');
