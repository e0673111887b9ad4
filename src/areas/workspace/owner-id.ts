import { derivedId } from '../../kernel/event/derived-id.js';

/** A workspace has one Owner, whose member id is derived from the workspace's id. */
export const ownerIdOf = (workspaceId: string): string => derivedId('mem', `${workspaceId}/owner`);
