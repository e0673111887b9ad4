import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Role } from '../../kernel/callers/caller.js';

const ranks: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2, owner: 3 };

export const isAbove = (role: Role, other: Role): boolean => ranks[role] > ranks[other];

/** The service itself has the Owner's role. */
export const roleOf = ({ caller }: OperationContext): Role => caller?.role ?? 'owner';
