import { Injectable } from '@nestjs/common';
import { currentDryRun } from '../../../engine/dry-run/dry-run.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import type { PolicyMark } from './access-policy.projection.js';
import { type AccessPolicies, accessPolicies, policiesOf } from './access-policy.record.js';

/** Conditions kept parsed in this process, in characters: the sites judged last. */
const mostCharacters = 50_000_000;

interface Kept {
  readonly changes: number;
  readonly policies: Policies;
  readonly characters: number;
}

const none: Policies = () => undefined;

/**
 * The policies of sites, as conditions are judged by. Whoever asks after a change gets the changed ones, as from every
 * read: a process keeps them only as long as the read model says that nothing has changed.
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
    // The other read model may be a moment behind: what is older than the mark is not kept.
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
