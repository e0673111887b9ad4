import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventMetadata, RecordedEvent } from '../../../kernel/event.js';
import { positionOf } from './position.js';

/** Ours are named `<category>-<workspaceId>.<id>`; another's on the same server are not given out. */
const ours = /^[^$-][^-]*-[^.]+\./;

/** Undefined for an event that is not ours. @throws when it is named as ours and cannot be read. */
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

function utf8(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
