import { derivedId } from '../../kernel/event/derived-id.js';

export const ownerIdOf = (workspaceId: string): string => derivedId('mem', `${workspaceId}/owner`);
