import { existsSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/kernel/event/event.js';

/** Recorded events, each with the state after it. `null` means that the record does not exist. */
export interface History {
  readonly about: string;
  readonly recorded: readonly { readonly event: RecordedEvent; readonly state: unknown }[];
}

/** The histories of a category. Those of `apiKey` are in `api-key.json`. */
export function historiesOf(category: string): readonly History[] {
  const name = category.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const file = new URL(`${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly History[]) : [];
}
