import type { RecordedEvent } from '../../kernel/event/event.js';
import { personalOf } from '../../kernel/event/personal-data.js';
import { isReadable } from '../../kernel/event/unreadable-event.js';
import type { Projection } from '../../kernel/record/projection.js';
import type { PersonalData } from '../personal-data/personal-data.js';
import { reads } from './read-models.js';

export type OpenedData = PersonalData['opened'];

/**
 * The events with the personal data of those opened that a projection which keeps it in the clear reads; all keys of a
 * batch are looked up together. What a destroyed key had sealed is what stands for erased values.
 */
export async function openedFor(
  fed: readonly { readonly projection: Projection }[],
  events: readonly RecordedEvent[],
  opened: OpenedData,
): Promise<readonly RecordedEvent[]> {
  const opening = fed.map(({ projection }) => projection).filter((one) => one.opens);
  if (opening.length === 0) return events;
  const wanted = events.filter(
    (event) =>
      personalOf(event.stream) !== undefined && isReadable(event) && opening.some((one) => reads(one.reads, event)),
  );
  if (wanted.length === 0) return events;
  const clear = new Map<RecordedEvent, RecordedEvent>();
  for (const [workspaceId, some] of Map.groupBy(wanted, ({ metadata }) => metadata.workspaceId)) {
    const data = await opened(
      workspaceId,
      some.map((event) => event.data),
    );
    for (const [at, event] of some.entries()) clear.set(event, { ...event, data: data[at] ?? event.data });
  }
  return events.map((event) => clear.get(event) ?? event);
}
