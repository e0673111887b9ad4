import { Injectable, type Type } from '@nestjs/common';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';

/**
 * Provides facts about users that other modules own, such as roles. Those modules import this one, so it may not import
 * them.
 */
export interface PersonSource {
  existingRoles?(workspaceId: string, projectId: string, roleIds: readonly string[]): Promise<readonly string[]>;
  entitlementsOf?(workspaceId: string, userId: string): Promise<readonly EntitlementFacts[]>;
}

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

export const personSource = <Provider>(provider: Type<Provider>, source: (provider: Provider) => PersonSource) => ({
  provide: Symbol(`Source of persons: ${provider.name}`),
  inject: [PersonSources, provider],
  useFactory: (sources: PersonSources, one: Provider) => sources.register(source(one)),
});
