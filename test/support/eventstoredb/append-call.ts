import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { invalid, missingProperty, tooLarge } from './call-errors.js';
import type { Expected, Proposed, Written } from './transaction-log.js';

export interface ParsedAppend {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly Proposed[];
}

const maxAppendSize = 1_024 * 1_024;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Parses an append. Stricter than the real server: metadata, and data declared as JSON, must be valid JSON.
 * @throws a call's error
 */
export function parseAppend(messages: readonly AppendReq[]): ParsedAppend {
  const [first, ...rest] = messages;
  const options = first?.getOptions();
  if (options === undefined) throw invalid('The first message of an append holds its options.');
  const stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
  if (stream === '') throw invalid('An append names its stream.');
  const proposals = rest.map((message) => {
    const proposal = message.getProposedMessage();
    if (proposal === undefined) throw invalid('Every message of an append after the first holds an event.');
    return proposal;
  });
  return { stream, expected: expectedOf(options), events: eventsOf(proposals, stream) };
}

type Proposal = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

/** @throws a call's error if there are no events, if they are too large, or if one is invalid */
export function eventsOf(proposals: readonly Proposal[], stream: string): readonly Proposed[] {
  let size = 0;
  const events = proposals.map((proposal) => {
    const event = proposedOf(proposal, stream);
    size += event.type.length * 2 + event.data.length + event.metadata.length;
    if (size > maxAppendSize) throw tooLarge(maxAppendSize);
    return event;
  });
  if (events.length === 0) throw invalid('An append holds at least one event.');
  return events;
}

export function answerOf(written: Exclude<Written, { kind: 'dropped' }>): streams.AppendResp {
  const response = new streams.AppendResp();
  if (written.kind === 'wrong-version') {
    const refusal = new streams.AppendResp.WrongExpectedVersion();
    if (written.actual < 0) refusal.setCurrentNoStream(new shared.Empty());
    else refusal.setCurrentRevision(String(written.actual));
    response.setWrongExpectedVersion(refusal);
    return response;
  }
  const success = new streams.AppendResp.Success();
  success.setCurrentRevision(String(written.last.revision));
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(written.last.position));
  position.setPreparePosition(String(written.last.position));
  success.setPosition(position);
  response.setSuccess(success);
  return response;
}

function expectedOf(options: AppendReq.Options): Expected {
  const { ExpectedStreamRevisionCase } = streams.AppendReq.Options;
  switch (options.getExpectedStreamRevisionCase()) {
    case ExpectedStreamRevisionCase.REVISION:
      return Number(options.getRevision());
    case ExpectedStreamRevisionCase.NO_STREAM:
      return 'none';
    case ExpectedStreamRevisionCase.STREAM_EXISTS:
      return 'exists';
    case ExpectedStreamRevisionCase.ANY:
      return 'any';
    case ExpectedStreamRevisionCase.EXPECTED_STREAM_REVISION_NOT_SET:
      throw invalid('An append says what it expects.');
  }
}

function proposedOf(proposal: Proposal, stream: string): Proposed {
  const properties = proposal.getMetadataMap();
  const type = properties.get('type');
  const contentType = properties.get('content-type');
  if (type === undefined) throw missingProperty('type');
  if (contentType === undefined) throw missingProperty('content-type');
  const id = proposal.getId()?.getString() ?? '';
  if (!uuid.test(id)) throw invalid(`'${id}' is no UUID.`);
  const [data, metadata] = [proposal.getData_asU8(), proposal.getCustomMetadata_asU8()];
  if (contentType !== 'application/json') throw invalid(`'${contentType}' is not what this service writes.`);
  mustBeJson(data);
  if (!stream.startsWith('$$') || metadata.length > 0) mustBeJson(metadata);
  return { id, type, data, metadata, json: true };
}

function mustBeJson(bytes: Uint8Array): void {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('What is said to be JSON is none.');
  }
}
