import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { invalid, invalidPosition } from './call-errors.js';
import type { LogRecord, TransactionLog } from './transaction-log.js';

export type Passes = (record: LogRecord) => boolean;

/**
 * Returns all responses to a read that is not a subscription.
 * @throws a call's error
 */
export function answersTo(log: TransactionLog, options: ReadReq.Options): readonly streams.ReadResp[] {
  const records = options.hasStream() ? ofStream(log, options) : ofLog(log, options);
  if (records === undefined) return [notFound(options)];
  return records.slice(0, Number(options.getCount())).map(eventAnswer);
}

/** Returns a function that tests whether a filter selects a record. */
export function passes(options: ReadReq.Options): Passes {
  if (options.hasNoFilter()) return () => true;
  const filter = options.getFilter();
  if (filter === undefined || !(filter.hasMax() || filter.hasCount())) throw invalid('A filter has a window.');
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  if (expression === undefined) throw invalid('A filter filters by something.');
  const pattern = new RegExp(expression.getRegex());
  const prefixes = expression.getPrefixList();
  const lets = (text: string) =>
    expression.getRegex() === '' ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  return (record) => lets(byStream === undefined ? record.type : record.stream);
}

/**
 * Returns the index at which a forward read begins. The server accepts only positions at which a record begins.
 * @throws a call's error
 */
export function startIndex(records: readonly LogRecord[], options: ReadReq.Options): number {
  const all = options.getAll();
  if (all?.hasStart()) return 0;
  if (all?.hasEnd()) return records.length;
  const position = all?.getPosition();
  if (position === undefined || position.getCommitPosition() !== position.getPreparePosition()) {
    throw invalidPosition(options.hasFilter());
  }
  const at = Number(position.getCommitPosition());
  const index = records.findIndex((record) => record.position === at);
  if (index >= 0) return index;
  if (at === records.at(-1)?.end) return records.length;
  throw invalidPosition(options.hasFilter());
}

export function eventAnswer(record: LogRecord): streams.ReadResp {
  const id = new shared.UUID();
  id.setString(record.id);
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(id);
  event.setStreamIdentifier(nameOf(record.stream));
  event.setStreamRevision(String(record.revision));
  event.setCommitPosition(String(record.position));
  event.setPreparePosition(String(record.position));
  event.getMetadataMap().set('type', record.type);
  event.getMetadataMap().set('content-type', record.json ? 'application/json' : 'application/octet-stream');
  event.getMetadataMap().set('created', '17600000000000000');
  event.setData(record.data);
  event.setCustomMetadata(record.metadata);
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(String(record.position));
  const response = new streams.ReadResp();
  response.setEvent(read);
  return response;
}

function ofStream(log: TransactionLog, options: ReadReq.Options): readonly LogRecord[] | undefined {
  const place = options.getStream();
  const stream = Buffer.from(place?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
  if (!log.exists(stream)) return undefined;
  const records = log.visibleOf(stream);
  const revision = place?.hasRevision() ? Number(place.getRevision()) : undefined;
  if (options.getReadDirection() === 0) return records.filter((record) => record.revision >= (revision ?? 0));
  return records.filter((record) => revision === undefined || record.revision <= revision).toReversed();
}

function ofLog(log: TransactionLog, options: ReadReq.Options): readonly LogRecord[] {
  const records = log.visible;
  const index = startIndex(records, options);
  const found = options.getReadDirection() === 0 ? records.slice(index) : records.slice(0, index).toReversed();
  return found.filter(passes(options));
}

function notFound(options: ReadReq.Options): streams.ReadResp {
  const answer = new streams.ReadResp.StreamNotFound();
  answer.setStreamIdentifier(options.getStream()?.getStreamIdentifier());
  const response = new streams.ReadResp();
  response.setStreamNotFound(answer);
  return response;
}

function nameOf(stream: string): shared.StreamIdentifier {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  return name;
}
