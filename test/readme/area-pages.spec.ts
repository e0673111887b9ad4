import { execFile, execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { sharedApp } from '../support/shared-app.js';
import { blockUnder, exampleFunctions, root } from './first-five-minutes.js';

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const areaPages = globSync('src/areas/*/README.md', { cwd: root }).sort();
const examples = globSync('src/**/README.md', { cwd: root })
  .sort()
  .filter((page) => readFileSync(join(root, page), 'utf8').includes('\n## Try it\n'));

/** A reader sleeps to see the outcome. Here it suffices that every call is answered. */
const briefly = 'sleep() { command sleep 0.1; }\n';

const answersIn = (printed: string): readonly Record<string, unknown>[] =>
  printed
    .split('\n')
    .filter((line) => /^[{[]/.test(line))
    .map((line) => JSON.parse(line));

(hasCurl ? describe : describe.skip)('the first example of a page, typed with curl', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await sharedApp();
  });
  afterAll(() => app.close());

  const type = async (block: string): Promise<string> => {
    const { host, port } = new URL(app.url);
    const typed = `${exampleFunctions()}${briefly}${block}`
      .replaceAll('127.0.0.1:3000', host)
      .replaceAll('localhost:3000', `localhost:${port}`);
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, KEY: app.ownerKey };
    return (await promisify(execFile)('sh', ['-eu', '-c', typed], { env })).stdout;
  };

  it('is on the page of every area', () => {
    expect(areaPages.filter((page) => !examples.includes(page))).toEqual([]);
  });

  it.each(examples)('%s: every call succeeds, or has the status that its comment names', async (page) => {
    const block = blockUnder('Try it', page);
    const answers = answersIn(await type(block));
    const comments = block.match(/#.*/g)?.join(' ') ?? '';
    const refused = answers.filter(({ status }) => typeof status === 'number' && !comments.includes(`${status}`));
    expect(answers).not.toEqual([]);
    expect(refused).toEqual([]);
  });
});
