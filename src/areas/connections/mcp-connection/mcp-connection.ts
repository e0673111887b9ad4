import { uniqueName } from '../../../engine/commands/reservation.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { differing, type Sent } from '../../../kernel/record/differing.js';
import { refuse } from '../connections.refusals.js';
import {
  type McpConnection,
  type McpConnectionEvent,
  type McpConnectionFacts,
  mcpConnections,
} from './mcp-connection.record.js';

/** These facts are stored only in the vault, because they can be secret. */
export interface SealedAddress {
  readonly url: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SentAddress {
  readonly serverUrl?: string;
  readonly apiKey?: string | null;
  readonly headers?: Readonly<Record<string, unknown>> | null;
}

/** Code calls the service itself by this name, so no connection can have it. */
export const serviceName = 'service';
const longestHeader = 8_000;
const mostHeaders = 20;
/** Headers that the protocol or the HTTP client sets. */
const ownHeaders =
  /^(accept|content-.*|cookie|mcp-.*|last-event-id|host|connection|transfer-encoding|proxy-.*|te|trailer|upgrade|expect|keep-alive)$/i;

const mcpConnectionName = uniqueName('mcpConnectionName', mcpConnections, ({ name }) => name);

export function reserveConnectionName(name: string, workspaceId: string, id: string) {
  const reservation = mcpConnectionName(name, streamOf(mcpConnections.category, workspaceId, id));
  return { reservation, taken: () => refuse('mcp-connection-name-taken', { name }) };
}

/** @throws Refusal invalid-input */
export function checkConnectionName(name: string | undefined): void {
  if (name?.toLowerCase() !== serviceName) return;
  refuseInput([
    { path: 'name', message: `must not be ${serviceName}, the name by which code calls the service itself` },
  ]);
}

/**
 * If the origin changes, the stored key and headers are dropped, because a caller who may change the URL could
 * otherwise have them sent to any server.
 * @param stored undefined if there is no address, or it cannot be decrypted
 * @throws Refusal invalid-input
 */
export function addressAfter(stored: SealedAddress | undefined, sent: SentAddress): SealedAddress {
  const url = sent.serverUrl === undefined ? storedUrl(stored) : checkedUrl(sent.serverUrl);
  const stays = stored !== undefined && urlOrigin(stored.url) === urlOrigin(url);
  const apiKey = sent.apiKey === undefined ? (stays ? stored.apiKey : undefined) : (sent.apiKey ?? undefined);
  const headers =
    sent.headers === undefined ? (stays ? stored.headers : undefined) : checkedHeaders(sent.headers ?? {});
  if (apiKey !== undefined && Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) {
    refuseInput([
      { path: 'headers.authorization', message: 'cannot be combined with apiKey, which is sent in this header' },
    ]);
  }
  return { url, ...(apiKey === undefined ? {} : { apiKey }), ...(headers === undefined ? {} : { headers }) };
}

export const urlOrigin = (url: string): string => URL.parse(url)?.origin ?? '';

const storedUrl = (stored: SealedAddress | undefined): string =>
  stored?.url ??
  refuseInput([{ path: 'serverUrl', message: 'is required, because the stored URL cannot be decrypted' }]);

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  const no = (message: string) => refuseInput([{ path: 'serverUrl', message }]);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return no('must be a complete URL that begins with https://');
  if (url.username !== '' || url.password !== '')
    return no('must not contain a user name or password; send them as headers');
  url.hash = '';
  return url.href;
}

function checkedHeaders(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const entries = Object.entries(sent);
  if (entries.length > mostHeaders)
    refuseInput([{ path: 'headers', message: `must have at most ${mostHeaders} entries` }]);
  const problems = entries.flatMap(([name, value]) => {
    const path = `headers.${name.slice(0, 100)}`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return [{ path, message: 'is not a header name' }];
    if (ownHeaders.test(name)) return [{ path, message: 'is set by the connection itself' }];
    const isValue = typeof value === 'string' && value.length <= longestHeader && /^[\t\x20-\x7e]*$/.test(value);
    return isValue ? [] : [{ path, message: `must be printable ASCII of at most ${longestHeader} characters` }];
  });
  if (problems.length > 0) refuseInput(problems);
  return sent as Readonly<Record<string, string>>;
}

export function changed(
  before: McpConnection,
  sent: Sent<McpConnectionFacts>,
  basedOn: string,
): readonly McpConnectionEvent[] {
  // Refuses, because this change would overwrite a change of the URL, key or headers that was recorded in the meantime.
  if (sent.secretId !== undefined && before.secretId !== basedOn) refuse('too-much-contention');
  const changes = differing<McpConnectionFacts>(before, sent);
  if (changes === undefined) return [];
  const replaces = sent.secretId === undefined ? {} : { replaces: before.secretId };
  return [{ type: 'McpConnectionChanged', data: { ...changes, ...replaces } }];
}

export function tested(
  before: McpConnection,
  tried: McpConnection,
  error: string | null,
): readonly McpConnectionEvent[] {
  return before.secretId === tried.secretId ? [{ type: 'McpConnectionTested', data: { error } }] : [];
}

export const removed = ({ secretId }: McpConnection): readonly McpConnectionEvent[] => [
  { type: 'McpConnectionRemoved', data: { secretId } },
];
