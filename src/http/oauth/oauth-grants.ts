import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ClientGrant, type ClientKey, ClientKeys } from '../../areas/workspace/api-key/client-keys.api.js';
import { Authenticator } from '../../engine/authorisation/authenticator.js';
import { actorOf } from '../../engine/operation/calls.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';
import { clientDigest } from './oauth-clients.js';
import { type OAuthScope, scopeWords, withinKey } from './oauth-scopes.js';

/** Lifetime in milliseconds. It is short, because the client exchanges the code immediately. */
const codeLastsMs = 60_000;
/**
 * Time, in milliseconds, for which a used code is remembered. A second use means that the code was stolen, so the key
 * that was issued for it is revoked.
 */
const usedKnownMs = 10 * 60_000;

export interface CodeFacts {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scope: OAuthScope;
  readonly neverDeletes: boolean;
  readonly keyId: string;
}

/** Codes are sealed in the vault, so any process can exchange a code for a key, but only once. */
@Injectable()
export class OAuthGrants {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly keys: ClientKeys,
    private readonly authenticator: Authenticator,
  ) {}

  async store(code: string, facts: CodeFacts): Promise<void> {
    const sealed = Buffer.from(JSON.stringify(facts), 'utf8');
    await this.vault.seal(entryOf('code', code), sealed, { expiresAt: this.clock.now() + codeLastsMs });
  }

  /** Returns undefined if the code is unknown, expired or used. The key that was issued for a used code is revoked. */
  async find(code: string): Promise<CodeFacts | undefined> {
    const used = await this.vault.open(entryOf('used', code));
    if (used !== undefined) {
      const [workspaceId, keyId] = Buffer.from(used).toString('utf8').split(' ');
      if (workspaceId && keyId) await this.keys.revoke(workspaceId, keyId);
      return undefined;
    }
    const sealed = await this.vault.open(entryOf('code', code));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as CodeFacts);
  }

  /** Returns true only for the first call with this code. */
  claim(code: string): Promise<boolean> {
    const expiresAt = this.clock.now() + usedKnownMs;
    return this.vault.seal(entryOf('used', code), new Uint8Array(), { ifAbsent: true, expiresAt });
  }

  /** Returns undefined if the key with which the person was signed in is no longer valid. */
  async issue(
    code: string,
    facts: CodeFacts,
  ): Promise<(ClientKey & { readonly scope: readonly string[] }) | undefined> {
    const caller = await this.authenticator.callerOfKey(facts.keyId);
    if (caller?.kind !== 'person') return undefined;
    const scope = withinKey(facts.scope, caller);
    const key = await this.keys.issue({ ...grantOf(caller, facts), ...narrowing(scope) });
    const named = Buffer.from(`${caller.workspaceId} ${key.keyId}`, 'utf8');
    await this.vault.seal(entryOf('used', code), named, { expiresAt: this.clock.now() + usedKnownMs });
    await this.vault.destroy(entryOf('code', code));
    return { ...key, scope: scopeWords(scope) };
  }
}

const entryOf = (kind: 'code' | 'used', code: string) => `oauth-${kind}/${hash('sha256', code, 'base64url')}`;

const narrowing = ({ readOnly, areas }: OAuthScope) => ({ readOnly, ...(areas && { areas }) });

function grantOf(caller: Caller, { clientId, clientName, neverDeletes }: CodeFacts): Omit<ClientGrant, 'readOnly'> {
  const { workspaceId, id, functions, expiresAt } = caller;
  return {
    workspaceId,
    memberId: id,
    actor: actorOf(caller),
    client: clientName || 'An AI client',
    clientId: clientDigest(clientId),
    neverDeletes: neverDeletes || caller.neverDeletes,
    ...(functions && { functions }),
    ...(expiresAt && { until: expiresAt }),
  };
}
