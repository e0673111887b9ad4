import { derivedUuid } from '../../kernel/event/derived-id.js';
import { prunedRevision } from '../../kernel/event/pruned-revision.js';
import type { AppendRequest, EventStore } from '../../ports/event-store.port.js';
import type { LogFile } from './log-file.js';

const perRequest = 1_000;
const perRound = 10_000;

/**
 * Prepares streams whose beginning was pruned. A stream always begins at revision 0, so placeholders are appended in
 * place of the pruned events and then pruned too, at most 10,000 at a time to save space. Streams that an earlier
 * import has prepared are skipped.
 * @param keptFrom first remaining revisions of the streams that are pruned in the target
 */
export async function placePruned(
  file: LogFile,
  store: EventStore,
  keptFrom: ReadonlyMap<string, number>,
): Promise<void> {
  for await (const { stream, keptFrom: target } of file.pruned()) {
    if (keptFrom.get(stream) === target) continue;
    const [last] = await store.readStream(stream, { direction: 'backward', limit: 1 });
    let next = last === undefined ? (keptFrom.get(stream) ?? 0) : last.revision + 1;
    do {
      const upTo = Math.min(next + perRound, target);
      const requests = requestsFor(stream, next, upTo, file.header.exportedAt);
      if (requests.length > 0) await store.append(requests);
      await store.truncate(stream, upTo);
      next = upTo;
    } while (next < target);
  }
}

function requestsFor(stream: string, from: number, upTo: number, at: string): readonly AppendRequest[] {
  const requests: AppendRequest[] = [];
  for (let first = from; first < upTo; first += perRequest) {
    const revisions = Array.from({ length: Math.min(perRequest, upTo - first) }, (_, n) => first + n);
    const events = revisions.map((revision) => prunedRevision(stream, derivedUuid(`${stream}/${revision}`), at));
    requests.push({ stream, expected: first === 0 ? 'none' : first - 1, events });
  }
  return requests;
}
