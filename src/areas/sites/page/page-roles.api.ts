import { Injectable, type Type } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';

interface RoleSource {
  /**
   * Accepts the id or name of a role and returns the id. `null` means any signed-in user, and undefined means that
   * there is no such role.
   */
  meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined>;
}

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

export const knowsPageRoles = (source: Type<RoleSource>) => ({
  provide: Symbol('Knows the roles of pages'),
  inject: [PageRoles, source],
  useFactory: (roles: PageRoles, one: RoleSource) => roles.register(one),
});
