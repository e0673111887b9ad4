import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import '../../src/app.module.js';
import { visitorApi } from '../../src/http/open-api/visitor-api.js';
import { openApi } from '../../src/http/open-api.js';

/** A realistic host name, because the linter refuses localhost and example.com. */
const document = openApi('https://countersign.test');

/** The violations of Redocly's strict rules, each as `rule at place: message`. */
async function faultsOf(linted: object): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(linted), absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

describe("Redocly's linter", () => {
  it.each([
    ['of the operations', document],
    ['of what visitors call', visitorApi('https://countersign.test')],
  ])('reports nothing about the OpenAPI document %s', async (_, linted) => {
    expect(await faultsOf(linted)).toEqual([]);
  });

  it('reports faults by name', async () => {
    const info = { title: 'Countersign', version: '1' };
    expect(await faultsOf({ ...document, info })).toEqual([expect.stringMatching(/^info-license at #\/info/)]);
  });
});
