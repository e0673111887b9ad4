import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../../test/support/any-json.js';
import type { AssistantAnswer, AssistantMessage } from '../../../ports/network/assistant.port.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import { type AgentRunState, answered, called, failedRun, freshState, nextAgentStep } from './agent-run-state.js';

const first: readonly AssistantMessage[] = [{ role: 'system', content: 'rules' }];
const fresh = freshState(first);
const offered = new Set(['list', 'make']);

const answer = (content: string, ...names: readonly string[]): AssistantAnswer => ({
  content,
  toolCalls: names.map((name) => ({ id: 'theirs', name, arguments: '{"a":1}' })),
  cut: false,
});

function turned(state: AgentRunState, turns: number, callsEach: number): AgentRunState {
  let now = state;
  for (let turn = 0; turn < turns; turn++) {
    now = answered(now, answer('', ...Array(callsEach).fill('list')), offered, 1);
    while (nextAgentStep(now).kind === 'call') now = called(now, 'ok');
  }
  return now;
}

describe('the next step', () => {
  test('is at first a question to the model', () => {
    expect(nextAgentStep(fresh)).toEqual({ kind: 'ask' });
  });

  test('is one of its calls after the other, and then a question again', () => {
    const asked = answered(fresh, answer('', 'list', 'make'), offered, 1);
    expect(nextAgentStep(asked)).toMatchObject({ kind: 'call', call: { id: 'call_1_1', tool: 'list' } });
    const once = called(asked, 'one');
    expect(nextAgentStep(once)).toMatchObject({ kind: 'call', call: { id: 'call_1_2', tool: 'make' } });
    const twice = called(once, 'two');
    expect(nextAgentStep(twice)).toEqual({ kind: 'ask' });
    expect(twice.messages.slice(2)).toEqual([
      { role: 'tool', toolCallId: 'call_1_1', content: 'one' },
      { role: 'tool', toolCallId: 'call_1_2', content: 'two' },
    ]);
  });

  test('is the end after an answer without calls, and the conversation is dropped', () => {
    const over = answered(turned(fresh, 1, 1), answer('Done.'), offered, 1);
    expect(nextAgentStep(over)).toEqual({ kind: 'end', failure: null });
    expect(over).toMatchObject({ answer: 'Done.', messages: [] });
  });

  test('is the end after a failure', () => {
    expect(nextAgentStep(failedRun(turned(fresh, 1, 1), 'It broke.'))).toEqual({ kind: 'end', failure: 'It broke.' });
  });
});

describe('limits', () => {
  test('end a run after twenty answers with calls', () => {
    expect(nextAgentStep(turned(fresh, limits.turns - 1, 1))).toEqual({ kind: 'ask' });
    expect(nextAgentStep(turned(fresh, limits.turns, 1))).toMatchObject({ kind: 'end', failure: expect.any(String) });
  });

  test('permit sixteen calls in an answer, and a hundred in a run', () => {
    expect(answered(fresh, answer('', ...Array(17).fill('list')), offered, 1).waiting).toHaveLength(16);
    const many = turned(fresh, 7, 17);
    expect(many.calls).toBe(100);
    expect(nextAgentStep(many)).toMatchObject({ kind: 'end', failure: expect.stringContaining('100') });
    expect(nextAgentStep({ ...many, calls: 99 })).toEqual({ kind: 'ask' });
  });

  test('permit half a million characters in a conversation', () => {
    const sized = (size: number) => freshState([{ role: 'user', content: 'x'.repeat(size) }]);
    const around = JSON.stringify(sized(0).messages).length;
    expect(nextAgentStep(sized(limits.conversation - around))).toEqual({ kind: 'ask' });
    expect(nextAgentStep(sized(limits.conversation - around + 1)).kind).toBe('end');
  });

  test('include the input of a base event, which is dropped when the run ends', () => {
    const sized = (size: number) => freshState([{ role: 'user', content: 'x'.repeat(size) }], { event: {} });
    const around = JSON.stringify(sized(0).messages).length + limits.input;
    expect(nextAgentStep(sized(limits.conversation - around))).toEqual({ kind: 'ask' });
    expect(nextAgentStep(sized(limits.conversation - around + 1)).kind).toBe('end');
    const asked = answered(sized(1), answer('', 'list'), offered, 1);
    expect(asked.eventInput).toEqual({ event: {} });
    for (const over of [answered(sized(1), answer('Done.'), offered, 1), failedRun(asked, 'No.')]) {
      expect(over).not.toHaveProperty('eventInput');
    }
  });

  test('permit arguments of 64,000 characters, and drop longer ones', () => {
    const given = (length: number): AssistantAnswer => ({
      ...answer('', 'list'),
      toolCalls: [{ id: 'a', name: 'list', arguments: 'x'.repeat(length) }],
    });
    expect(answered(fresh, given(64_000), offered, 1).waiting[0]?.arguments).toHaveLength(64_000);
    expect(answered(fresh, given(64_001), offered, 1).waiting[0]).toMatchObject({ arguments: '', tooLong: true });
  });
});

test('keep the state in JSON, with offered names only, and ending, for any answers of the model', () => {
  const name = fc.oneof(fc.constantFrom('list', 'make', '__proto__', 'constructor'), fc.string({ unit: codePoint }));
  const text = fc.string({ unit: codePoint });
  const toolCall = fc.record({ id: text, name, arguments: text });
  const anyAnswer = fc.record({ content: text, toolCalls: fc.array(toolCall, { maxLength: 30 }), cut: fc.boolean() });
  fc.assert(
    fc.property(fc.array(anyAnswer, { minLength: 1, maxLength: 25 }), (answers) => {
      let state: AgentRunState = fresh;
      for (let step = 0; step < 500; step++) {
        const next = nextAgentStep(state);
        if (next.kind === 'end') break;
        const now = answers[state.turns % answers.length] as AssistantAnswer;
        state = next.kind === 'ask' ? answered(state, now, offered, 1) : called(state, 'told');
        for (const { tool } of state.waiting) expect(tool === undefined || offered.has(tool)).toBe(true);
        const said = state.messages.at(-1);
        if (said?.role !== 'assistant') continue;
        expect(JSON.parse(JSON.stringify(said))).toEqual(said);
        for (const call of said.toolCalls ?? []) expect([...offered, 'unknown']).toContain(call.name);
      }
      expect(nextAgentStep(state).kind).toBe('end');
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    }),
    { numRuns: 50 },
  );
});
