import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { parseStream } from '../../../kernel/stream-name.js';
import type { AppendRequest, ExpectedRevision } from '../../../ports/event-store.port.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A request serialised at once, so that later changes of the writer's objects have no effect. */
export interface AppendBytes {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly ids: readonly string[];
  readonly proposals: readonly AppendReq[];
}

/** Throws for a request that cannot be recorded, before any other of its list is sent. */
export function bytesOf({ stream, expected, events }: AppendRequest): AppendBytes {
  parseStream(stream);
  if (events.length === 0) throw new Error(`An append to stream ${stream} holds no event.`);
  const ids = events.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new Error(`An append to stream ${stream} uses an event id twice.`);
  const strange = ids.find((id) => !uuid.test(id));
  if (strange !== undefined) throw new Error(`'${strange}' is no event id: it has to be a UUID in small letters.`);
  const proposals = events.map(({ id, type, data, metadata }) =>
    proposalOf(id, type, JSON.stringify(data), JSON.stringify(metadata)),
  );
  return { stream, expected, ids, proposals };
}

export function optionsOf(stream: string, expected: ExpectedRevision): AppendReq {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifierOf(stream));
  if (expected === 'none') options.setNoStream(new shared.Empty());
  else if (expected === 'any') options.setAny(new shared.Empty());
  else options.setRevision(String(expected));
  const message = new streams.AppendReq();
  message.setOptions(options);
  return message;
}

export function proposalOf(id: string, type: string, data: string, metadata: string): AppendReq {
  const name = new shared.UUID();
  name.setString(id);
  const proposal = new streams.AppendReq.ProposedMessage();
  proposal.setId(name);
  proposal.getMetadataMap().set('type', type);
  proposal.getMetadataMap().set('content-type', 'application/json');
  proposal.setData(Buffer.from(data));
  proposal.setCustomMetadata(Buffer.from(metadata));
  const message = new streams.AppendReq();
  message.setProposedMessage(proposal);
  return message;
}

export function identifierOf(stream: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
}
