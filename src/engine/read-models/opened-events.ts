import type { RecordedEvent } from '../../kernel/event/event.js';
import { personalOf } from '../../kernel/event/personal-data.js';
import { isReadable } from '../../kernel/event/unreadable-event.js';
import type { Projection } from '../../kernel/record/projection.js';
import type { PersonalData } from '../personal-data/personal-data.js';
import { reads } from './read-models.js';

export type OpenedData = PersonalData['opened'];

/**
 * Decrypts personal data for the projections with `opens`. The keys for a batch are looked up together. Values whose
 * key was destroyed are replaced by the text for erased values.
 */
export async function withPersonalDataOpened(
  fed: readonly { readonly projection: Projection }[],
  events: readonly RecordedEvent[],
  opened: OpenedData,
): Promise<readonly RecordedEvent[]> {
  const opening = fed.map(({ projection }) => projection).filter((one) => one.opens);
  if (opening.length === 0) return events;
  const readHere = events.filter(
    (event) =>
      personalOf(event.stream) !== undefined && isReadable(event) && opening.some((one) => reads(one.reads, event)),
  );
  if (readHere.length === 0) return events;
  const clear = new Map<RecordedEvent, RecordedEvent>();
  for (const [workspaceId, some] of Map.groupBy(readHere, ({ metadata }) => metadata.workspaceId)) {
    const data = await opened(
      workspaceId,
      some.map((event) => event.data),
    );
    for (const [at, event] of some.entries()) clear.set(event, { ...event, data: data[at] ?? event.data });
  }
  return events.map((event) => clear.get(event) ?? event);
}
