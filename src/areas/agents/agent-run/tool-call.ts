import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.js';
import { isTooDeep } from '../../../kernel/json-depth.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import type { AskedCall } from './agent-run-state.js';

/** What came of a call, as it is shown of the run. */
export type ToolOutcome = 'ok' | 'refused' | 'card';

export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** The code of a refusal. */
  readonly code?: string;
  /** The id of the card. */
  readonly card?: string;
  /** For the model: the text of one JSON object. */
  readonly told: string;
}

export type JudgedCall =
  | { readonly ok: true; readonly tool: string; readonly args: JsonObject }
  | { readonly ok: false; readonly result: ToolResult };

/** Whether a call can be made at all. What its arguments have to be beyond a JSON object, the tool itself judges. */
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

/** Nothing has happened yet: a person was asked. */
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

/** What is longer than the model is given is told to be a beginning, as a text. */
function cut(told: JsonObject): string {
  const whole = JSON.stringify(told);
  if (whole.length <= limits.toolAnswer) return whole;
  const beginning = whole.slice(0, limits.toolAnswer);
  return JSON.stringify({ ok: 'ok' in told, cutAfter: limits.toolAnswer, characters: whole.length, beginning });
}
