import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { equalInConstantTime } from '../../kernel/text/same-text.js';
import { Vault } from '../../ports/vault.port.js';

export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const prefix = 'csc_';
const mostUris = 5;
const longestUri = 300;
const longestName = 80;

export class WrongRegistration extends Error {
  constructor(
    readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata',
    message: string,
  ) {
    super(message);
  }
}

/**
 * A client's id contains its name, its redirect addresses and a keyed hash that proves that this installation issued
 * it. So nothing is stored, and every process knows every client (RFC 7591).
 */
@Injectable()
export class OAuthClients {
  constructor(private readonly vault: Vault) {}

  /** @throws WrongRegistration */
  register(sent: unknown): OAuthClient {
    const { client_name: name = '', redirect_uris: uris } = (sent ?? {}) as Readonly<Record<string, unknown>>;
    if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostUris || !uris.every(isRedirectUri)) {
      const message = `redirect_uris must contain 1 to ${mostUris} addresses with https, or with http on this machine.`;
      throw new WrongRegistration('invalid_redirect_uri', message);
    }
    if (typeof name !== 'string')
      throw new WrongRegistration('invalid_client_metadata', 'client_name must be a string.');
    const shown = [...name.toWellFormed().replace(/\p{C}/gu, '').trim()].slice(0, longestName).join('');
    const facts = Buffer.from(JSON.stringify([shown, ...uris]), 'utf8').toString('base64url');
    return { id: `${prefix}${facts}.${this.proof(facts)}`, name: shown, redirectUris: uris };
  }

  /** Returns undefined if this installation did not issue the id. */
  find(id: string): OAuthClient | undefined {
    const [facts = '', proof = '', more] = id.startsWith(prefix) ? id.slice(prefix.length).split('.') : [];
    if (more !== undefined || !equalInConstantTime(this.proof(facts), proof)) return undefined;
    const [name = '', ...redirectUris] = JSON.parse(Buffer.from(facts, 'base64url').toString('utf8')) as string[];
    return { id, name, redirectUris };
  }

  private proof(facts: string): string {
    return this.vault.derive(`oauth-client/${facts}`);
  }
}

/** Records contain this digest instead of the long id. */
export const clientDigest = (clientId: string): string => hash('sha256', clientId, 'base64url');

/** The port of a loopback address may differ, because clients listen on any free port (RFC 8252, 7.3). */
export function mayRedirect({ redirectUris }: OAuthClient, to: string): boolean {
  return redirectUris.some((one) => one === to || (isLoopback(one) && withoutPort(one) === withoutPort(to)));
}

function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > longestUri || !/^[\x21-\x7e]+$/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return false;
  return url.protocol === 'https:' || isLoopback(text);
}

function isLoopback(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

function withoutPort(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  url.port = '';
  return url.href;
}
