import { Injectable, type Type } from '@nestjs/common';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';

/**
 * Source of facts about users that belong to other slices, such as roles. Those slices import the slice of users, so
 * the slice of users may not import them. They register a source here instead.
 */
export interface PersonSource {
  /** Returns those of the ids that are roles of the project now. */
  existingRoles?(workspaceId: string, projectId: string, roleIds: readonly string[]): Promise<readonly string[]>;
  entitlementsOf?(workspaceId: string, userId: string): Promise<readonly EntitlementFacts[]>;
}

/** The registered sources. If no slice has registered one, users have no roles or entitlements. */
@Injectable()
export class PersonSources {
  private readonly sources: PersonSource[] = [];

  register(source: PersonSource): void {
    this.sources.push(source);
  }

  async existingRoles(workspaceId: string, projectId: string, roleIds: readonly string[]): Promise<readonly string[]> {
    if (roleIds.length === 0) return [];
    const found = await Promise.all(this.sources.map((one) => one.existingRoles?.(workspaceId, projectId, roleIds)));
    const existing = new Set(found.flatMap((ids) => ids ?? []));
    return roleIds.filter((id) => existing.has(id));
  }

  async entitlementsOf(workspaceId: string, userId: string): Promise<readonly EntitlementFacts[]> {
    const found = await Promise.all(this.sources.map((one) => one.entitlementsOf?.(workspaceId, userId)));
    return found.flatMap((facts) => facts ?? []);
  }
}

/** Provider that registers a slice's source of facts about users. */
export const personSource = <Provider>(provider: Type<Provider>, source: (provider: Provider) => PersonSource) => ({
  provide: Symbol(`Source of persons: ${provider.name}`),
  inject: [PersonSources, provider],
  useFactory: (sources: PersonSources, one: Provider) => sources.register(source(one)),
});
