import { describe, expect, it } from '@jest/globals';
import { given, refusalOf, stateOf } from '../../../../test/support/given/given.js';
import {
  addressAfter,
  changed,
  checkConnectionName,
  removed,
  type SentAddress,
  tested,
  urlOrigin,
} from './mcp-connection.js';
import { type McpConnectionEvent, mcpConnections } from './mcp-connection.record.js';

const added: McpConnectionEvent = {
  type: 'McpConnectionAdded',
  data: {
    name: 'tools',
    transport: 'http',
    origin: 'https://mcp.example.com',
    hasApiKey: true,
    isEnabled: true,
    secretId: 'sec_1',
  },
};
const held = { url: 'https://mcp.example.com/mcp', apiKey: 'k', headers: { 'x-team': 'blue' } };
const wrong = (sent: SentAddress) => refusalOf(() => addressAfter(held, sent)).facts.errors;

describe('the address of a connection', () => {
  it('keeps key and headers at the same origin, and loses them at another', () => {
    expect(addressAfter(held, {})).toEqual(held);
    expect(addressAfter(held, { serverUrl: 'https://mcp.example.com/v2#part' })).toEqual({
      ...held,
      url: 'https://mcp.example.com/v2',
    });
    expect(addressAfter(held, { serverUrl: 'https://evil.example.com/mcp' })).toEqual({
      url: 'https://evil.example.com/mcp',
    });
  });

  it('accepts what is sent, and null removes', () => {
    expect(addressAfter(held, { apiKey: 'new', headers: { 'x-team': 'red' } })).toEqual({
      ...held,
      apiKey: 'new',
      headers: { 'x-team': 'red' },
    });
    expect(addressAfter(held, { apiKey: null, headers: null })).toEqual({ url: held.url, headers: {} });
    expect(addressAfter(undefined, { serverUrl: 'https://a.example/' })).toEqual({ url: 'https://a.example/' });
  });

  it.each<[string, SentAddress, string]>([
    ['no URL', { serverUrl: 'mcp.example.com' }, 'serverUrl'],
    ['a URL of another protocol', { serverUrl: 'ws://mcp.example.com' }, 'serverUrl'],
    ['a URL with a password', { serverUrl: 'https://me:pw@mcp.example.com' }, 'serverUrl'],
    ['21 headers', { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, '1'])) }, 'headers'],
    ['a header with a space in its name', { headers: { 'x y': '1' } }, 'headers.x y'],
    ['a header of the protocol', { headers: { 'Mcp-Session-Id': '1' } }, 'headers.Mcp-Session-Id'],
    ['a header of the connection', { headers: { Host: 'a' } }, 'headers.Host'],
    ['a header that is no text', { headers: { 'x-team': 7 } }, 'headers.x-team'],
    ['a header with a line break', { headers: { 'x-team': 'a\r\nb' } }, 'headers.x-team'],
    ['a header of 8,001 characters', { headers: { 'x-team': 'a'.repeat(8_001) } }, 'headers.x-team'],
    ['an authorization beside the key', { headers: { Authorization: 'Bearer a' } }, 'headers.authorization'],
  ])('refuses an address with %s', (_, sent, path) => {
    expect(wrong(sent)).toEqual([{ path, message: expect.any(String) }]);
  });

  it('needs a URL if the stored one cannot be decrypted', () => {
    for (const sent of [{ apiKey: 'k' }, { headers: null }]) {
      const { errors } = refusalOf(() => addressAfter(undefined, sent)).facts;
      expect(errors).toEqual([{ path: 'serverUrl', message: expect.stringContaining('cannot be decrypted') }]);
    }
  });

  it('is shown by its origin only', () => {
    expect([urlOrigin('https://a.example:8443/secret?key=1'), urlOrigin('nonsense')]).toEqual([
      'https://a.example:8443',
      '',
    ]);
  });
});

it('a connection cannot have the name of the service', () => {
  for (const name of ['service', 'Service']) {
    given()
      .when(() => {
        checkConnectionName(name);
        return [];
      })
      .refuses('invalid-input');
  }
  expect(() => checkConnectionName(undefined)).not.toThrow();
});

describe('a connection', () => {
  it('records differences, and the secret that an address replaces', () => {
    given(mcpConnections, [added]).when(changed, { name: 'tools', isEnabled: true }, 'sec_1').emitsNothing();
    given(mcpConnections, [added])
      .when(changed, { isEnabled: false }, 'sec_0')
      .emits({ type: 'McpConnectionChanged', data: { isEnabled: false } });
    given(mcpConnections, [added])
      .when(changed, { secretId: 'sec_2' }, 'sec_1')
      .emits({ type: 'McpConnectionChanged', data: { secretId: 'sec_2', replaces: 'sec_1' } });
  });

  it('refuses an address that was based on one that has been replaced', () => {
    given(mcpConnections, [added]).when(changed, { secretId: 'sec_2' }, 'sec_0').refuses('too-much-contention');
  });

  it('records the result of a test for the tested address', () => {
    const tried = stateOf(mcpConnections, [added]);
    const failed: McpConnectionEvent = { type: 'McpConnectionTested', data: { error: 'No answer.' } };
    given(mcpConnections, [added]).when(tested, tried, 'No answer.').emits(failed);
    given(mcpConnections, [added])
      .when(tested, { ...tried, secretId: 'sec_0' }, null)
      .emitsNothing();
    const works: McpConnectionEvent = { type: 'McpConnectionTested', data: { error: null } };
    expect(stateOf(mcpConnections, [added, failed])).toMatchObject({ connectedAt: null, lastError: 'No answer.' });
    expect(stateOf(mcpConnections, [added, failed, works])).toMatchObject({ lastError: null, lastErrorAt: null });
  });

  it('is removed with its secret', () => {
    given(mcpConnections, [added])
      .when(removed)
      .emits({ type: 'McpConnectionRemoved', data: { secretId: 'sec_1' } });
  });
});
