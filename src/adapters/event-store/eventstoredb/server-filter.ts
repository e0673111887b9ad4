import type { RecordedEvent } from '../../../kernel/event.js';
import { parseStream } from '../../../kernel/stream-name.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import { type ReadReq, streams } from './protocol.js';
import { literally, type StreamNames } from './stream-names.js';

/**
 * The server filters by stream name or by event type, not by both: it gets the narrower one, and `matches` does the rest
 * here.
 */
export function serverFilterOf(filter: EventFilter, window: number, names: StreamNames): ReadReq.Options.FilterOptions {
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  const options = filterOptions(window);
  if (filter.types !== undefined && filter.workspaceId === undefined && filter.categories === undefined) {
    expression.setRegex(`^(?:${filter.types.map(literally).join('|')})$`);
    options.setEventType(expression);
  } else {
    expression.setRegex(names.pattern(filter));
    options.setStreamIdentifier(expression);
  }
  return options;
}

/** The server's streams with the metadata of our streams. */
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

export function matches({ categories, types, workspaceId }: EventFilter, { stream, type }: RecordedEvent): boolean {
  const name = parseStream(stream);
  return (
    (types?.includes(type) ?? true) &&
    (categories?.includes(name.category) ?? true) &&
    (workspaceId === undefined || name.workspaceId === workspaceId)
  );
}
