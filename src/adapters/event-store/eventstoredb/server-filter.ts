import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import { isMustUnderstand } from '../log-reader/filters.js';
import { type ReadReq, streams } from './protocol.js';
import { mustUnderstandMark as marker } from './recorded-event.js';
import { literally, type StreamNames } from './stream-names.js';

/**
 * The server filters by stream name or by event type, but not by both. It gets the types if the filter restricts
 * nothing else, and otherwise a pattern for the stream names. `matchesOnServer` checks the rest in this process.
 */
export function serverFilterOf(filter: EventFilter, window: number, names: StreamNames): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  const options = filterOptions(window);
  if (filter.types !== undefined && filter.workspaceId === undefined && filter.categories === undefined) {
    const types = filter.types.map((type) => `${literally(type)}${marker}?`);
    expression.setRegex(`^(?:${[...types, ...(filter.andMustUnderstand ? [`.*${marker}`] : [])].join('|')})$`);
    options.setEventType(expression);
  } else {
    expression.setRegex(names.pattern(filter));
    options.setStreamIdentifier(expression);
  }
  return options;
}

export function metadataFilterOf(
  workspaceId: string | undefined,
  window: number,
  names: StreamNames,
): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  const ours = names.pattern(workspaceId === undefined ? {} : { workspaceId });
  expression.setRegex(`^\\$\\$${ours.slice('^'.length)}`);
  const options = filterOptions(window);
  options.setStreamIdentifier(expression);
  return options;
}

function filterOptions(window: number): ReadReq.Options.FilterOptions {
  const options = new streams.ReadReq.Options.FilterOptions();
  options.setMax(window);
  options.setCheckpointintervalmultiplier(1);
  return options;
}

export function matchesOnServer(filter: EventFilter, event: RecordedEvent): boolean {
  const { categories, types, andMustUnderstand, workspaceId } = filter;
  const name = parseStream(event.stream);
  return (
    ((types?.includes(event.type) ?? true) || (andMustUnderstand === true && isMustUnderstand(event))) &&
    (categories?.includes(name.category) ?? true) &&
    (workspaceId === undefined || name.workspaceId === workspaceId)
  );
}
