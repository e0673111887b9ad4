import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { ReadModelChanges } from '../../../engine/projections/read-model-changes.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import {
  type AskMode,
  type Caller,
  type Permission,
  permissionsOfRole,
  type Role,
} from '../../../kernel/callers/caller.js';
import { Clock } from '../../../ports/clock.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { Agent } from '../agent/agent.record.js';
import type { Member } from '../member/member.record.js';
import { freshSettings, type Workspace } from '../workspace/workspace.record.js';
import type { ApiKey } from './api-key.record.js';
import { countedMakers, lostMaker } from './key-makers.js';
import { apiKeyText } from './key-text.api.js';
import { KeyUse } from './key-use.js';

interface Known {
  readonly caller: Caller;
  readonly until: number;
}

/** Each of these read models has one collection with the same name. */
const sources = ['apiKeys', 'members', 'agents', 'workspaces'] as const;

/**
 * Callers are cached for this long, so a revoked key may work this much longer on nodes that did not revoke it
 * themselves.
 */
const cachedMs = 500;

/**
 * Caches callers for at most `cachedMs`. The cache is cleared earlier if one of the read models in `sources` changes,
 * or if this process records events that will change one of them.
 */
@Injectable()
export class KeyAuthenticator extends Authenticator {
  private known = new Map<string, Known>();
  private changed = '';

  constructor(
    private readonly store: ReadStore,
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly use: KeyUse,
    private readonly readYourWrites: ReadYourWrites,
    news: ReadModelChanges,
  ) {
    super();
    for (const projection of sources) {
      news.on(projection, () => {
        this.known = new Map();
      });
    }
  }

  override callerOf(key: string): Promise<Caller | undefined> {
    // The plain digest is only a cache key. It is faster to compute than the keyed digest that the read model contains.
    return this.holding(hash('sha256', key, 'base64url'), async () => {
      const keyHash = this.vault.derive(apiKeyText(key));
      return (await this.store.find<ApiKey>('apiKeys', { where: { keyHash }, limit: 1 }))[0];
    });
  }

  override callerBehind(keyId: string): Promise<Caller | undefined> {
    return this.holding(`id/${keyId}`, () => this.store.get<ApiKey>('apiKeys', keyId));
  }

  override callerOfKey(keyId: string): Promise<Caller | undefined> {
    return this.cachedCaller(`asked/${keyId}`, async (now) =>
      this.callerFor(await this.store.get<ApiKey>('apiKeys', keyId), now),
    );
  }

  override callerAsAgent(workspaceId: string, agentId: string): Promise<Caller | undefined> {
    const rights = { readOnly: false, neverDeletes: false, expiresAt: null } as const;
    const facts = { kind: 'agent', id: '', workspaceId, makers: [], ...rights } as const;
    return this.cachedCaller(`agent/${workspaceId}/${agentId}`, () => this.agentOf(facts, agentId));
  }

  private holding(name: string, look: () => Promise<ApiKey | undefined>): Promise<Caller | undefined> {
    return this.cachedCaller(name, async (now) => {
      const caller = await this.callerFor(await look(), now);
      if (caller !== undefined) this.use.seen(caller);
      return caller;
    });
  }

  private async cachedCaller(
    name: string,
    find: (now: number) => Promise<Caller | undefined>,
  ): Promise<Caller | undefined> {
    const now = this.clock.now();
    await this.current();
    const remembered = this.known;
    const known = remembered.get(name);
    if (known !== undefined && known.until > now) return known.caller;
    const caller = await find(now);
    if (caller === undefined) return undefined;
    // If the cache was cleared after this look-up began, the result goes into the discarded map and is not used again.
    if (remembered.size > 10_000) remembered.clear();
    remembered.set(name, { caller, until: now + cachedMs });
    return caller;
  }

  /**
   * Waits until the read models include this process's changes, so that a change applies from the moment of its
   * acknowledgement.
   */
  private async current(): Promise<void> {
    const changed = sources.map((projection) => this.readYourWrites.recorded(projection)).join();
    if (changed !== this.changed) {
      this.changed = changed;
      this.known = new Map();
    }
    for (const projection of sources) {
      if (!this.readYourWrites.isCurrent(projection)) await this.store.count(projection, { id: '' });
    }
  }

  private async callerFor(key: ApiKey | undefined, now: number): Promise<Caller | undefined> {
    if (key === undefined || key.revokedAt !== null) return undefined;
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now) return undefined;
    return key.kind === 'agent' ? this.agentOf(key, key.agentId ?? '') : this.holderOf(key);
  }

  private async agentOf(key: KeyFacts, agentId: string): Promise<Caller | undefined> {
    const agent = await this.store.get<Agent>('agents', agentId);
    if (agent === undefined || !agent.isActive || agent.workspaceId !== key.workspaceId) return undefined;
    const member = await this.memberOf(key.workspaceId, agent.memberId);
    if (member === undefined) return undefined;
    if (await this.hasLostMaker(key, member.id)) return undefined;
    const personBehind = { id: member.id, name: member.name };
    const makers = [...new Set([...key.makers, ...agent.makers])];
    const { id, name, asks } = agent;
    return { ...base({ ...key, makers }, limited(member), member.id), id, name, personBehind, asks };
  }

  private async holderOf(key: ApiKey): Promise<Caller | undefined> {
    if (await this.hasLostMaker(key, key.memberId)) return undefined;
    const asks = key.kind === 'automation' ? { asks: await this.automationsAsk(key.workspaceId) } : {};
    if (key.memberId === null) {
      return { ...base(key, { role: 'editor', permissions: [] }, null), id: key.id, name: key.name, ...asks };
    }
    const member = await this.memberOf(key.workspaceId, key.memberId);
    if (member === undefined) return undefined;
    const personBehind = { id: member.id, name: member.name };
    if (key.kind === 'person') return { ...base(key, member, member.id), id: member.id, name: member.name };
    return { ...base(key, member, member.id), id: key.id, name: key.name, personBehind, ...asks };
  }

  /** Most keys were created by the member that they act for, so they need no look-up. */
  private async hasLostMaker(key: KeyFacts, actsFor: string | null): Promise<boolean> {
    const others = key.makers.filter((id) => id !== actsFor);
    const found = await Promise.all(others.map((id) => this.memberOf(key.workspaceId, id)));
    const roles = new Map(found.map((member, at) => [others[at], member?.role]));
    return lostMaker(key, actsFor, (id) => roles.get(id)) !== undefined;
  }

  private async automationsAsk(workspaceId: string): Promise<AskMode> {
    const workspace = await this.store.get<Workspace>('workspaces', workspaceId);
    return (workspace?.settings ?? freshSettings).automationsAsk;
  }

  private async memberOf(workspaceId: string, id: string): Promise<Member | undefined> {
    const member = await this.store.get<Member>('members', id);
    return member?.workspaceId === workspaceId ? member : undefined;
  }
}

type KeyFacts = Pick<
  ApiKey,
  'kind' | 'id' | 'workspaceId' | 'makers' | 'readOnly' | 'neverDeletes' | 'expiresAt' | 'areas' | 'functions'
>;

type Rights = Pick<Member, 'role' | 'permissions'>;

/** An agent's rights are at most an Editor's and at most those of the person behind the agent. */
function limited(member: Member): Rights {
  const role: Role = member.role === 'viewer' ? 'viewer' : 'editor';
  return { role, permissions: member.permissions.filter((one) => permissionsOfRole.editor.includes(one)) };
}

function base(key: KeyFacts, { role, permissions }: Rights, actsFor: string | null) {
  const makers = countedMakers(key, actsFor);
  return {
    ...(makers.length === 0 ? {} : { makers }),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
    ...(key.areas && { areas: key.areas }),
    ...(key.functions && { functions: key.functions }),
    kind: key.kind,
    workspaceId: key.workspaceId,
    keyId: key.id,
    role,
    permissions: new Set<Permission>([...permissionsOfRole[role], ...permissions]),
    readOnly: key.readOnly,
    neverDeletes: key.neverDeletes,
  };
}
