import type { Document } from '../../../kernel/record/projection.js';

/** That a user has a role, under `roleAssignmentId`. There are those of deleted roles until a saga took them. */
export interface RoleAssignment extends Document {
  readonly projectId: string;
  readonly userId: string;
  readonly roleId: string;
}

export const roleAssignmentId = (userId: string, roleId: string): string => `${userId} ${roleId}`;
