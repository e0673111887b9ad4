import type { AssistantAnswer, AssistantMessage } from '../../../ports/assistant.port.js';
import { agentRunLimits as limits } from './agent-run-limits.js';

/** A call that the model asked for, on its way to be judged. Its arguments stay the text that the model wrote. */
export interface AskedCall {
  /** Ours: the model's own may be anything. */
  readonly id: string;
  /** A tool that was offered; undefined: the model made the name up. */
  readonly tool: string | undefined;
  readonly arguments: string;
  /** The model wrote more than is read. */
  readonly tooLong?: true;
}

/** What a run is about, sealed in the vault between its steps: JSON, and never part of an event. */
export interface AgentRunState {
  /** All that the model is sent, oldest first. */
  readonly messages: readonly AssistantMessage[];
  /** Calls of the last answer that were not made yet. */
  readonly waiting: readonly AskedCall[];
  readonly turns: number;
  readonly calls: number;
  /** Milliseconds since 1970; null before the first question. */
  readonly endsAt: number | null;
  /** What the model wrote when it was done. */
  readonly answer: string | null;
  /** Why the run ends without: one plain line. */
  readonly failure: string | null;
}

export function freshState(messages: readonly AssistantMessage[]): AgentRunState {
  return { messages, waiting: [], turns: 0, calls: 0, endsAt: null, answer: null, failure: null };
}

/** What comes next: pure, and in one state always the same. */
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

function beyond({ turns, calls, messages }: AgentRunState): string | undefined {
  if (turns >= limits.turns) {
    return `The model still called tools in its answer number ${limits.turns}, which is the last that a run has.`;
  }
  if (calls >= limits.callsOfARun) {
    return `The model called ${limits.callsOfARun} tools, which is the most that a run may, and was not done.`;
  }
  if (sizeOf(messages) > limits.conversation) {
    return `The conversation grew past the ${limits.conversation} characters that a run may have.`;
  }
  return undefined;
}

/** The model answered: what it calls is to be made, or what it wrote is the end. Nothing of what it wrote is believed. */
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
  // Nothing is asked any more, so nothing of what was said has to be kept.
  const failure = answer.cut ? 'The model ran out of room before its answer was whole.' : null;
  return { ...state, messages: [], waiting, turns, calls, endsAt, answer: content, failure };
}

/** The first of the calls was made: what came of it is the model's to read. */
export function called(state: AgentRunState, told: string): AgentRunState {
  const [call, ...waiting] = state.waiting;
  if (call === undefined) return state;
  const said: AssistantMessage = { role: 'tool', toolCallId: call.id, content: told };
  return { ...state, messages: [...state.messages, said], waiting };
}

/** The run ends here, with what was said destroyed. */
export function failed(state: AgentRunState, failure: string): AgentRunState {
  return { ...state, messages: [], waiting: [], failure };
}

/** As the model is shown its own call again; a name it made up could be of any length and kind. */
const shown = ({ id, tool, arguments: text }: AskedCall) => ({
  id,
  name: tool ?? 'unknown',
  arguments: text === '' ? '{}' : text,
});

const sizeOf = (messages: readonly AssistantMessage[]) => JSON.stringify(messages).length;

/** A text that was cut may end in half a character. */
const wellFormed = (text: string) => text.replace(/[\ud800-\udbff]$/, '');
