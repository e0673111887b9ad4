import type { EventMetadata, RecordedEvent } from '../../../kernel/event.js';
import { positionOf } from './position.js';
import type { ReadResp } from './protocol.js';

/** Our streams are named `<category>-<workspaceId>.<id>`; others on the same server are ignored. */
const ours = /^[^$-][^-]*-[^.]+\./;

/** Undefined for an event that is not ours. @throws when the name is ours but the event cannot be read. */
export function recordedEventOf(read: ReadResp.ReadEvent): RecordedEvent | undefined {
  const event = read.getEvent();
  const stream = utf8(event?.getStreamIdentifier()?.getStreamName_asU8());
  if (event === undefined || !ours.test(stream)) return undefined;
  const revision = Number(event.getStreamRevision());
  const position = positionOf(read.hasCommitPosition() ? read.getCommitPosition() : event.getCommitPosition());
  try {
    return {
      id: event.getId()?.getString() ?? '',
      stream,
      revision,
      position,
      type: event.getMetadataMap().get('type') ?? '',
      data: JSON.parse(utf8(event.getData_asU8())) as object,
      metadata: JSON.parse(utf8(event.getCustomMetadata_asU8())) as EventMetadata,
    };
  } catch (cause) {
    throw new Error(`Event ${revision} of stream ${stream} is not JSON; nothing of ours wrote it.`, { cause });
  }
}

/** A stream's pruning according to its metadata, and the position in the log. Undefined: not our stream. */
export function pruningOf(
  read: ReadResp.ReadEvent,
): { readonly stream: string; readonly position: number; readonly before: number } | undefined {
  const event = read.getEvent();
  const name = utf8(event?.getStreamIdentifier()?.getStreamName_asU8());
  const stream = name.slice('$$'.length);
  if (event === undefined || !name.startsWith('$$') || !ours.test(stream)) return undefined;
  const position = positionOf(read.hasCommitPosition() ? read.getCommitPosition() : event.getCommitPosition());
  const values = JSON.parse(utf8(event.getData_asU8())) as Readonly<Record<string, unknown>>;
  return { stream, position, before: Number(values['$tb'] ?? 0) };
}

function utf8(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
