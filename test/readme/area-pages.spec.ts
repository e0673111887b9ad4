import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { sharedApp } from '../support/shared-app.js';
import { answersOfExample, hasCurl, root } from './first-five-minutes.js';

const areaPages = globSync('src/areas/*/README.md', { cwd: root }).sort();
const examples = globSync('src/**/README.md', { cwd: root })
  .sort()
  .filter((page) => readFileSync(join(root, page), 'utf8').includes('\n## Try it\n'));
/** Its example builds a site twice: `sites-page.spec.ts`, in the second tier. */
const ofSites = 'src/areas/sites/README.md';

(hasCurl ? describe : describe.skip)('the first example of a page, typed with curl', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await sharedApp();
  });
  afterAll(() => app.close());

  it('is on the page of every area', () => {
    expect(areaPages.filter((page) => !examples.includes(page))).toEqual([]);
  });

  it.each(examples.filter((page) => page !== ofSites))(
    '%s: every call succeeds, or has the status that its comment names',
    async (page) => {
      const { answers, unexpected } = await answersOfExample(page, app);
      expect(answers).not.toEqual([]);
      expect(unexpected).toEqual([]);
    },
  );
});
