import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';

export const connectionsRefusals = {
  'mcp-connection-not-found': refusal(
    'not-found',
    () => 'There is no such connection in this workspace; listMcpConnections lists the connections.',
  ),
  'mcp-connection-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Another connection is called '${about.name}'; use another name, or change that one.`,
  ),
};

const known = { ...engineRefusals, ...connectionsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
