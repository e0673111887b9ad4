import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { isTooDeep } from '../../../kernel/json/json-depth.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import type { AskedCall } from './agent-run-state.js';

/** The outcome of a call, as shown with the run. */
export type ToolOutcome = 'ok' | 'refused' | 'card';

export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** The code of a refusal. */
  readonly code?: string;
  /** The id of the card. */
  readonly card?: string;
  /** The text for the model: one JSON object. */
  readonly told: string;
}

export type JudgedCall =
  | { readonly ok: true; readonly tool: string; readonly args: JsonObject }
  | { readonly ok: false; readonly result: ToolResult };

/** Whether a call can be made at all. Here its arguments only have to be a JSON object; the tool checks the rest. */
export function judgeCall({ tool, arguments: text, tooLong }: AskedCall): JudgedCall {
  if (tool === undefined) {
    return no('tool-not-found', 'There is no tool of this name; call one of those that were offered.');
  }
  if (tooLong) {
    return no('arguments-too-large', `The arguments are longer than ${limits.callArguments} characters; send less.`);
  }
  const args = parsed(text);
  if (!isJsonObject(args)) return no('arguments-invalid', 'The arguments are not the text of a JSON object.');
  if (isTooDeep(args, limits.argumentLevels)) {
    return no('arguments-invalid', `The arguments nest deeper than ${limits.argumentLevels} levels.`);
  }
  return { ok: true, tool, args };
}

export function refusedCall(code: string, message: string, errors: readonly object[] = []): ToolResult {
  const refused = { code, message, ...(errors.length === 0 ? {} : { errors }) };
  return { outcome: 'refused', code, told: cut({ refused } as unknown as JsonObject) };
}

/** Nothing has been done yet. A person has been asked. */
export function cardOf(id: string, card: Json): ToolResult {
  return { outcome: 'card', card: id, told: cut({ card }) };
}

export function answeredCall(answer: Json): ToolResult {
  return { outcome: 'ok', told: cut({ ok: true, answer }) };
}

const no = (code: string, message: string): JudgedCall => ({ ok: false, result: refusedCall(code, message) });

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Json;
  } catch {
    return undefined;
  }
}

/** A result that is too long is replaced by its beginning, as text, and marked as such. */
function cut(told: JsonObject): string {
  const whole = JSON.stringify(told);
  if (whole.length <= limits.toolAnswer) return whole;
  const beginning = whole.slice(0, limits.toolAnswer);
  return JSON.stringify({ ok: 'ok' in told, cutAfter: limits.toolAnswer, characters: whole.length, beginning });
}
