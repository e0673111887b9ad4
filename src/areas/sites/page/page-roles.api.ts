import { Injectable, type Type } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';

interface RoleSource {
  /**
   * Resolves the id or name of a role to its id. Returns `null` if the text means any signed-in user, and undefined if
   * there is no such role.
   */
  meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined>;
}

/** Resolves the roles that pages require. The area of app users has the roles and registers itself here. */
@Injectable()
export class PageRoles implements RoleSource {
  private source: RoleSource | undefined;

  register(source: RoleSource): void {
    this.source = source;
  }

  async meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined> {
    return this.source?.meant(call, projectId, text);
  }
}

/** Returns a provider that registers the source of roles. */
export const knowsPageRoles = (source: Type<RoleSource>) => ({
  provide: Symbol('Knows the roles of pages'),
  inject: [PageRoles, source],
  useFactory: (roles: PageRoles, one: RoleSource) => roles.register(one),
});
