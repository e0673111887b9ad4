import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Refusal } from '../../kernel/refusals/refusal.js';
import type { ToolAnswer } from './served-tools.js';

interface Waiting {
  readonly approveLink?: string;
  readonly pendingChange?: { readonly summary?: string };
}

/**
 * Returns the result as the model reads it: the JSON of the response. For an approval card, a text before it states
 * that nothing has happened yet and where a person decides.
 */
export function resultOf({ answer, waiting }: ToolAnswer): CallToolResult {
  const json = { type: 'text', text: JSON.stringify(answer ?? null) } as const;
  return { content: waiting ? [{ type: 'text', text: waitingWords(answer as Waiting) }, json] : [json] };
}

function waitingWords({ approveLink = '', pendingChange }: Waiting): string {
  const what = pendingChange?.summary === undefined ? '' : `: ${pendingChange.summary}`;
  return `Waiting for approval${what}. It has not happened yet; a person decides about it at ${approveLink}. Show them this link, and do not ask again.`;
}

/** Returns a refusal as a result for the model, which may call again with other arguments. */
export function refusedResult({ code, message, facts }: Refusal): CallToolResult {
  const text = JSON.stringify({ code, detail: message, ...facts });
  return { isError: true, content: [{ type: 'text', text }] };
}
