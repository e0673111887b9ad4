import type { EventMetadata, RecordedEvent } from '../../../kernel/event/event.js';
import { unreadableEvent } from '../../../kernel/event/unreadable-event.js';
import { commitPosition } from './position.js';
import type { ReadResp } from './protocol.js';
import type { StreamNames } from './stream-names.js';

/**
 * Returns undefined for an event of another application. The stream's name alone does not show this, because other
 * applications can use names of our form. If our event's data or metadata is damaged, returns an unreadable event.
 */
export function recordedEventOf(read: ReadResp.ReadEvent, names: StreamNames): RecordedEvent | undefined {
  const event = read.getEvent();
  const stream = names.ours(utf8(event?.getStreamIdentifier()?.getStreamName_asU8()));
  if (event === undefined || stream === undefined) return undefined;
  const metadata = commandOf(event);
  if (metadata === undefined) return undefined;
  const place = {
    id: event.getId()?.getString() ?? '',
    stream,
    revision: Number(event.getStreamRevision()),
    position: positionIn(read),
    type: typeOnClient(event.getMetadataMap().get('type') ?? ''),
  };
  const data = objectOf(utf8(event.getData_asU8()));
  const missing = missingOf(metadata);
  if (missing !== undefined) return unreadableEvent(place, missing);
  if (data === undefined) return unreadableEvent(place, 'its data is not a JSON object');
  return { ...place, data, metadata: metadata as unknown as EventMetadata };
}

export function isOurEvent(read: ReadResp.ReadEvent, names: StreamNames): boolean {
  const event = read.getEvent();
  const stream = names.ours(utf8(event?.getStreamIdentifier()?.getStreamName_asU8()));
  return event !== undefined && stream !== undefined && commandOf(event) !== undefined;
}

export function positionIn(read: ReadResp.ReadEvent): number {
  return commitPosition(
    read.hasCommitPosition() ? read.getCommitPosition() : (read.getEvent()?.getCommitPosition() ?? ''),
  );
}

export function pruningOf(
  read: ReadResp.ReadEvent,
  names: StreamNames,
): { readonly stream: string; readonly position: number; readonly before: number } | undefined {
  const event = read.getEvent();
  const name = utf8(event?.getStreamIdentifier()?.getStreamName_asU8());
  const stream = name.startsWith('$$') ? names.ours(name.slice('$$'.length)) : undefined;
  if (event === undefined || stream === undefined) return undefined;
  const values = objectOf(utf8(event.getData_asU8()));
  return { stream, position: positionIn(read), before: Number(values?.['$tb'] ?? 0) };
}

/**
 * Suffix of the event type on the server, for events that consumers must understand. It is part of the type, because
 * the server can filter by type but not by metadata.
 */
export const mustUnderstandMark = '!';

export const typeOnServer = (type: string, metadata: Values): string =>
  metadata['mustUnderstand'] === true ? `${type}${mustUnderstandMark}` : type;

const typeOnClient = (type: string) => (type.endsWith(mustUnderstandMark) ? type.slice(0, -1) : type);

type Values = Readonly<Record<string, unknown>>;

function commandOf(event: ReadResp.ReadEvent.RecordedEvent): Values | undefined {
  const metadata = objectOf(utf8(event.getCustomMetadata_asU8()));
  return metadata !== undefined && namesItsCommand(metadata) ? metadata : undefined;
}

export function namesItsCommand({ workspaceId, commandId }: Values): boolean {
  return typeof workspaceId === 'string' && typeof commandId === 'string';
}

function missingOf({ actor, at }: Values): string | undefined {
  if (typeof at !== 'string') return "its metadata lacks the time at which it was recorded ('at')";
  if (typeof actor !== 'object' || actor === null) return "its metadata lacks the actor who caused it ('actor')";
  return undefined;
}

function objectOf(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}

function utf8(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
