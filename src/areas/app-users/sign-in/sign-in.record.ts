import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** These events are in a journal under the user's id, of which only the latest entries are retained. */
export type SiteSignInEvent = DomainEvent<'AppUserSignedIn', { readonly projectId: string }>;

export const siteSignInStream = (workspaceId: string, userId: string): string =>
  streamOf('siteSignIn', workspaceId, userId);
