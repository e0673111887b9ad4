import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** The first shell block after the heading. */
export function blockUnder(heading: string, page = 'README.md'): string {
  const [, after] = readFileSync(join(root, page), 'utf8').split(`\n## ${heading}\n`);
  const block = /```sh\n([\s\S]*?)```/.exec(after ?? '')?.[1];
  if (block === undefined) throw new Error(`${page} has no shell block under "${heading}".`);
  return block;
}

/** The shell functions that the main README defines for the examples of all pages. */
export const exampleFunctions = (): string =>
  commandsOf(blockUnder('The first five minutes'))
    .filter((command) => /^\w+\(\) \{/.test(command))
    .join('');

/** The commands of a block in order, as a reader types them, without comment lines. */
export function commandsOf(block: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    if (open === '' && /^\s*(#|$)/.test(line)) continue;
    open += `${line}\n`;
    // The blocks have no single quotes inside double quotes, so counting is enough.
    const quotesClosed = (open.match(/'/g) ?? []).length % 2 === 0;
    if (!quotesClosed || line.endsWith('\\')) continue;
    commands.push(open);
    open = '';
  }
  if (open !== '') throw new Error(`A command of the README does not end: ${open}`);
  return commands;
}
