import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { visitorApi } from '../../src/http/open-api/visitor-api.js';
import { faultsOf } from '../support/redocly.js';

/** A realistic host name, because the linter refuses localhost and example.com. */
const document = visitorApi('https://countersign.test');

describe("Redocly's linter", () => {
  it('reports nothing about the OpenAPI document of what visitors call', async () => {
    expect(await faultsOf(document)).toEqual([]);
  });

  it('reports faults by name', async () => {
    const info = { title: 'Countersign', version: '1' };
    expect(await faultsOf({ ...document, info })).toEqual([expect.stringMatching(/^info-license at #\/info/)]);
  });
});
