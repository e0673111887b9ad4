import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { status as code } from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import { eventsOf, type ParsedAppend } from './append-call.js';
import { invalid } from './call-errors.js';
import type { Expected, Written } from './transaction-log.js';

/**
 * Parses an append that fits into one message. The service sends no others.
 * @throws a call's error
 */
export function parseBatchAppend(message: BatchAppendReq): ParsedAppend {
  const options = message.getOptions();
  if (options === undefined || !message.getIsFinal()) throw invalid('An append of this service is one message.');
  const stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
  if (stream === '') throw invalid('An append names its stream.');
  return { stream, expected: expectedOf(options), events: eventsOf(message.getProposedMessagesList(), stream) };
}

export function batchAnswerOf(
  message: BatchAppendReq,
  written: Exclude<Written, { kind: 'dropped' }>,
): streams.BatchAppendResp {
  if (written.kind === 'wrong-version') {
    const refusal = new shared.WrongExpectedVersion();
    if (written.actual < 0) refusal.setCurrentNoStream(new shared.Empty());
    else refusal.setCurrentStreamRevision(String(written.actual));
    return failedAnswer(message, code.ALREADY_EXISTS, 'WrongExpectedVersion', refusal);
  }
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(written.last.position));
  position.setPreparePosition(String(written.last.position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(written.last.revision));
  success.setPosition(position);
  const response = answerTo(message);
  response.setSuccess(success);
  return response;
}

/** Returns the response for one failed append. Other appends of the batch are not affected. */
export function failedAnswer(
  message: BatchAppendReq,
  failure: number,
  text: string,
  details: { serializeBinary(): Uint8Array } = new shared.Empty(),
): streams.BatchAppendResp {
  const packed = new any.Any();
  const name = details instanceof shared.Empty ? 'google.protobuf.Empty' : `event_store.client.${text}`;
  packed.pack(details.serializeBinary(), name);
  const error = new status.Status();
  error.setCode(failure);
  error.setMessage(text);
  error.setDetails(packed);
  const response = answerTo(message);
  response.setError(error);
  return response;
}

function answerTo(message: BatchAppendReq): streams.BatchAppendResp {
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(message.getCorrelationId());
  response.setStreamIdentifier(message.getOptions()?.getStreamIdentifier());
  return response;
}

function expectedOf(options: BatchAppendReq.Options): Expected {
  const { ExpectedStreamPositionCase } = streams.BatchAppendReq.Options;
  switch (options.getExpectedStreamPositionCase()) {
    case ExpectedStreamPositionCase.STREAM_POSITION:
      return Number(options.getStreamPosition());
    case ExpectedStreamPositionCase.NO_STREAM:
      return 'none';
    case ExpectedStreamPositionCase.STREAM_EXISTS:
      return 'exists';
    case ExpectedStreamPositionCase.ANY:
      return 'any';
    case ExpectedStreamPositionCase.EXPECTED_STREAM_POSITION_NOT_SET:
      throw invalid('An append says what it expects.');
  }
}
