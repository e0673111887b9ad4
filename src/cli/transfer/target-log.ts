import { revisionPruned } from '../../kernel/event/pruned-revision.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { LogFile } from './log-file.js';
import { logEventLine, logLineText } from './log-line.js';
import { EventsDigest } from './log-tally.js';

export interface ExistingPart {
  readonly events: number;
  readonly keptFrom: ReadonlyMap<string, number>;
}

/**
 * Finds the part of the file that an interrupted import has already appended. Imports append events in the order of the
 * file, so this part is the beginning of the file.
 * @throws Error if a stream of the file has other events in the log
 */
export async function alreadyThere(file: LogFile, store: EventStore): Promise<ExistingPart> {
  const snapshot = await store.snapshot(file.header.workspaceId ?? undefined);
  const expected = file.events()[Symbol.asyncIterator]();
  try {
    for (const [stream, keptFrom] of snapshot.keptFrom) {
      if (keptFrom > (file.streams.first(stream) ?? Number.POSITIVE_INFINITY)) throw otherEvents(stream);
    }
    let events = 0;
    for await (const event of snapshot.events()) {
      const first = file.streams.first(event.stream);
      if (first === undefined) continue;
      if (event.type === revisionPruned && event.revision < first) continue;
      const next = await expected.next();
      if (next.done || logLineText(next.value) !== logLineText(logEventLine(event))) throw otherEvents(event.stream);
      events++;
    }
    return { events, keptFrom: snapshot.keptFrom };
  } finally {
    await expected.return?.();
    await snapshot.close();
  }
}

export async function digestOfEvents(file: LogFile, store: EventStore): Promise<string> {
  const digest = new EventsDigest();
  const snapshot = await store.snapshot(file.header.workspaceId ?? undefined);
  try {
    for await (const event of snapshot.events()) {
      if (file.streams.first(event.stream) !== undefined) digest.add(logLineText(logEventLine(event)));
    }
    return digest.hex();
  } finally {
    await snapshot.close();
  }
}

function otherEvents(stream: string): Error {
  return new Error(
    `The stream ${stream} in the log has other events than in the file: import into a log without this stream.`,
  );
}
