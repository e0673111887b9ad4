import type { ActorKind } from '../../../kernel/callers/caller.js';

/** An event's origin, by the kind of its actor (settled question Q-E14). A connection is an AI client over MCP. */
export function eventOrigin(kind: ActorKind): string {
  switch (kind) {
    case 'agent':
    case 'flow':
    case 'function':
      return kind;
    case 'connection':
      return 'mcp';
    case 'person':
    case 'automation':
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
    case 'user':
    case 'visitor':
    case 'system':
    case 'operator':
      return 'api';
  }
}
