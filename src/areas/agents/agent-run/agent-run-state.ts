import type { JsonObject } from '../../../kernel/json/json.js';
import type { AssistantAnswer, AssistantMessage } from '../../../ports/assistant.port.js';
import { agentRunLimits as limits } from './agent-run-limits.js';

/** A call that the model requested and that is not checked yet. Its arguments are still the model's text. */
export interface AskedCall {
  /** Chosen by the service, because the model's own id could be anything. */
  readonly id: string;
  /** One of the offered tools. Undefined: the model made the name up. */
  readonly tool: string | undefined;
  readonly arguments: string;
  /** The arguments were longer than the service reads. */
  readonly tooLong?: true;
}

/** The state of a run, sealed in the vault between its steps. It is JSON and never part of an event. */
export interface AgentRunState {
  /** Everything that is sent to the model, oldest first. */
  readonly messages: readonly AssistantMessage[];
  /** The input when it is of a base event: each question tells it anew, with the row as it stands. No row is kept here. */
  readonly eventInput?: JsonObject;
  /** Calls in the last answer that have not been made yet. */
  readonly waiting: readonly AskedCall[];
  readonly turns: number;
  readonly calls: number;
  /** Milliseconds since 1970; null before the first question. */
  readonly endsAt: number | null;
  /** The model's final answer. */
  readonly answer: string | null;
  /** Why the run ends without an answer: one plain line. */
  readonly failure: string | null;
}

export function freshState(messages: readonly AssistantMessage[], eventInput?: JsonObject): AgentRunState {
  const fresh = { messages, waiting: [], turns: 0, calls: 0, endsAt: null, answer: null, failure: null };
  return eventInput === undefined ? fresh : { ...fresh, eventInput };
}

/** The next action. A pure function of the state. */
export type AgentNext =
  | { readonly kind: 'ask' }
  | { readonly kind: 'call'; readonly call: AskedCall }
  | { readonly kind: 'end'; readonly failure: string | null };

export function nextOf(state: AgentRunState): AgentNext {
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

/** The model has answered: either its calls will be made, or its text ends the run. Nothing in it is trusted. */
export function answered(
  state: AgentRunState,
  answer: AssistantAnswer,
  offered: ReadonlySet<string>,
  endsAt: number,
): AgentRunState {
  const turns = state.turns + 1;
  const room = Math.min(limits.callsOfAnAnswer, limits.callsOfARun - state.calls);
  const waiting = answer.toolCalls.slice(0, room).map(({ name, arguments: text }, index): AskedCall => {
    const tooLong = text.length > limits.callArguments;
    const tool = offered.has(name) ? name : undefined;
    return { id: `call_${turns}_${index + 1}`, tool, arguments: tooLong ? '' : text, ...(tooLong ? { tooLong } : {}) };
  });
  const calls = state.calls + waiting.length;
  const content = wellFormed(answer.content.slice(0, limits.answer));
  if (waiting.length > 0) {
    const said: AssistantMessage = { role: 'assistant', content, toolCalls: waiting.map(shown) };
    return { ...state, messages: [...state.messages, said], waiting, turns, calls, endsAt };
  }
  // No further question will be asked, so the conversation need not be kept.
  const failure = answer.cut ? 'The model ran out of room before its answer was whole.' : null;
  return { ...silent(state), waiting, turns, calls, endsAt, answer: content, failure };
}

/** The first waiting call was made. Its result is added for the model to read. */
export function called(state: AgentRunState, told: string): AgentRunState {
  const [call, ...waiting] = state.waiting;
  if (call === undefined) return state;
  const said: AssistantMessage = { role: 'tool', toolCallId: call.id, content: told };
  return { ...state, messages: [...state.messages, said], waiting };
}

/** Ends the run and drops the conversation. */
export function failed(state: AgentRunState, failure: string): AgentRunState {
  return { ...silent(state), waiting: [], failure };
}

function silent({ eventInput: _, ...state }: AgentRunState): AgentRunState {
  return { ...state, messages: [] };
}

/** The call as it is shown to the model again. A name that the model made up could contain anything, at any length. */
const shown = ({ id, tool, arguments: text }: AskedCall) => ({
  id,
  name: tool ?? 'unknown',
  arguments: text === '' ? '{}' : text,
});

const sizeOf = (messages: readonly AssistantMessage[]) => JSON.stringify(messages).length;

/** A truncated text may end in half a surrogate pair. */
const wellFormed = (text: string) => text.replace(/[\ud800-\udbff]$/, '');
