import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestApp } from '../support/app.js';

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

export const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A reader sleeps to see the outcome. Here it suffices that every call is answered. */
const briefly = 'sleep() { command sleep 0.1; }\n';

/** Types the first example of a page. Returns all answers, and those whose status no comment names. */
export async function answersOfExample(page: string, { url, ownerKey }: TestApp) {
  const block = blockUnder('Try it', page);
  const { host, port } = new URL(url);
  const typed = `${exampleFunctions()}${briefly}${block}`
    .replaceAll('127.0.0.1:3000', host)
    .replaceAll('localhost:3000', `localhost:${port}`);
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, KEY: ownerKey };
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', typed], { env });
  const lines = stdout.split('\n').filter((line) => /^[{[]/.test(line));
  const answers = lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
  const comments = block.match(/#.*/g)?.join(' ') ?? '';
  const unexpected = answers.filter(({ status }) => typeof status === 'number' && !comments.includes(`${status}`));
  return { answers, unexpected };
}
