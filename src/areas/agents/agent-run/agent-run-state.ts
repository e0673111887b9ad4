import type { JsonObject } from '../../../kernel/json/json.js';
import type { AssistantAnswer, AssistantMessage } from '../../../ports/network/assistant.port.js';
import { agentRunLimits as limits } from './agent-run-limits.js';

/** A call requested by the model, not yet checked. Its arguments are still the model's text. */
export interface RequestedCall {
  /** Chosen by the service, because the model's own id could be anything. */
  readonly id: string;
  /** One of the offered tools; undefined if the model invented the name. */
  readonly tool: string | undefined;
  readonly arguments: string;
  /** The arguments exceed the service's limit. */
  readonly tooLong?: true;
}

/** The state of a run, sealed in the vault between steps. JSON, and never part of an event. */
export interface AgentRunState {
  /** Everything sent to the model, oldest first. */
  readonly messages: readonly AssistantMessage[];
  /**
   * Set if the input is a base event: each question includes it with the row's present values. Never contains the row.
   */
  readonly eventInput?: JsonObject;
  /** Calls of the last answer that are not made yet. */
  readonly waiting: readonly RequestedCall[];
  readonly turns: number;
  readonly calls: number;
  /** Milliseconds since 1970; null before the first question. */
  readonly endsAt: number | null;
  readonly answer: string | null;
  /** Why the run ends without an answer, as one plain line. */
  readonly failure: string | null;
}

export function freshState(messages: readonly AssistantMessage[], eventInput?: JsonObject): AgentRunState {
  const fresh = { messages, waiting: [], turns: 0, calls: 0, endsAt: null, answer: null, failure: null };
  return eventInput === undefined ? fresh : { ...fresh, eventInput };
}

/** The next action: a pure function of the state. */
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
    return `The model still called tools in its answer number ${limits.turns}, which is the last that a run has.`;
  }
  if (calls >= limits.callsOfARun) {
    return `The model called ${limits.callsOfARun} tools, which is the most that a run may, and was not done.`;
  }
  const room = eventInput === undefined ? 0 : limits.input;
  if (sizeOf(messages) + room > limits.conversation) {
    return `The conversation grew past the ${limits.conversation} characters that a run may have.`;
  }
  return undefined;
}

/** Applies an answer of the model: either its calls will be made, or its text ends the run. The answer is untrusted. */
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
  // The model requested no more tools, so this answer ends the run, and the conversation is no longer needed.
  const failure = answer.cut ? 'The model ran out of room before its answer was whole.' : null;
  return { ...withoutMessages(state), waiting, turns, calls, endsAt, answer: content, failure };
}

/** Applies the result of the first waiting call, which is added for the model to read. */
export function called(state: AgentRunState, result: string): AgentRunState {
  const [call, ...waiting] = state.waiting;
  if (call === undefined) return state;
  const message: AssistantMessage = { role: 'tool', toolCallId: call.id, content: result };
  return { ...state, messages: [...state.messages, message], waiting };
}

/** Ends the run and drops the conversation. */
export function failedRun(state: AgentRunState, failure: string): AgentRunState {
  return { ...withoutMessages(state), waiting: [], failure };
}

function withoutMessages({ eventInput: _, ...state }: AgentRunState): AgentRunState {
  return { ...state, messages: [] };
}

/** The call as shown to the model again. An invented name could contain anything, at any length. */
const shown = ({ id, tool, arguments: text }: RequestedCall) => ({
  id,
  name: tool ?? 'unknown',
  arguments: text === '' ? '{}' : text,
});

const sizeOf = (messages: readonly AssistantMessage[]) => JSON.stringify(messages).length;

/** A truncated text may end within a surrogate pair. */
const wellFormed = (text: string) => text.replace(/[\ud800-\udbff]$/, '');
