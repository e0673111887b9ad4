import type { AppendRequest, ExpectedRevision } from '../../../ports/event-store.port.js';
import { type AppendReq, type BatchAppendReq, shared, streams } from './protocol.js';
import { namesItsCommand, typeOnServer } from './recorded-event.js';
import type { StreamNames } from './stream-names.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface EventBytes {
  readonly id: string;
  readonly type: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

export interface AppendBytes {
  readonly stream: string;
  /** The stream's name on the server. */
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly ids: readonly string[];
  readonly events: readonly EventBytes[];
  readonly size: number;
}

export function appendBytesOf({ stream, expected, events }: AppendRequest, names: StreamNames): AppendBytes {
  const name = names.onServer(stream);
  if (names.ours(name) !== stream) {
    throw new Error(
      `'${stream}' is not a stream name of the form category-workspace.id, with neither $ nor . in the category.`,
    );
  }
  if (events.length === 0) throw new Error(`An append to stream ${stream} contains no events.`);
  const ids = events.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new Error(`An append to stream ${stream} uses an event id twice.`);
  const strange = ids.find((id) => !uuid.test(id));
  if (strange !== undefined) throw new Error(`'${strange}' is not an event id: it must be a UUID in lowercase.`);
  const stray = events.find(({ metadata }) => !namesItsCommand({ ...metadata }));
  if (stray !== undefined) {
    throw new Error(
      `Event ${stray.id} of stream ${stream} does not name the workspace and the command that recorded it.`,
    );
  }
  const bytes = events.map(({ id, type, data, metadata }) =>
    eventBytes(id, typeOnServer(type, { ...metadata }), data, metadata),
  );
  const size = bytes.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  return { stream, name, expected, ids, events: bytes, size };
}

export function eventBytes(id: string, type: string, data: object, metadata?: object): EventBytes {
  return {
    id,
    type,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(metadata === undefined ? '' : JSON.stringify(metadata)),
  };
}

export function appendMessages({ name, expected, events }: AppendBytes): readonly AppendReq[] {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifierOf(name));
  if (expected === 'none') options.setNoStream(new shared.Empty());
  else if (expected === 'any') options.setAny(new shared.Empty());
  else options.setRevision(String(expected));
  const first = new streams.AppendReq();
  first.setOptions(options);
  return [first, ...events.map(proposalMessage)];
}

export function batchMessage({ name, expected, events }: AppendBytes, correlationId: string): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(identifierOf(name));
  if (expected === 'none') options.setNoStream(new shared.Empty());
  else if (expected === 'any') options.setAny(new shared.Empty());
  else options.setStreamPosition(String(expected));
  // Sets no deadline, because the server reads a deadline as an absolute time, and the machines' clocks differ.
  const message = new streams.BatchAppendReq();
  message.setCorrelationId(uuidOf(correlationId));
  message.setOptions(options);
  message.setProposedMessagesList(events.map((event) => filled(new streams.BatchAppendReq.ProposedMessage(), event)));
  message.setIsFinal(true);
  return message;
}

export function identifierOf(name: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
}

function proposalMessage(event: EventBytes): AppendReq {
  const message = new streams.AppendReq();
  message.setProposedMessage(filled(new streams.AppendReq.ProposedMessage(), event));
  return message;
}

function filled<Proposal extends streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage>(
  proposal: Proposal,
  { id, type, data, metadata }: EventBytes,
): Proposal {
  proposal.setId(uuidOf(id));
  proposal.getMetadataMap().set('type', type);
  proposal.getMetadataMap().set('content-type', 'application/json');
  proposal.setData(data);
  proposal.setCustomMetadata(metadata);
  return proposal;
}

function uuidOf(id: string): shared.UUID {
  const value = new shared.UUID();
  value.setString(id);
  return value;
}
