import { expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { openApi } from '../../src/http/open-api.js';
import { faultsOf } from '../support/redocly.js';

it("Redocly's linter reports nothing about the OpenAPI document of the operations", async () => {
  // A realistic host name, because the linter refuses localhost and example.com.
  expect(await faultsOf(openApi('https://countersign.test'))).toEqual([]);
});
