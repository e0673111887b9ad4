import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { agentRunLimits as limits } from './agent-run-limits.js';
import { answeredCall, judgeCall, refusedToolCall, waitingCardResult } from './tool-call.js';

const call = (text: string, tool: string | undefined = 'list') => ({ id: 'call_1_1', tool, arguments: text });

describe('a call', () => {
  test('can be made with the text of a JSON object, or with nothing', () => {
    expect(judgeCall(call('{"a":[1]}'))).toEqual({ ok: true, tool: 'list', args: { a: [1] } });
    expect(judgeCall(call(''))).toEqual({ ok: true, tool: 'list', args: {} });
  });

  test.each(['[', '[]', 'null', '1', '"{}"', '{} {}', 'undefined'])('cannot be made with %s', (text) => {
    expect(judgeCall(call(text))).toMatchObject({ ok: false, result: { code: 'arguments-invalid' } });
  });

  test('may nest a hundred levels and no deeper', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(judgeCall(call(nested(100))).ok).toBe(true);
    expect(judgeCall(call(nested(101)))).toMatchObject({ result: { code: 'arguments-invalid' } });
  });

  test('with too long arguments, or an unknown tool, is refused', () => {
    expect(judgeCall({ ...call(''), tooLong: true })).toMatchObject({ result: { code: 'arguments-too-large' } });
    expect(judgeCall({ id: 'x', tool: undefined, arguments: '{}' })).toMatchObject({
      result: { outcome: 'refused', code: 'tool-not-found' },
    });
  });

  test('with a key __proto__ has it as a member and changes no other object', () => {
    const judged = judgeCall(call('{"__proto__":{"admin":true}}'));
    expect(judged.ok && Object.hasOwn(judged.args, '__proto__')).toBe(true);
    expect(({} as { readonly admin?: true }).admin).toBeUndefined();
  });
});

describe('the result for the model', () => {
  test('is one JSON object for each outcome', () => {
    expect(JSON.parse(answeredCall([1]).forModel)).toEqual({ ok: true, answer: [1] });
    expect(JSON.parse(waitingCardResult('card_1', { id: 'card_1' }).forModel)).toEqual({ card: { id: 'card_1' } });
    expect(JSON.parse(refusedToolCall('no', 'No.').forModel)).toEqual({ refused: { code: 'no', message: 'No.' } });
  });

  test('is JSON for any answer, and not much longer than its limit', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, times) => {
        const { forModel: told } = answeredCall({ value: JSON.stringify(value).repeat(10 ** times) });
        expect(() => JSON.parse(told)).not.toThrow();
        expect(JSON.parse(told).beginning?.length ?? 0).toBeLessThanOrEqual(limits.toolAnswer);
      }),
      { numRuns: 50 },
    );
  });
});
