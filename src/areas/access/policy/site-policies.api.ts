import { Injectable } from '@nestjs/common';
import { currentDryRun } from '../../../engine/dry-run/dry-run.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import type { PolicyMark } from './access-policy.projection.js';
import { type AccessPolicies, accessPolicies, policiesOf } from './access-policy.record.js';

/** Size limit of the parsed conditions in memory, in characters. The sites judged least recently are evicted. */
const mostCharacters = 50_000_000;

interface Kept {
  readonly changes: number;
  readonly policies: Policies;
  readonly characters: number;
}

const none: Policies = () => undefined;

/**
 * The policies of a site, parsed and cached. A read after a change returns the changed policies, as every read does:
 * the cache is used only while the read model's mark shows no change.
 */
@Injectable()
export class SitePolicies {
  private readonly kept = new Map<string, Kept>();
  private characters = 0;

  constructor(private readonly reads: Reads) {}

  async of(workspaceId: string, projectId: string): Promise<Policies> {
    const mark = await this.reads.get<PolicyMark>(workspaceId, 'accessPolicyMarks', projectId);
    if (mark === undefined) return none;
    const key = `${workspaceId}/${projectId}`;
    const known = this.kept.get(key);
    if (known?.changes === mark.changes) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known.policies;
    }
    const set = await this.reads.get<AccessPolicies>(workspaceId, accessPolicies.collection?.name ?? '', projectId);
    if (set === undefined) return none;
    const policies = policiesOf(set);
    // The read model with the policies may be behind the mark. Policies older than the mark are not cached.
    if (set.changes >= mark.changes && currentDryRun() === undefined)
      this.keep(key, { changes: set.changes, policies, characters: sizeOf(set) });
    return policies;
  }

  private keep(key: string, kept: Kept): void {
    this.forget(key);
    this.kept.set(key, kept);
    this.characters += kept.characters;
    for (const oldest of this.kept.keys()) {
      if (this.characters <= mostCharacters) return;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.characters -= this.kept.get(key)?.characters ?? 0;
    this.kept.delete(key);
  }
}

const sizeOf = (set: AccessPolicies) => JSON.stringify(set).length;
