import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** The shell block that follows the heading. */
export function blockUnder(heading: string): string {
  const [, after] = readme.split(`\n## ${heading}\n`);
  const block = /```sh\n([\s\S]*?)```/.exec(after ?? '')?.[1];
  if (block === undefined) throw new Error(`README has no shell block under "${heading}".`);
  return block;
}

/** Its commands in their order, each as it is typed, without those lines that only say something. */
export function commandsOf(block: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.split('\n')) {
    if (open === '' && /^\s*(#|$)/.test(line)) continue;
    open += `${line}\n`;
    // In this block a single quote never stands within double ones.
    const quotesClosed = (open.match(/'/g) ?? []).length % 2 === 0;
    if (!quotesClosed || line.endsWith('\\')) continue;
    commands.push(open);
    open = '';
  }
  if (open !== '') throw new Error(`A command of the README does not end: ${open}`);
  return commands;
}
