import { existsSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/kernel/event/event.js';

/** Events as a log holds them, each with the state after it; null: there is none. */
export interface History {
  readonly about: string;
  readonly recorded: readonly { readonly event: RecordedEvent; readonly state: unknown }[];
}

/** Those of one category of streams, from its file: `apiKey` is in `api-key.json`. */
export function historiesOf(category: string): readonly History[] {
  const name = category.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const file = new URL(`${name}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly History[]) : [];
}
