import { type Slice, slice } from '../../engine/records/slice.js';
import { mcpConnectionOperations } from './mcp-connection/mcp-connection.operations.js';
import { mcpConnections } from './mcp-connection/mcp-connection.record.js';
import { McpServers } from './mcp-connection/mcp-servers.api.js';

export const connectionsSlices: readonly Slice[] = [slice(mcpConnections, [...mcpConnectionOperations, McpServers])];
