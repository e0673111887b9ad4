import type { ActorKind } from '../../../kernel/callers/caller.js';
import { isTriggerKind } from '../../../kernel/callers/starter.js';

/**
 * Returns the origin of an event that this kind of caller raises (settled question Q-E14). A `connection` is an AI
 * client over MCP.
 */
export function eventOrigin(kind: ActorKind): string {
  if (isTriggerKind(kind)) return 'api';
  switch (kind) {
    case 'agent':
    case 'flow':
    case 'function':
      return kind;
    case 'connection':
      return 'mcp';
    case 'person':
    case 'automation':
    case 'user':
    case 'visitor':
    case 'system':
    case 'operator':
      return 'api';
  }
}
