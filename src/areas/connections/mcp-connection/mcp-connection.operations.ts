import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import {
  addressAfter,
  changed,
  checkConnectionName,
  removed,
  reserveConnectionName,
  type SealedAddress,
  urlOrigin,
} from './mcp-connection.js';
import {
  type McpConnection,
  type McpConnectionEvent,
  type McpConnectionFacts,
  mcpConnections,
  transports,
} from './mcp-connection.record.js';
import { connectionRecord, McpConnectionRecord, mayManage } from './mcp-connection-view.js';
import { ConnectionFailed, McpServers } from './mcp-servers.api.js';

const source = 'Sites supplement, 11';
const group = 'mcp-connections';
const managing = { source, group, permission: 'site.edit', callers: ['person'], tools: 'never' } as const;

const serverUrl = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  password: true,
  description: 'URL of the MCP server. Stored encrypted; responses contain only its origin.',
} as const;
const apiKey = {
  type: 'string',
  minLength: 1,
  maxLength: 8_000,
  optional: true,
  password: true,
  description: 'Stored encrypted. Sent as a Bearer token.',
} as const;
const headers = {
  type: 'object',
  optional: true,
  password: true,
  description: 'HTTP headers sent with every request, by name. Stored encrypted. At most 20.',
} as const;
const transport = { type: 'string', enum: transports, optional: true } as const;
const lost = 'If the new URL has another origin, the key and headers are removed unless they are sent again.';

export const mcpConnectionOperations = [
  command('connections/addMcpConnection', {
    ...managing,
    summary: 'Connects the workspace to an MCP server.',
    answers: { record: McpConnectionRecord },
    input: {
      name: { ...nameField, description: 'Name by which ctx.connections.call refers to the connection.' },
      serverUrl,
      apiKey,
      headers,
      transport: {
        ...transport,
        default: 'http',
        description: '`sse` is the older transport, with a permanently open stream.',
      },
    },
    inject: [RecordedSecrets],
    handle: async ({ name, transport = 'http', ...sent }, call, secrets) => {
      checkConnectionName(name);
      const address = addressAfter(undefined, sent);
      const id = call.newId('mcp');
      const secretId = call.newId('val');
      return secrets.drafting(mcpConnections, call, sealed(secretId, address), async () => {
        const data = { name, transport, isEnabled: true, secretId, ...factsOf(address) };
        const { state } = await secrets.change<McpConnection, McpConnectionEvent>(call, {
          aggregate: mcpConnections,
          id,
          begins: true,
          decide: () => [{ type: 'McpConnectionAdded', data }],
          reserves: () => [reserveConnectionName(name, call.workspaceId, id)],
        });
        return shown(state, call);
      });
    },
  }),
  command('connections/updateMcpConnection', {
    ...managing,
    summary: `Updates a connection. Omitted fields are not changed. ${lost}`,
    // A new URL, key or header destroys the old vault entry, so the call is then treated as a deletion.
    takesAway: takesAwayWhen<McpConnection, McpConnectionEvent>(
      ({ type, data }) => type === 'McpConnectionChanged' && data.replaces !== undefined,
    ),
    outside: ['destroys secrets'],
    answers: { record: McpConnectionRecord },
    input: {
      id: idField,
      name: { ...nameField, optional: true },
      serverUrl: { ...serverUrl, optional: true },
      apiKey: { ...apiKey, nullable: true, description: 'null removes the key.' },
      headers: { ...headers, nullable: true, description: 'Replaces all headers. null removes them.' },
      transport,
      isEnabled: { type: 'boolean', optional: true },
    },
    inject: [CommandRunner, RecordedSecrets, McpServers],
    handle: async ({ id, name, transport, isEnabled, ...sent }, call, runner, secrets, servers) => {
      checkConnectionName(name);
      const { workspaceId } = call;
      const known = (await runner.find(mcpConnections, workspaceId, id)) ?? mcpConnections.missing();
      const facts = { name, transport, isEnabled };
      const change = async (more: Partial<McpConnectionFacts> = {}) => {
        const { state } = await secrets.change<McpConnection, McpConnectionEvent>(call, {
          aggregate: mcpConnections,
          id,
          decide: (before) => changed(before ?? mcpConnections.missing(), { ...facts, ...more }, known.secretId),
          reserves: (before) =>
            name === undefined || name === before?.name ? [] : [reserveConnectionName(name, workspaceId, id)],
        });
        return shown(state, call);
      };
      if (Object.values(sent).every((one) => one === undefined)) return change();
      const address = addressAfter(await servers.addressOf(known), sent);
      const secretId = call.newId('val');
      return secrets.drafting(mcpConnections, call, sealed(secretId, address), () =>
        change({ secretId, ...factsOf(address) }),
      );
    },
  }),
  command('connections/removeMcpConnection', {
    ...managing,
    summary: 'Removes a connection and destroys its key. Functions that use it can no longer call it.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    inject: [RecordedSecrets],
    handle: async ({ id }, call, secrets) => {
      await secrets.change<McpConnection, McpConnectionEvent>(call, {
        aggregate: mcpConnections,
        id,
        decide: (before) => removed(before ?? mcpConnections.missing()),
      });
      return { success: true };
    },
  }),
  command('connections/testMcpConnection', {
    ...managing,
    summary: 'Tests the connection to the server and records the result.',
    outside: ['sends requests'],
    answers: {
      fields: {
        ok: { type: 'boolean' },
        tools: { type: 'integer', description: 'Number of tools that the server offers.' },
        error: { type: 'string', optional: true, description: 'Why the test failed, in one sentence.' },
      },
    },
    input: { id: idField },
    inject: [CommandRunner, McpServers],
    handle: async ({ id }, call, runner, servers) => {
      const known = (await runner.find(mcpConnections, call.workspaceId, id)) ?? mcpConnections.missing();
      const { error, tools } = await servers.test(call, known);
      return error === null ? { ok: true, tools } : { ok: false, tools, error };
    },
  }),
  query('site/listMcpConnections', {
    source: 'Sites API, Proxy, chats and connections',
    group,
    permission: 'site.read',
    tools: 'granted',
    summary: "Lists the workspace's connections to MCP servers, without their keys.",
    answers: { list: McpConnectionRecord },
    input: {
      tools: {
        type: 'boolean',
        optional: true,
        default: false,
        description: "Whether to request each server's tools. Has no effect for callers who may not edit functions.",
      },
    },
    inject: [Reads, McpServers],
    handle: async ({ tools = false }, call, reads, servers) => {
      const { name } = mcpConnections.collection;
      const all = await reads.find<McpConnection>(call.workspaceId, name, { sort: [['createdAt', 'asc']] });
      const asks = tools && call.caller?.permissions.has('functions.edit') === true;
      return Promise.all(
        all.map(async (one) => {
          const isUnreadable = (await servers.addressOf(one)) === undefined;
          return connectionRecord(one, isUnreadable, mayManage(call.caller), asks ? await toolsOf(one, servers) : {});
        }),
      );
    },
  }),
];

async function toolsOf(connection: McpConnection, servers: McpServers) {
  try {
    return { tools: await servers.tools(connection) };
  } catch (error) {
    if (error instanceof ConnectionFailed) return { toolsError: error.message };
    throw error;
  }
}

const sealed = (id: string, address: SealedAddress) => ({ id, value: JSON.stringify(address) });

const factsOf = ({ url, apiKey }: SealedAddress) => ({ origin: urlOrigin(url), hasApiKey: apiKey !== undefined });

const shown = (state: McpConnection | undefined, { caller }: OperationContext) =>
  connectionRecord(state ?? mcpConnections.missing(), false, mayManage(caller));
