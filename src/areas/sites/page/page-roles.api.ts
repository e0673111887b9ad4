import { Injectable, type Type } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';

interface RoleSource {
  /**
   * Resolves to the role's id, to `null` if the text means any signed-in user, and to undefined if there is no such
   * role.
   */
  meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined>;
}

/** The roles that pages may name. App users have them, and register here. */
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

/** Enters the roles. A provider of their slice. */
export const knowsPageRoles = (source: Type<RoleSource>) => ({
  provide: Symbol('Knows the roles of pages'),
  inject: [PageRoles, source],
  useFactory: (roles: PageRoles, one: RoleSource) => roles.register(one),
});
