// Second tier.
import { expect, it } from '@jest/globals';
import { sharedApp } from '../support/shared-app.js';
import { answersOfExample, hasCurl } from './first-five-minutes.js';

(hasCurl ? it : it.skip)('the first example of the page about sites, typed with curl, publishes a site', async () => {
  const app = await sharedApp();
  const { answers, unexpected } = await answersOfExample('src/areas/sites/README.md', app);
  expect(answers).not.toEqual([]);
  expect(unexpected).toEqual([]);
});
