import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls } from '../../../engine/operation/calls.js';
import type { Actor } from '../../../kernel/event/event.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { revokeApiKey, whyNotRenewed } from './api-key.js';
import { type ApiKey, type ApiKeyEvent, apiKeys, keyCreated } from './api-key.record.js';
import { EndingKeys } from './ending-keys.api.js';
import { apiKeyOf, apiKeyText, sealedKey } from './key-text.api.js';

const lastsMs = 3_600_000;
const renewableMs = 30 * 24 * 3_600_000;

export interface ClientGrant {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly actor: Actor;
  /** Name of the AI client, as the client states it. */
  readonly client: string;
  readonly clientId: string;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly areas?: readonly string[];
  readonly functions?: readonly string[];
  /** Expiry of the key that the person signed in with. If omitted, it never expires. */
  readonly until?: string;
}

export interface ClientKey {
  readonly keyId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: string;
  readonly refreshUntil: string;
}

/** A client's key is renewed every hour and can be revoked like any other key. */
@Injectable()
export class ClientKeys {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly store: ReadStore,
    private readonly ending: EndingKeys,
  ) {}

  async issue({ workspaceId, actor, client, ...grant }: ClientGrant): Promise<ClientKey> {
    const call = this.calls.once(workspaceId, actor, 'workspace/connectClient');
    const keyId = call.newId('key');
    const made = this.textsOf(keyId);
    const facts = { name: client, kind: 'connection', agentId: null, client, ...grant } as const;
    const times = this.timesUntil(grant.until);
    const data = { ...facts, ...this.sealed(made), ...times };
    await this.runner.change(call, {
      aggregate: apiKeys,
      id: keyId,
      begins: true,
      decide: (): readonly ApiKeyEvent[] => [keyCreated(data)],
    });
    return { keyId, ...made, ...times };
  }

  /**
   * Returns the key that the token may renew. A client uses each token once, except for repetitions within a minute. A
   * token that is used again later was copied to a second client, so the key is revoked.
   */
  async renewedBy(refreshToken: string): Promise<ApiKey | undefined> {
    const [, keyId = ''] = /^csr_([a-z0-9_]+)\./.exec(refreshToken) ?? [];
    const key = isIdForm(keyId) ? await this.store.get<ApiKey>(apiKeys.collection?.name ?? '', keyId) : undefined;
    if (key === undefined) return undefined;
    const at = new Date(this.clock.now()).toISOString();
    const whyNot = whyNotRenewed(key, this.refreshHash(refreshToken), at);
    if (whyNot === 'spent') await this.revoke(key.workspaceId, key.id);
    return whyNot === undefined ? key : undefined;
  }

  async renew(
    { workspaceId, id, name, until, memberId, createdBy }: ApiKey,
    refreshToken: string,
  ): Promise<ClientKey | undefined> {
    if ((await this.ending.endOfRecorded(workspaceId, id)) !== undefined) return undefined;
    const actor: Actor = { kind: 'connection', id, name, personBehind: { id: memberId ?? '', name: createdBy } };
    const call = this.calls.once(workspaceId, actor, 'workspace/renewClient');
    const made = this.textsOf(id);
    const times = this.timesUntil(until);
    let renewed = false;
    await this.runner.change(call, {
      aggregate: apiKeys,
      id,
      decide: (key): readonly ApiKeyEvent[] => {
        renewed = key !== undefined && whyNotRenewed(key, this.refreshHash(refreshToken), call.at) === undefined;
        return renewed ? [{ type: 'ApiKeyRenewed', data: { ...this.sealed(made), ...times } }] : [];
      },
    });
    return renewed ? { keyId: id, ...made, ...times } : undefined;
  }

  /** Accepts an access or refresh token. Ignores an unknown token, and a key that belongs to no client. */
  async revokeBy(token: string): Promise<void> {
    const keyHash = this.vault.derive(apiKeyText(token));
    const key =
      (await this.renewedBy(token)) ??
      (await this.store.find<ApiKey>(apiKeys.collection?.name ?? '', { where: { keyHash }, limit: 1 }))[0];
    if (key?.client !== undefined) await this.revoke(key.workspaceId, key.id);
  }

  async revoke(workspaceId: string, id: string): Promise<void> {
    const call = this.calls.once(workspaceId, { kind: 'system', id: 'system', name: 'sign-in' }, 'workspace/endClient');
    await this.runner.change(call, {
      aggregate: apiKeys,
      id,
      decide: (key) => (key ? revokeApiKey(key, 'asked') : []),
    });
  }

  private textsOf(keyId: string) {
    return { accessToken: apiKeyOf(this.ids.token()), refreshToken: `csr_${keyId}.${this.ids.token()}` };
  }

  private sealed({ accessToken, refreshToken }: Pick<ClientKey, 'accessToken' | 'refreshToken'>) {
    const key = sealedKey(accessToken, (text) => this.vault.derive(text));
    return { ...key, refreshHash: this.refreshHash(refreshToken) };
  }

  private refreshHash(refreshToken: string): string {
    return this.vault.derive(`key-renewal/${refreshToken}`);
  }

  private timesUntil(until = '9999') {
    const now = this.clock.now();
    const earliest = (ms: number) => [new Date(now + ms).toISOString(), until].sort()[0] ?? until;
    return { expiresAt: earliest(lastsMs), refreshUntil: earliest(renewableMs) };
  }
}
