import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../../test/support/any-json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type Edit, editExactly, nearbyText } from './exact-edit.api.js';
import { linesOf, numberedLines } from './numbered-lines.api.js';

const anyText = fc
  .array(fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('\n', '\r\n', '\uFEFF', '\uD800', '\uDC00', 'ab')))
  .map((parts) => parts.join(''));

describe('numbered lines', () => {
  test('have a number of four, an arrow and a space before each', () => {
    expect(numberedLines('a\n  b\n\nc')).toEqual({
      content: '   1→ a\n   2→   b\n   3→ \n   4→ c',
      startLine: 1,
      endLine: 4,
      totalLines: 4,
    });
  });

  test('begin at the offset and end with the limit', () => {
    expect(numberedLines('a\nb\nc\nd', 2, 2)).toEqual({
      content: '   2→ b\n   3→ c',
      startLine: 2,
      endLine: 3,
      totalLines: 4,
    });
  });

  test.each([
    ['past the end', 'a\nb', 3, undefined, 2],
    ['none asked for', 'a\nb', 1, 0, 2],
    ['an empty text', '', 1, undefined, 0],
  ])('do not exist: %s', (_, text, offset, limit, totalLines) => {
    expect(numberedLines(text, offset, limit)).toEqual({
      content: '',
      startLine: offset,
      endLine: offset - 1,
      totalLines,
    });
  });

  test('from 10,000 on, the number is wider', () => {
    const text = Array.from({ length: 10_001 }, () => 'x').join('\n');
    expect(numberedLines(text, 9_999).content).toBe('9999→ x\n10000→ x\n10001→ x');
  });

  test('of any text are the text again without the prefixes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { content, totalLines } = numberedLines(text);
        const bare =
          totalLines === 0
            ? ''
            : content
                .split('\n')
                .map((line) => line.slice(6))
                .join('\n');
        expect(bare).toBe(text);
        expect(totalLines).toBe(linesOf(text).length);
      }),
    );
  });
});

const edit = (text: string, wanted: Edit, limit = 1_000) => {
  try {
    return editExactly(text, wanted, limit);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, ...error.facts };
  }
};

describe('an exact edit', () => {
  test.each([
    ['once', 'a b c', { oldString: 'b', newString: 'x' }, { text: 'a x c', replaced: 1 }],
    ['everywhere', 'b b b', { oldString: 'b', newString: 'x', replaceAll: true }, { text: 'x x x', replaced: 3 }],
    ['away', 'a b', { oldString: ' b', newString: '' }, { text: 'a', replaced: 1 }],
    ['over lines', 'a\r\nb', { oldString: 'a\r\nb', newString: '$&$1' }, { text: '$&$1', replaced: 1 }],
    ['without overlap', 'aaa', { oldString: 'aa', newString: 'b' }, { text: 'ba', replaced: 1 }],
  ])('replaces %s', (_, text, wanted, expected) => {
    expect(edit(text, wanted)).toEqual(expected);
  });

  test('of a text that occurs twice is refused with the count', () => {
    expect(edit('b b', { oldString: 'b', newString: 'x' })).toEqual({ code: 'not-unique', count: 2 });
  });

  test('is refused if it changes nothing', () => {
    expect(edit('b', { oldString: 'b', newString: 'b' })).toMatchObject({ code: 'edit-changes-nothing' });
  });

  test.each([
    ['indentation', '  return 1;\n  return 2;', ' return 3;'],
    ['case', 'Hello', 'hello'],
    ['line ends', 'a\r\nb', 'a\nb'],
    ['half a character', '\uD83D\uDE00', '\uDE00'],
    ['half of another one', '\uD83D\uDE00 b', '\uDE00 b'],
  ])('never uses similarity: %s', (_, text, oldString) => {
    expect(edit(text, { oldString, newString: 'x' })).toMatchObject({ code: 'no-match', nearby: expect.any(String) });
  });

  test('is measured in bytes before the text is made', () => {
    const all = { oldString: 'b', newString: 'é', replaceAll: true };
    expect(edit('bbb', all, 6)).toEqual({ text: 'ééé', replaced: 3 });
    expect(edit('bbb', all, 5)).toEqual({ code: 'content-too-large' });
    const huge = { oldString: 'b', newString: 'x'.repeat(50_000), replaceAll: true };
    expect(edit('b'.repeat(200_000), huge, 2_000_000)).toMatchObject({ code: 'content-too-large' });
  });

  test('equals splitting by hand, for any text', () => {
    fc.assert(
      fc.property(anyText, fc.string({ unit: codePoint, minLength: 1 }), anyText, (before, wanted, after) => {
        const sent = { oldString: wanted, newString: '\u0001new', replaceAll: true };
        const edited = edit(before + wanted + after, sent, 1_000_000);
        expect('text' in edited && edited.text).toBe((before + wanted + after).replaceAll(wanted, () => '\u0001new'));
      }),
    );
  });
});

describe('the nearby text after a miss', () => {
  const page = Array.from({ length: 40 }, (_, n) =>
    n === 20 ? '  <Hero title="Tea shop" />' : `  <p>line ${n}</p>`,
  ).join('\n');

  test('surrounds the line that is most similar to the wanted one', () => {
    const nearby = nearbyText(page, '<Hero title="Tea house" />');
    expect(nearby.split('\n')).toHaveLength(7);
    expect(nearby.split('\n')[3]).toBe('  <Hero title="Tea shop" />');
  });

  test('is the beginning if nothing is similar, and empty for an empty text', () => {
    expect(nearbyText('a\nb', '@@@@')).toBe('a\nb');
    expect(nearbyText('', 'x')).toBe('');
  });

  test('cuts lines of megabytes', () => {
    expect(nearbyText('x'.repeat(2_000_000), 'xx').length).toBeLessThan(600);
  });
});
