import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Refusal } from '../../kernel/refusals/refusal.js';
import type { ToolAnswer } from './served-tools.js';

interface Waiting {
  readonly approveLink?: string;
  readonly pendingChange?: { readonly summary?: string };
}

/**
 * If the call waits for approval, a text comes before the JSON. It states that nothing has happened yet, and contains
 * the link at which a person decides.
 */
export function resultOf({ answer, waiting }: ToolAnswer): CallToolResult {
  const json = { type: 'text', text: JSON.stringify(answer ?? null) } as const;
  return { content: waiting ? [{ type: 'text', text: waitingWords(answer as Waiting) }, json] : [json] };
}

function waitingWords({ approveLink = '', pendingChange }: Waiting): string {
  const what = pendingChange?.summary === undefined ? '' : `: ${pendingChange.summary}`;
  return `Waiting for approval${what}. The change has not been made yet; a person decides at ${approveLink}. Show them this link, and do not call the tool again.`;
}

export function refusedResult({ code, message, facts }: Refusal): CallToolResult {
  const text = JSON.stringify({ code, detail: message, ...facts });
  return { isError: true, content: [{ type: 'text', text }] };
}
