import { Injectable } from '@nestjs/common';
import { currentDryRun } from '../../../engine/dry-run/dry-run.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import type { PolicyMark } from './access-policy.projection.js';
import { type AccessPolicies, accessPolicies, policiesOf } from './access-policy.record.js';

/** Maximum size of the cache, in characters of JSON, for all sites together. */
const mostCharacters = 50_000_000;

interface CachedPolicies {
  readonly changes: number;
  readonly policies: Policies;
  readonly characters: number;
}

const none: Policies = () => undefined;

/**
 * Caches the policies of each site. Every call first checks that the cached number of changes is current, so a caller
 * always sees its own changes.
 */
@Injectable()
export class SitePolicies {
  private readonly cache = new Map<string, CachedPolicies>();
  private characters = 0;

  constructor(private readonly reads: Reads) {}

  async of(workspaceId: string, projectId: string): Promise<Policies> {
    const mark = await this.reads.get<PolicyMark>(workspaceId, 'accessPolicyMarks', projectId);
    if (mark === undefined) return none;
    const key = `${workspaceId}/${projectId}`;
    const known = this.cache.get(key);
    if (known?.changes === mark.changes) {
      this.cache.delete(key);
      this.cache.set(key, known);
      return known.policies;
    }
    const set = await this.reads.get<AccessPolicies>(workspaceId, accessPolicies.collection?.name ?? '', projectId);
    if (set === undefined) return none;
    const policies = policiesOf(set);
    // `set` and `mark` come from different read models, so `set` can be older. It is then not cached.
    if (set.changes >= mark.changes && currentDryRun() === undefined)
      this.store(key, { changes: set.changes, policies, characters: sizeOf(set) });
    return policies;
  }

  private store(key: string, entry: CachedPolicies): void {
    this.forget(key);
    this.cache.set(key, entry);
    this.characters += entry.characters;
    for (const oldest of this.cache.keys()) {
      if (this.characters <= mostCharacters) return;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.characters -= this.cache.get(key)?.characters ?? 0;
    this.cache.delete(key);
  }
}

const sizeOf = (set: AccessPolicies) => JSON.stringify(set).length;
