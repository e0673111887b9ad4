import type { JsonObject } from '../../../kernel/json/json.js';
import type { AssistantAnswer, AssistantMessage } from '../../../ports/network/assistant.port.js';
import { agentRunLimits as limits } from './agent-run-limits.js';

export interface RequestedCall {
  /** Chosen by the service, because an id from the model is untrusted. */
  readonly id: string;
  readonly tool: string | undefined;
  readonly arguments: string;
  /** Set if the arguments exceeded the limit and were dropped. */
  readonly tooLong?: true;
}

/** Stored as JSON, encrypted in the vault, and never part of an event. */
export interface AgentRunState {
  readonly messages: readonly AssistantMessage[];
  /**
   * Set if the run's input is an event about a row. It does not contain the row's values: each question to the model
   * adds the current ones.
   */
  readonly eventInput?: JsonObject;
  /** Tool calls of the model's last answer that are not made yet. */
  readonly waiting: readonly RequestedCall[];
  readonly turns: number;
  readonly calls: number;
  /** In milliseconds since 1970. `null` before the first question. */
  readonly endsAt: number | null;
  readonly answer: string | null;
  /**
   * Why the run failed, in one line; `null` if it did not fail. If the model's answer was cut, `answer` contains the
   * incomplete text.
   */
  readonly failure: string | null;
}

export function freshState(messages: readonly AssistantMessage[], eventInput?: JsonObject): AgentRunState {
  const fresh = { messages, waiting: [], turns: 0, calls: 0, endsAt: null, answer: null, failure: null };
  return eventInput === undefined ? fresh : { ...fresh, eventInput };
}

export type AgentNext =
  | { readonly kind: 'ask' }
  | { readonly kind: 'call'; readonly call: RequestedCall }
  | { readonly kind: 'end'; readonly failure: string | null };

export function nextAgentStep(state: AgentRunState): AgentNext {
  if (state.failure !== null) return { kind: 'end', failure: state.failure };
  if (state.answer !== null) return { kind: 'end', failure: null };
  const [call] = state.waiting;
  if (call !== undefined) return { kind: 'call', call };
  const failure = beyond(state);
  return failure === undefined ? { kind: 'ask' } : { kind: 'end', failure };
}

function beyond({ turns, calls, messages, eventInput }: AgentRunState): string | undefined {
  if (turns >= limits.turns) {
    return `The model still called tools in answer ${limits.turns}, the last one that a run allows.`;
  }
  if (calls >= limits.callsOfARun) {
    return `The model made ${limits.callsOfARun} tool calls, which is the limit of a run, and did not finish.`;
  }
  const room = eventInput === undefined ? 0 : limits.input;
  if (sizeOf(messages) + room > limits.conversation) {
    return `The conversation exceeded ${limits.conversation} characters, which is the limit of a run.`;
  }
  return undefined;
}

/** Tool calls in the answer are made next; without them, the answer's text ends the run. The answer is untrusted. */
export function answered(
  state: AgentRunState,
  answer: AssistantAnswer,
  offered: ReadonlySet<string>,
  endsAt: number,
): AgentRunState {
  const turns = state.turns + 1;
  const room = Math.min(limits.callsOfAnAnswer, limits.callsOfARun - state.calls);
  const waiting = answer.toolCalls.slice(0, room).map(({ name, arguments: text }, index): RequestedCall => {
    const tooLong = text.length > limits.callArguments;
    const tool = offered.has(name) ? name : undefined;
    return { id: `call_${turns}_${index + 1}`, tool, arguments: tooLong ? '' : text, ...(tooLong ? { tooLong } : {}) };
  });
  const calls = state.calls + waiting.length;
  const content = wellFormed(answer.content.slice(0, limits.answer));
  if (waiting.length > 0) {
    const message: AssistantMessage = { role: 'assistant', content, toolCalls: waiting.map(shown) };
    return { ...state, messages: [...state.messages, message], waiting, turns, calls, endsAt };
  }
  const failure = answer.cut ? "The model's answer exceeded its length limit and is incomplete." : null;
  return { ...withoutMessages(state), waiting, turns, calls, endsAt, answer: content, failure };
}

export function called(state: AgentRunState, result: string): AgentRunState {
  const [call, ...waiting] = state.waiting;
  if (call === undefined) return state;
  const message: AssistantMessage = { role: 'tool', toolCallId: call.id, content: result };
  return { ...state, messages: [...state.messages, message], waiting };
}

export function failedRun(state: AgentRunState, failure: string): AgentRunState {
  return { ...withoutMessages(state), waiting: [], failure };
}

function withoutMessages({ eventInput: _, ...state }: AgentRunState): AgentRunState {
  return { ...state, messages: [] };
}

/** A tool name that the model invented is replaced, because it can be any text of any length. */
const shown = ({ id, tool, arguments: text }: RequestedCall) => ({
  id,
  name: tool ?? 'unknown',
  arguments: text === '' ? '{}' : text,
});

const sizeOf = (messages: readonly AssistantMessage[]) => JSON.stringify(messages).length;

/** Removes half of a surrogate pair that truncation might have left at the end. */
const wellFormed = (text: string) => text.replace(/[\ud800-\udbff]$/, '');
