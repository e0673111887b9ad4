import { expect, it } from '@jest/globals';
import { readAnalyticsSources } from './analytics-settings.js';

it('are Google and Clarity by default', () => {
  expect(readAnalyticsSources({ ANALYTICS_PRIMARY_SRC: '' })).toEqual({
    primary: 'https://www.googletagmanager.com/gtag/js?id={id}',
    secondary: 'https://www.clarity.ms/tag/{id}',
  });
  const own = 'https://counts.example.org/{id}.js';
  expect(readAnalyticsSources({ ANALYTICS_SECONDARY_SRC: own }).secondary).toBe(own);
});

it.each(['counts.js?{id}', 'https://counts.example.org/', 'https://{id}.example.org/{id}', 'javascript:{id}'])(
  'refuse an invalid address, or one without the position of the id: %s',
  (ANALYTICS_PRIMARY_SRC) => {
    expect(() => readAnalyticsSources({ ANALYTICS_PRIMARY_SRC })).toThrow(/^ANALYTICS_PRIMARY_SRC must be an http/);
  },
);
