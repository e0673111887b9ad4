import {
  type BlobLine,
  type EndLine,
  type EntryLine,
  type EventLine,
  type HeaderLine,
  headerLine,
  type LogFileLine,
  logEventLine,
  logFormat,
  logFormatWithoutTexts,
  logLineText,
  type PrunedLine,
  prunedLine,
  type TextLine,
} from './log-line.js';

type Fields = Readonly<Record<string, unknown>>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const sha256 = /^[0-9a-f]{64}$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const streamName = /^[^$-][^-]*-[^.]+\../;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const fits = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

/** Parses a line. Returns undefined unless the result, converted to text again, is exactly `text`. */
export function logLineOf(text: string): LogFileLine | undefined {
  const fields = parsed(text);
  const line =
    fields &&
    (header(fields) ??
      pruned(fields) ??
      event(fields) ??
      entry(fields) ??
      blob(fields) ??
      storedText(fields) ??
      end(fields));
  return line !== undefined && logLineText(line) === text ? line : undefined;
}

/** Reads only the format, because the rest of the header may have an unknown form. */
export function formatOf(bytes: Buffer): string | undefined {
  return /^\{"line":"header","format":"(countersign-log-\d+)"/.exec(bytes.subarray(0, 100).toString('latin1'))?.[1];
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function header({ line, format, workspaceId, exportedAt, upTo, keyCheck }: Fields): HeaderLine | undefined {
  if (line !== 'header' || !(format === logFormat || format === logFormatWithoutTexts) || !Number.isSafeInteger(upTo))
    return undefined;
  if (!(workspaceId === null || isText(workspaceId)) || !isText(exportedAt) || !fits(keyCheck, sha256))
    return undefined;
  return headerLine({ workspaceId, exportedAt, upTo: Number(upTo), keyCheck, format });
}

function pruned({ line, stream, keptFrom }: Fields): PrunedLine | undefined {
  if (line !== 'pruned' || !fits(stream, streamName) || !isCount(keptFrom) || keptFrom === 0) return undefined;
  return prunedLine(stream, keptFrom);
}

function event({ line, stream, revision, id, type, data, metadata }: Fields): EventLine | undefined {
  if (line !== 'event' || !fits(stream, streamName) || !isCount(revision)) return undefined;
  if (!fits(id, uuid) || !isText(type) || !isObject(data) || !isObject(metadata)) return undefined;
  return logEventLine({ stream, revision, id, type, data, metadata });
}

function entry({ line, name, sealedKey, sealedValue, expiresAt }: Fields): EntryLine | undefined {
  if (line !== 'entry' || !isText(name) || !(expiresAt === null || Number.isFinite(expiresAt))) return undefined;
  if (!fits(sealedKey, base64) || !fits(sealedValue, base64)) return undefined;
  return { line, name, sealedKey, sealedValue, expiresAt: expiresAt as number | null };
}

function blob({ line, name, putAt, sealed }: Fields): BlobLine | undefined {
  if (line !== 'blob' || !isText(name) || !isCount(putAt) || !fits(sealed, base64)) return undefined;
  return { line, name, putAt, sealed };
}

function storedText({ line, workspaceId, digest, base, packed }: Fields): TextLine | undefined {
  if (line !== 'text' || !isText(workspaceId) || !fits(digest, sha256)) return undefined;
  if (!(base === null || fits(base, sha256)) || !fits(packed, base64)) return undefined;
  return { line, workspaceId, digest, base, packed };
}

function end({
  line,
  pruned: streams,
  events,
  entries,
  blobs,
  texts,
  eventsDigest,
  digest,
}: Fields): EndLine | undefined {
  if (line !== 'end' || !isCount(streams) || !isCount(events) || !isCount(entries) || !isCount(blobs)) return undefined;
  if (!fits(eventsDigest, sha256) || !fits(digest, sha256)) return undefined;
  if (!(texts === undefined || isCount(texts))) return undefined;
  const counted = texts === undefined ? {} : { texts };
  return { line, pruned: streams, events, entries, blobs, ...counted, eventsDigest, digest };
}
