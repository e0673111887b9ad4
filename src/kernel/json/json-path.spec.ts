import { expect, test } from '@jest/globals';
import { type JsonPath, pathText } from './json-path.js';

test.each<readonly [JsonPath, string]>([
  [[], ''],
  [['a', 'b', 0, 1, '$ref'], 'a.b[0][1].$ref'],
  [[0, 'a'], '[0].a'],
  [['a', ''], 'a[""]'],
  [['a', '0'], 'a["0"]'],
  [['größe', 'two words', 'dotted.name'], 'größe["two words"]["dotted.name"]'],
  [['a', 'line\nbreak "quoted"'], 'a["line\\nbreak \\"quoted\\""]'],
  [['\ud800'], '["\\ud800"]'],
])('%j is written %s', (path, text) => {
  expect(pathText(path)).toBe(text);
});

test('a path is 500 characters long at most, and shows that it is cut', () => {
  expect(pathText(['x'.repeat(1_000_000)])).toBe(`["${'x'.repeat(498)}…`);
  expect(pathText(Array(1_000).fill('abc'))).toMatch(/^abc(\.abc)*.*…$/);
  expect(pathText(Array(1_000).fill('abc'))).toHaveLength(501);
});
