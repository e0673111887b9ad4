import { parseStream } from '../../../kernel/event/stream-name.js';
import type { RequestTexts } from './event-texts.js';
import type { ListResult } from './log-writer.js';
import type { TailEvent } from './tail.js';

/** Omits repeated requests, whose events were recorded before this transaction. */
export function recordedEvents(
  lists: readonly (readonly RequestTexts[])[],
  results: readonly ListResult[],
  before: number,
): readonly TailEvent[] {
  const recorded: TailEvent[] = [];
  let at = before;
  lists.forEach((list, n) => {
    const result = results[n];
    if (result?.status !== 'fulfilled') return;
    list.forEach(({ stream, events }, index) => {
      const appended = result.value[index];
      if (appended === undefined || appended.position <= at) return;
      at = appended.position;
      const head = parseStream(stream);
      events.forEach((event, nth) => {
        const back = events.length - 1 - nth;
        const revision = appended.revision - back;
        recorded.push({ head, texts: { ...event, stream, revision, position: appended.position - back } });
      });
    });
  });
  return recorded;
}
