import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What a teller (a saga, a read model or the account event mapper) made of one event when it was recorded. */
export interface Told {
  readonly log: string;
  readonly event: string;
  readonly type: string;
  readonly told: unknown;
}

const folder = new URL('told/', import.meta.url);
const fileOf = (teller: string) => new URL(`${teller.replaceAll(' ', '-')}.json`, folder);

export function toldBy(teller: string): readonly Told[] {
  const file = fileOf(teller);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly Told[]) : [];
}

/** Writes one entry per line, so that a diff shows which entries are new. */
export function write(teller: string, entries: readonly Told[]): void {
  const lines = entries.map((entry) => `  ${JSON.stringify(entry)}`);
  writeFileSync(fileOf(teller), `[\n${lines.join(',\n')}\n]\n`);
}

/** The names of the files of tellers that have one. */
export const recordedTellers = (): readonly string[] =>
  readdirSync(folder)
    .map((name) => name.replace('.json', ''))
    .sort();
export const fileNameOf = (teller: string) => teller.replaceAll(' ', '-');
