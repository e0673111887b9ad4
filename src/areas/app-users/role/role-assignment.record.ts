import type { Document } from '../../../kernel/record/projection.js';

export interface RoleAssignment extends Document {
  readonly projectId: string;
  readonly userId: string;
  readonly roleId: string;
}

export const roleAssignmentId = (userId: string, roleId: string): string => `${userId} ${roleId}`;
