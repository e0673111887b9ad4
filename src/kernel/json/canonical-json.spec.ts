import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../test/support/any-json.js';
import { canonicalJson } from './canonical-json.js';

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(turned(inner))}`,
  );
  return JSON.parse(`{${members.reverse().join(',')}}`);
}

describe('canonical JSON', () => {
  test('writes the example of RFC 8785 like the RFC', () => {
    const example = JSON.parse(
      `{ "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
         "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false] }`,
    );
    expect(canonicalJson(example)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('sorts names by UTF-16 units, not by code points', () => {
    const sorted = canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, '\u20ac': 3, '1': 4, '\r': 5, '\u0080': 6, ö: 7 });
    expect(sorted).toBe('{"\\r":5,"1":4,"\u0080":6,"ö":7,"€":3,"\u{1f600}":2,"\ufb33":1}');
  });

  test('writes zero without a sign and an unpaired surrogate as an escape', () => {
    expect(canonicalJson([-0, '\ud800', { gone: undefined }])).toBe('[0,"\\ud800",{}]');
  });

  test('keeps the order of names that JavaScript sorts differently or drops, at any depth', () => {
    const odd =
      '{"b":1,"a":{"10":{"y":1,"x":2},"9":3,"__proto__":{"n":1,"m":2}},"c":[{"2":1,"1":{"z":1,"10":2,"9":3}}]}';
    expect(canonicalJson(JSON.parse(odd))).toBe(
      '{"a":{"10":{"x":2,"y":1},"9":3,"__proto__":{"m":2,"n":1}},"b":1,"c":[{"1":{"10":2,"9":3,"z":1},"2":1}]}',
    );
    const proto = '{"__proto__":{"b":1,"a":2},"a":1,"z":[{"d":1,"c":2}]}';
    expect(canonicalJson(JSON.parse(proto))).toBe('{"__proto__":{"a":2,"b":1},"a":1,"z":[{"c":2,"d":1}]}');
  });

  test('is fast for deep nesting in another order', () => {
    const depth = 2_000;
    const text = `${'{"b":0,"a":'.repeat(depth)}0${'}'.repeat(depth)}`;
    expect(canonicalJson(JSON.parse(text))).toBe(`${'{"a":'.repeat(depth)}0${',"b":0}'.repeat(depth)}`);
  });

  test('property: the order of members makes no difference, and the text represents the value', () => {
    fc.assert(
      fc.property(anyJsonObject, (value) => {
        const recorded: unknown = JSON.parse(JSON.stringify(value));
        expect(canonicalJson(turned(recorded))).toBe(canonicalJson(recorded));
        expect(JSON.parse(canonicalJson(recorded))).toEqual(recorded);
      }),
    );
  });

  test('property: two values have one text only if they are equal', () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (a, b) => {
        const [one, other] = [a, b].map((value): unknown => JSON.parse(JSON.stringify(value)));
        if (canonicalJson(one) === canonicalJson(other)) expect(one).toEqual(other);
        else expect(one).not.toEqual(other);
      }),
    );
  });
});
