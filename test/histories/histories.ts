import { existsSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/kernel/event/event.js';

/** Events as a log holds them, each with the state after it; null: there is none. */
export interface History {
  readonly about: string;
  readonly recorded: readonly { readonly event: RecordedEvent; readonly state: unknown }[];
}

/** The file of one category of streams: that of `apiKey` is `api-key.json`. */
export const fileOf = (category: string): URL =>
  new URL(`${category.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`, import.meta.url);

export function historiesOf(category: string): readonly History[] {
  const file = fileOf(category);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly History[]) : [];
}
