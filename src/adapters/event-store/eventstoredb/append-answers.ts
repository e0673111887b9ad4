import { status } from '@grpc/grpc-js';
import { AppendFailed } from './errors.js';
import { commitPosition } from './position.js';
import { type AppendResp, type BatchAppendResp, type Status, shared } from './protocol.js';

export type AppendAnswer =
  /** The position is undefined if the server recognised a repeated append and did not return its position. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number | undefined }
  /** An `actual` of -1 means that the stream is empty. */
  | { readonly kind: 'refused'; readonly actual: number };

export function appendAnswerOf(response: AppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success !== undefined) {
    return appended(success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
  }
  const refusal = response.getWrongExpectedVersion();
  return { kind: 'refused', actual: refusal?.hasCurrentRevision() ? revisionOf(refusal.getCurrentRevision()) : -1 };
}

/** @throws AppendFailed with the status that a separate call for this append would have had */
export function batchAnswerOf(response: BatchAppendResp): AppendAnswer {
  const success = response.getSuccess();
  if (success !== undefined) {
    return appended(success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
  }
  const error = response.getError();
  const refusal = error?.getDetails()?.unpack(shared.WrongExpectedVersion.deserializeBinary, wrongExpectedVersion);
  if (refusal) {
    const actual = refusal.hasCurrentStreamRevision() ? revisionOf(refusal.getCurrentStreamRevision()) : -1;
    return { kind: 'refused', actual };
  }
  throw failureOf(error);
}

/** The server returns the id as it was sent or, after some timeouts, as two 64-bit numbers. */
export function correlationIdOf(response: BatchAppendResp): string {
  const id = response.getCorrelationId();
  const halves = id?.getStructured();
  if (halves === undefined) return id?.getString() ?? '';
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const wrongExpectedVersion = 'event_store.client.WrongExpectedVersion';

function appended(revision: string, position: string | undefined): AppendAnswer {
  return { kind: 'appended', revision: Number(revision), position: position ? commitPosition(position) : undefined };
}

/** Some responses represent an empty stream by the largest 64-bit number. */
function revisionOf(text: string): number {
  return Number.isSafeInteger(Number(text)) ? Number(text) : -1;
}

function failureOf(error: Status | undefined): AppendFailed {
  const name = error?.getDetails()?.getTypeName() ?? '';
  const exception = /\.MaximumAppend/.test(name) ? 'maximum-append-size-exceeded' : undefined;
  // A missing code means that the node is starting, busy or without a leader, and has written nothing.
  return new AppendFailed(error?.getCode() || status.UNAVAILABLE, error?.getMessage() ?? '', exception);
}
