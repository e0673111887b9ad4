import type { RegisteredOperation } from '../../engine/operation/operation.js';

/** Descriptions of the areas of operations. */
const areas: Readonly<Record<string, string>> = {
  accountEvents:
    'Events of the workspace, of apps and of your own, and the triggers that start functions, flows and agents on them.',
  agents: 'Runs of AI agents.',
  approvals: 'Cards: changes that wait for a person. Notices: what was taken away and can be given back.',
  audit: 'Who changed what, what led to it, what things were like before, and undoing a change.',
  automations: 'Functions of the workspace, what starts them, their runs, secrets and mailboxes.',
  bases: 'Bases, tables and rows.',
  connections: 'Servers of tools that functions call, by MCP.',
  flows: 'Flows, which are steps one after the other, and their runs.',
  site: 'Sites: pages, components, functions, app users, access, mail and payments.',
  workspace: 'The workspace, its members, keys, agents and settings, and why something was refused.',
};

export function tagsOf(operations: readonly RegisteredOperation[]): object[] {
  return [...new Set(operations.map(areaOf))].sort().map((name) => ({ name, description: areas[name] }));
}

export const areaOf = ({ name }: RegisteredOperation): string => name.split('/')[0] ?? '';
