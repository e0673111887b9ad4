import type { Document } from '../../../kernel/record/projection.js';

/**
 * The assignment of a role to a user, under `roleAssignmentId`. Assignments of a deleted role exist until a saga
 * removes them.
 */
export interface RoleAssignment extends Document {
  readonly projectId: string;
  readonly userId: string;
  readonly roleId: string;
}

export const roleAssignmentId = (userId: string, roleId: string): string => `${userId} ${roleId}`;
