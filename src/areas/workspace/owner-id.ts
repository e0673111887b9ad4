import { derivedId } from '../../engine/derived-id.js';

/** A workspace has one Owner, whose member id follows from its own. */
export const ownerIdOf = (workspaceId: string): string => derivedId('mem', `${workspaceId}/owner`);
