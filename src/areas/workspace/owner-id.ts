import { derivedId } from '../../kernel/event/derived-id.js';

/** Returns the member id of a workspace's Owner, which is derived from the workspace's id. */
export const ownerIdOf = (workspaceId: string): string => derivedId('mem', `${workspaceId}/owner`);
