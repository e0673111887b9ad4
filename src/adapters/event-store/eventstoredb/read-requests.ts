import type { EventFilter } from '../../../ports/event-store.port.js';
import { identifierOf } from './append-messages.js';
import { type ReadReq, shared, streams } from './protocol.js';
import { metadataFilterOf, serverFilterOf } from './server-filter.js';
import type { StreamNames } from './stream-names.js';

export type Direction = 'forward' | 'backward';
export type From = number | 'start' | 'end';

const { Options } = streams.ReadReq;

export function streamRequest(stream: string, from: From, direction: Direction, count: number): ReadReq {
  const target = new Options.StreamOptions();
  target.setStreamIdentifier(identifierOf(stream));
  if (from === 'start') target.setStart(new shared.Empty());
  else if (from === 'end') target.setEnd(new shared.Empty());
  else target.setRevision(String(from));
  const options = optionsOf(direction);
  options.setStream(target);
  options.setCount(String(count));
  options.setNoFilter(new shared.Empty());
  return requestOf(options);
}

/** Includes events of the server and of other applications. */
export function wholeLogRequest(from: From, direction: Direction, count: number): ReadReq {
  return logRequestOf(from, direction, count);
}

export function logRequest(
  from: From,
  direction: Direction,
  count: number,
  filter: EventFilter,
  names: StreamNames,
): ReadReq {
  return logRequestOf(from, direction, count, serverFilterOf(filter, 1_000, names));
}

function logRequestOf(
  from: From,
  direction: Direction,
  count: number,
  filter?: ReadReq.Options.FilterOptions,
): ReadReq {
  const options = optionsOf(direction);
  options.setAll(placeInLog(from));
  options.setCount(String(count));
  if (filter === undefined) options.setNoFilter(new shared.Empty());
  else options.setFilter(filter);
  return requestOf(options);
}

export function pruningRequest(workspaceId: string | undefined, names: StreamNames): ReadReq {
  const options = optionsOf('forward');
  options.setAll(placeInLog('start'));
  options.setCount(String(Number.MAX_SAFE_INTEGER));
  options.setFilter(metadataFilterOf(workspaceId, 1_000, names));
  return requestOf(options);
}

/** @param window number of events that the server searches before it sends a checkpoint */
export function subscriptionRequest(from: From, filter: EventFilter, window: number, names: StreamNames): ReadReq {
  const options = optionsOf('forward');
  options.setAll(placeInLog(from));
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(serverFilterOf(filter, window, names));
  return requestOf(options);
}

function placeInLog(from: From) {
  const target = new Options.AllOptions();
  if (from === 'start') target.setStart(new shared.Empty());
  else if (from === 'end') target.setEnd(new shared.Empty());
  else {
    const position = new Options.Position();
    position.setCommitPosition(String(from));
    position.setPreparePosition(String(from));
    target.setPosition(position);
  }
  return target;
}

function optionsOf(direction: Direction) {
  const ids = new Options.UUIDOption();
  ids.setString(new shared.Empty());
  const options = new Options();
  options.setUuidOption(ids);
  options.setResolveLinks(false);
  options.setReadDirection(direction === 'forward' ? Options.ReadDirection.FORWARDS : Options.ReadDirection.BACKWARDS);
  return options;
}

function requestOf(options: ReadReq.Options): ReadReq {
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request;
}
