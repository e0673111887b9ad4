import type { Document } from '../../../kernel/record/projection.js';

/**
 * The assignment of a role to a user. Its id is a `roleAssignmentId`. When a role is deleted, a saga removes its
 * assignments.
 */
export interface RoleAssignment extends Document {
  readonly projectId: string;
  readonly userId: string;
  readonly roleId: string;
}

export const roleAssignmentId = (userId: string, roleId: string): string => `${userId} ${roleId}`;
