import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { isTooDeep } from '../../../kernel/json/json-depth.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import type { RequestedCall } from './agent-run-state.js';

export type ToolOutcome = 'ok' | 'refused' | 'card';

export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly code?: string;
  readonly card?: string;
  readonly forModel: string;
}

export type JudgedCall =
  | { readonly ok: true; readonly tool: string; readonly args: JsonObject }
  | { readonly ok: false; readonly result: ToolResult };

/** Does not check the arguments' fields, because the tool itself does. */
export function judgeCall({ tool, arguments: text, tooLong }: RequestedCall): JudgedCall {
  if (tool === undefined) {
    return no('tool-not-found', 'There is no tool of this name; call one of those that were offered.');
  }
  if (tooLong) {
    return no('arguments-too-large', `The arguments are longer than ${limits.callArguments} characters; send less.`);
  }
  const args = parsed(text);
  if (!isJsonObject(args)) return no('arguments-invalid', 'The arguments are not a JSON object.');
  if (isTooDeep(args, limits.argumentLevels)) {
    return no('arguments-invalid', `The arguments nest deeper than ${limits.argumentLevels} levels.`);
  }
  return { ok: true, tool, args };
}

export function refusedToolCall(code: string, message: string, errors: readonly object[] = []): ToolResult {
  const refused = { code, message, ...(errors.length === 0 ? {} : { errors }) };
  return { outcome: 'refused', code, forModel: cut({ refused } as unknown as JsonObject) };
}

export function waitingCardResult(id: string, card: Json): ToolResult {
  return { outcome: 'card', card: id, forModel: cut({ card }) };
}

export function answeredCall(answer: Json): ToolResult {
  return { outcome: 'ok', forModel: cut({ ok: true, answer }) };
}

const no = (code: string, message: string): JudgedCall => ({ ok: false, result: refusedToolCall(code, message) });

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Json;
  } catch {
    return undefined;
  }
}

function cut(result: JsonObject): string {
  const whole = JSON.stringify(result);
  if (whole.length <= limits.toolAnswer) return whole;
  const beginning = whole.slice(0, limits.toolAnswer);
  return JSON.stringify({ ok: 'ok' in result, cutAfter: limits.toolAnswer, characters: whole.length, beginning });
}
