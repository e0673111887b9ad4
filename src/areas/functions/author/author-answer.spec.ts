import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../../test/support/any-json.js';
import { runs } from '../../../../test/support/depth.js';
import { checkProgram } from '../../../sandbox/program.js';
import { largestCode } from '../function/function.record.js';
import { judgeAnswer } from './author-answer.js';

const judged = (content: string, cut = false) => judgeAnswer({ content, cut });
const proposal = (content: string) => {
  const judgement = judged(content);
  if (!judgement.ok) throw new Error(judgement.problem);
  return judgement.proposal;
};
const problem = (content: string, cut = false) => {
  const judgement = judged(content, cut);
  return judgement.ok ? undefined : judgement.problem;
};

const made = { reply: 'Adds tax.', code: 'const tax = 1;\nreturn { tax };' };
const json = JSON.stringify(made);

describe('a proposal is found', () => {
  test.each([
    ['alone', json],
    ['with room around it', `\n\n  ${json} \n`],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['in a fence that names no language', `\`\`\`\n${json}\n\`\`\`\n`],
    ['between two sentences', `Here you are: ${json} Enjoy.`],
    ['in a fence between two sentences', `Here you {are}:\n\`\`\`json\n${json}\n\`\`\`\nEnjoy {it}.`],
    ['after thoughts', `<think>\nPerhaps {"reply": "no", "code": "return 0"}?\n</think>\n${json}`],
    ['beside more members', JSON.stringify({ ...made, why: 'because' })],
    ['with its code in a fence', JSON.stringify({ ...made, code: `\`\`\`js\n${made.code}\n\`\`\`` })],
    ['as prose and one block of code', `Adds tax.\n\n\`\`\`js\n${made.code}\n\`\`\`\n`],
  ])('finds a proposal that is %s', (_, content) => {
    const { reply, code } = proposal(content);
    expect({ reply, code: code.trim() }).toEqual(made);
  });

  test('with a body that contains a fence of its own', () => {
    const code = '/*\n```js\n1\n```\n*/ return 1;';
    expect(proposal(`\`\`\`json\n${JSON.stringify({ reply: 'x', code })}\n\`\`\``)).toEqual({ reply: 'x', code });
  });

  test('as a module with one default export, which a save accepts too', () => {
    const code = 'export default async (params, ctx) => params.a';
    expect(proposal(JSON.stringify({ reply: 'x', code })).code).toBe(code);
  });
});

describe('the reply', () => {
  test.each([
    ['is one line', 'a\r\n\tb\u2028c', 'a b c'],
    ['has no control characters', 'a\u0000\u001b[31mb', 'a [31mb'],
    ['turns no writing round', 'a\u202eb\u2066c', 'abc'],
    ['is whole text', 'a\ud800b', 'ab'],
    ['is 300 characters at most', '🙂'.repeat(301), '🙂'.repeat(300)],
    ['is never empty', '', 'The code was rewritten.'],
  ])('the reply %s', (_, reply, shown) => {
    expect(proposal(JSON.stringify({ reply, code: 'return 1' })).reply).toBe(shown);
  });

  test.each([undefined, 7, null, {}])('that is not text (%j) is replaced by our words', (reply) => {
    expect(proposal(JSON.stringify({ reply, code: 'return 1' })).reply).toBe('The code was rewritten.');
  });
});

describe('without a proposal, the model gets the reason', () => {
  test.each([
    ['no answer', '', 'JSON'],
    ['prose', 'I would rather not.', 'JSON'],
    ['broken JSON', json.slice(0, -5), 'JSON'],
    ['a list', `[${json}]`.replace(/[{}]/g, ''), 'JSON'],
    ['null', 'null', 'JSON'],
    ['no code', '{"reply":"It cannot be done."}', 'JSON'],
    ['code that is no text', '{"reply":"x","code":{"a":1}}', 'JSON'],
    ['two blocks of code', '```js\nreturn 1\n```\nor\n```js\nreturn 2\n```', 'JSON'],
    ['empty code', '{"reply":"x","code":" \\n"}', 'empty'],
    ['an import', '{"reply":"x","code":"\\nimport fs from \\"fs\\""}', 'line 2'],
    ['what does not parse', '{"reply":"x","code":"return 1 +"}', 'line 1'],
  ])('finds no proposal in %s, and returns the reason', (_, content, said) => {
    expect(problem(content)).toContain(said);
  });

  test('code of more than 256 KB, counted in bytes', () => {
    const code = (bytes: number) => JSON.stringify({ reply: 'x', code: `//${'é'.repeat((bytes - 2) / 2)}` });
    expect(problem(code(largestCode))).toBeUndefined();
    expect(problem(code(largestCode + 2))).toContain('larger than 262144 bytes');
  });

  test('an interrupted answer, whatever it contains', () => {
    expect(problem(json, true)).toContain('cut off');
  });
});

test('property: it never throws, and accepts only what a save accepts', () => {
  const bits = fc.constantFrom('```', '```js', '\n', '{', '}', '"reply"', '"code"', ':', ',', '"return 1"', '<think>');
  const content = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(bits, fc.string({ maxLength: 3 })), { maxLength: 20 }).map((all) => all.join('')),
    fc.record({ reply: fc.string({ unit: codePoint }), code: fc.string() }).map((made) => JSON.stringify(made)),
  );
  fc.assert(
    fc.property(content, (text) => {
      const judgement = judged(text);
      if (!judgement.ok) return judgement.problem.length > 0 && !judgement.problem.includes('\n');
      const { reply, code } = judgement.proposal;
      return checkProgram(code).ok && code.trim() !== '' && /^[^\n\r\u2028\u2029]+$/.test(reply);
    }),
    { numRuns: runs(2_000) },
  );
});
