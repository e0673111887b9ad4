import { Injectable, type Type } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';

interface RoleSource {
  /**
   * Resolves a text to the role's id, to `null` if it means any signed-in user, and to undefined if there is no such
   * role.
   */
  meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined>;
}

/** The roles that pages may name. The area of app users owns them and registers here. */
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

/** Registers the source of roles. A provider for the slice that owns them. */
export const knowsPageRoles = (source: Type<RoleSource>) => ({
  provide: Symbol('Knows the roles of pages'),
  inject: [PageRoles, source],
  useFactory: (roles: PageRoles, one: RoleSource) => roles.register(one),
});
