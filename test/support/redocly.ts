import { createConfig, lintFromString } from '@redocly/openapi-core';

/** The violations of Redocly's strict rules, each as `rule at place: message`. */
export async function faultsOf(linted: object): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(linted), absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}
