import { readdirSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import type { History } from './histories.js';

/** The events of a log, or of its unpruned part, in the order of recording. */
export interface RecordedLog {
  readonly name: string;
  readonly events: readonly RecordedEvent[];
}

const parsed = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as unknown;
const filesIn = (folder: URL) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();

/**
 * The logs of whole workspaces in `logs/`, and one made of all histories, which contains every event type but few
 * related records.
 */
export function recordedLogs(): readonly RecordedLog[] {
  const here = new URL('./', import.meta.url);
  const logs = new URL('logs/', here);
  const whole = filesIn(logs).map((name) => ({
    name: name.replace('.json', ''),
    events: parsed(new URL(name, logs)) as readonly RecordedEvent[],
  }));
  const histories = filesIn(here).flatMap((name) => parsed(new URL(name, here)) as readonly History[]);
  const events = histories.flatMap(({ recorded }) => recorded.map(({ event }) => event));
  return [...whole, { name: 'histories', events }];
}
