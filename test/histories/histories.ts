import { existsSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/kernel/event/event.js';

/** Recorded events, each with the state after it. `null` means that the record does not exist. */
export interface History {
  readonly about: string;
  readonly recorded: readonly { readonly event: RecordedEvent; readonly state: unknown }[];
}

/** The file with the histories of a category. That of `apiKey` is `api-key.json`. */
export const fileOf = (category: string): URL =>
  new URL(`${category.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`, import.meta.url);

export function historiesOf(category: string): readonly History[] {
  const file = fileOf(category);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly History[]) : [];
}
