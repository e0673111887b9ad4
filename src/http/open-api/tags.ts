import type { RegisteredOperation } from '../../engine/operation/operation.js';

const areas: Readonly<Record<string, string>> = {
  accountEvents:
    'Events of the workspace, of apps and of your own code, and triggers that start functions, flows and agents on events.',
  agents: 'Runs of AI agents.',
  approvals: "Cards, which are changes that wait for a person's approval, and notices of changes that can be undone.",
  audit: 'The history of all changes, their causes and effects, earlier states, and undo.',
  automations: 'Functions of the workspace, their triggers, runs, secrets and mailboxes.',
  bases: 'Bases, tables and rows.',
  connections: 'Connections to MCP servers, whose tools functions can call.',
  flows: 'Flows, which are sequences of steps, and their runs.',
  site: 'Sites: pages, components, functions, app users, access, mail and payments.',
  workspace: 'The workspace, its members, keys, agents and settings, and explanations of refusals.',
};

export function tagsOf(operations: readonly RegisteredOperation[]): object[] {
  return [...new Set(operations.map(areaOf))].sort().map((name) => ({ name, description: areas[name] }));
}

export const areaOf = ({ name }: RegisteredOperation): string => name.split('/')[0] ?? '';
