import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { builtinNames, builtins } from '../builtin/builtin.api.js';
import { builtinSources } from '../builtin/builtin-line.api.js';
import { wrongEventPattern } from './event-pattern.js';

describe('patterns', () => {
  it('are every built-in name, every source, everything, and names after custom. and app.', () => {
    const own = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,79}$/);
    fc.assert(
      fc.property(
        fc.constantFrom('custom', 'app'),
        own,
        (source, name) => wrongEventPattern(`${source}.${name}`).length === 0,
      ),
    );
    for (const pattern of [
      '*',
      ...builtinNames,
      ...[...builtinSources, 'custom', 'app'].map((source) => `${source}.*`),
    ])
      expect([pattern, wrongEventPattern(pattern)]).toEqual([pattern, []]);
  });

  it('are nothing else', () => {
    const sources: readonly string[] = [...builtinSources, 'custom', 'app'];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom(...sources).chain((s) => fc.string().map((t) => `${s}.${t}`)),
        ),
        (text) => {
          const right =
            text === '*' ||
            builtinNames.has(text) ||
            (text.endsWith('.*') && sources.includes(text.slice(0, -2))) ||
            /^(custom|app)\.[a-z0-9][a-z0-9_.-]{0,79}$/.test(text);
          expect(wrongEventPattern(text).length === 0).toBe(right);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});

describe('the table of built-in events', () => {
  it('describes a name in the same words everywhere', () => {
    const described = Map.groupBy(builtins, ({ name }) => name);
    for (const [name, lines] of described)
      expect([name, new Set(lines.map(({ description }) => description)).size]).toEqual([name, 1]);
  });
});
